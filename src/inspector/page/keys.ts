import type { Session } from './session.ts';

export interface KeyActions {
  filter(): void;
  help(): void;
  maximise(): void;
  /** Zooms the time that is shown. */
  zoom(factor: number): void;
  /** Shows all the time there is, or that of the selected event's run. */
  all(): void;
  run(): void;
}

/** The keys that work everywhere on the page, but for where somebody writes or a dialog is open. */
export function onKey(event: KeyboardEvent, session: Session, actions: KeyActions): void {
  const { target } = event;
  if (event.ctrlKey || event.altKey || event.metaKey || !(target instanceof Element)) return;
  // A dialog that was just closed keeps the focus until the next frame.
  if (target.closest('input, select, textarea, dialog[open]')) return;
  // A button takes the space itself.
  if (event.key === ' ' && target.closest('button')) return;
  const action = actionOf(event.key, session, actions);
  if (!action) return;
  event.preventDefault();
  action();
}

function actionOf(key: string, session: Session, actions: KeyActions): (() => void) | undefined {
  const all: Record<string, () => void> = {
    ArrowLeft: () => session.step(-1),
    ArrowRight: () => session.step(1),
    Home: () => session.first(),
    End: () => session.last(),
    ' ': () => session.play(!session.isPlaying),
    f: () => session.follow(!session.isFollowing),
    m: actions.maximise,
    '+': () => actions.zoom(2),
    '-': () => actions.zoom(0.5),
    '0': actions.all,
    r: actions.run,
    '/': actions.filter,
    '?': actions.help,
  };
  return all[key];
}
