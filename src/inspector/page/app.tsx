import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { Chart } from './chart.tsx';
import { Context } from './context.tsx';
import { Dialog } from './dialog.tsx';
import { Divergence } from './divergence.tsx';
import { Empty } from './empty.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { FilterBar } from './filter-bar.tsx';
import { Fleet } from './fleet.tsx';
import { Header } from './header.tsx';
import { Help } from './help.tsx';
import { onKey } from './keys.ts';
import type { Live } from './live.ts';
import { MomentBar } from './moment-bar.tsx';
import { Overview } from './overview.tsx';
import { PhasePatterns } from './parts.tsx';
import { Sequence } from './sequence.tsx';
import type { Session } from './session.ts';
import { Tabs } from './tabs.tsx';
import { toggleTheme } from './theme.ts';
import { Timeline } from './timeline.tsx';
import { useDrop } from './use-drop.ts';
import { useMedia, useSession } from './use-session.ts';
import { useShownTime } from './use-time.ts';
import { Why } from './why.tsx';

const VIEWS = ['Events', 'Statechart', 'Context', 'Why (not)?', 'Sequence', 'Fleet'] as const;
type View = (typeof VIEWS)[number];

export function App({ session, live }: { session: Session; live: Live }) {
  useSession(session);
  const time = useShownTime(session);
  const isNarrow = useMedia('(max-width: 860px)');
  const [view, setView] = useState<View>('Statechart');
  const [isMaximised, setMaximised] = useState(false);
  const [dialog, setDialog] = useState<'help' | 'download' | null>(null);

  const open = (files: FileList) => void live.open([...files]);
  const isOver = useDrop(open);

  useLayoutEffect(() => {
    const listener = (event: KeyboardEvent) =>
      onKey(event, session, {
        filter: () => {
          if (isNarrow) setView('Events');
          setMaximised(false);
          requestAnimationFrame(() => document.getElementById('filter')?.focus());
        },
        help: () => setDialog('help'),
        zoom: (factor) => time.zoom(factor),
        all: () => time.all(),
        run: () => time.run(),
        maximise: () => {
          setView('Statechart');
          setMaximised((before) => !before);
        },
      });
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, [session, time, isNarrow]);

  const { title = '' } = session.source ?? {};
  useEffect(() => {
    document.title = `${title} · host-upgrades inspector`;
  }, [title]);

  const names = VIEWS.filter(
    (name) =>
      (name !== 'Events' || isNarrow) && (name !== 'Fleet' || session.history.streams.size > 1),
  );
  const shown = names.includes(view) ? view : 'Statechart';
  const isEmpty = session.history.items.length === 0;
  const isMaximum = isMaximised && shown === 'Statechart' && !isEmpty;
  const events = (
    <section class="events" aria-label="Events">
      <FilterBar session={session} />
      <Timeline session={session} />
    </section>
  );

  return (
    <div class={`app${isMaximum ? ' maximised' : ''}${isOver ? ' dropping' : ''}`}>
      <PhasePatterns />
      {!isMaximum && (
        <Header
          session={session}
          actions={{
            open,
            back: () => live.back(),
            download: () => setDialog('download'),
            theme: toggleTheme,
            help: () => setDialog('help'),
          }}
        />
      )}
      {session.notice !== '' && (
        <p class="notice" role="alert">
          <span>{session.notice}</span>
          <button type="button" onClick={() => session.update({ notice: '' })}>
            Dismiss
          </button>
        </p>
      )}
      {isEmpty ? (
        <Empty session={session} />
      ) : (
        <main class="main">
          {!isMaximum && <Overview session={session} time={time} />}
          <div class="body">
            {!isNarrow && !isMaximum && events}
            <section class="views" aria-label="The selected moment">
              <MomentBar session={session} />
              <Divergence session={session} />
              {!isMaximum && <Tabs names={names} selected={shown} onSelect={setView} />}
              <div
                id="panel"
                class="panel"
                role="tabpanel"
                aria-label={shown}
                tabIndex={shown === 'Statechart' || shown === 'Events' ? -1 : 0}
              >
                {shown === 'Events' && events}
                {shown === 'Statechart' && (
                  <Chart
                    session={session}
                    isMaximised={isMaximum}
                    onMaximise={() => setMaximised(!isMaximised)}
                  />
                )}
                {shown === 'Context' && <Context session={session} />}
                {shown === 'Why (not)?' && <Why session={session} />}
                {shown === 'Sequence' && <Sequence session={session} />}
                {shown === 'Fleet' && <Fleet session={session} time={time} />}
              </div>
            </section>
          </div>
        </main>
      )}
      {dialog === 'help' && (
        <Dialog label="Help" onClose={() => setDialog(null)}>
          <Help />
        </Dialog>
      )}
      {dialog === 'download' && <ExportDialog session={session} onClose={() => setDialog(null)} />}
    </div>
  );
}
