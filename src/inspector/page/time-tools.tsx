import { overlapMs } from './quiet.ts';
import type { ShownTime } from './shown-time.ts';
import { dateOf, duration, plural, timeOfDay } from './words.ts';

/** What is shown of the time there is, in words, and the ways to show another part. */
export function TimeTools({ time }: { time: ShownTime }) {
  const { fromMs, toMs } = time.axis(1_000);
  const hasGaps = time.gaps.length > 0;
  const shown = { fromMs, toMs };
  const cut = (time.isCut ? time.gaps : []).map((gap) => overlapMs(gap, shown)).filter(Boolean);
  const cutMs = cut.reduce((sum, ms) => sum + ms, 0);
  const words = rangeWords(fromMs, toMs);
  const left =
    cut.length === 0
      ? ''
      : `, ${duration(toMs - fromMs - cutMs)} of it shown: ${plural(cut.length, 'gap')} cut`;
  return (
    <>
      <span class="range">
        {words}
        <span class="muted">
          {' · '}
          {duration(toMs - fromMs)}
          {left}
        </span>
      </span>
      {/* Only what a person asked for is read out; what comes live is not. */}
      <span class="visually-hidden" role="status">
        {time.kind === 'range' ? `shows ${words}` : ''}
      </span>
      <fieldset class="time-tools" aria-label="Time shown">
        <ToolButton label="Earlier" sign="◂" onClick={() => time.turn(-1)} />
        <ToolButton label="Later" sign="▸" onClick={() => time.turn(1)} />
        <ToolButton label="Zoom time out" sign="−" onClick={() => time.zoom(0.5)} />
        <ToolButton label="Zoom time in" sign="+" onClick={() => time.zoom(2)} />
        <ChoiceButton label="All" isOn={time.kind === 'all'} onClick={() => time.all()} />
        <ChoiceButton label="This run" isOn={time.kind === 'run'} onClick={() => time.run()} />
        {hasGaps && (
          <ChoiceButton label="Cut gaps" isOn={time.isCut} onClick={() => time.cut(!time.isCut)} />
        )}
      </fieldset>
    </>
  );
}

function ToolButton({
  label,
  sign,
  onClick,
}: {
  label: string;
  sign: string;
  onClick: () => void;
}) {
  return (
    <button type="button" class="small" aria-label={label} title={label} onClick={onClick}>
      {sign}
    </button>
  );
}

function ChoiceButton({
  label,
  isOn,
  onClick,
}: {
  label: string;
  isOn: boolean;
  onClick: () => void;
}) {
  return (
    <button type="button" class="small" aria-pressed={isOn} onClick={onClick}>
      {label}
    </button>
  );
}

/** Milliseconds where only few are shown; the second date where it is another one. */
function rangeWords(fromMs: number, toMs: number): string {
  const digits = toMs - fromMs < 60_000 ? 12 : 8;
  const [from, to] = [fromMs, toMs].map((atMs) => timeOfDay(atMs).slice(0, digits));
  const day = dateOf(toMs) === dateOf(fromMs) ? '' : `${dateOf(toMs)} `;
  return `${dateOf(fromMs)} ${from} – ${day}${to}`;
}
