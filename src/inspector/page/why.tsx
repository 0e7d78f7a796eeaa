import type { RunEvent } from '../../../machines/events.ts';
import { Refused } from './context.tsx';
import type { Due } from './due.ts';
import type { RecordItem } from './history.ts';
import { originOf } from './origin.ts';
import { Dotted, OriginMark } from './parts.tsx';
import { type Candidate, type Possibility, possibilities } from './possible.ts';
import type { Session } from './session.ts';
import { distance, timeOfDay } from './words.ts';

const VERDICTS = { holds: '✓ holds', fails: '✕ fails', depends: '? by the event' };
const OUTCOMES = { taken: 'would be taken', maybe: 'may be taken', not: 'would not be taken' };
const CAME = { taken: '✓ taken', maybe: 'may be taken', not: 'not taken' };

/** Which events could come at the moment, and which way each would lead. */
export function Why({ session }: { session: Session }) {
  const { moment } = session;
  if (moment === null) return <p class="empty">No event is selected.</p>;
  const step = session.folder.stepAt(moment);
  if (typeof step === 'string') return <Refused message={step} />;
  const next = nextOf(moment);
  const possible = possibilities(step.fold, next);
  return (
    <div class="pane why">
      <p>
        In <Dotted name={step.to} />
        {possible.length === 0
          ? ' the run has ended: no event is possible.'
          : ', these events are possible. The first way whose guard holds is taken; every other event is refused.'}
        {next && (
          <>
            {' '}
            What came is <b>{next.type}</b>: its guards are answered for that event.
          </>
        )}
      </p>
      {possible.length > 0 && (
        <div class="scroll-x">
          <table class="grid">
            <thead>
              <tr>
                <th scope="col">event</th>
                <th scope="col">guard</th>
                <th scope="col">result</th>
                <th scope="col">leads to</th>
              </tr>
            </thead>
            {possible.map((one) => (
              <PossibleRows
                key={`${one.owner} ${one.type}`}
                one={one}
                nowMs={moment.atMs}
                isNext={one.type === next?.type}
                isExcerpt={step.fold.isExcerpt}
              />
            ))}
          </table>
        </div>
      )}
    </div>
  );
}

/** The event that came behind a moment in the same run. */
function nextOf({ stream, position, run }: RecordItem): RunEvent | null {
  const next = stream.items[position + 1];
  if (!next || next.run !== run || !('event' in next.row.record)) return null;
  return next.row.record.event;
}

function PossibleRows({
  one: { type, owner, candidates, due },
  nowMs,
  isNext,
  isExcerpt,
}: {
  one: Possibility;
  nowMs: number;
  isNext: boolean;
  isExcerpt: boolean;
}) {
  return (
    <tbody class={isNext ? 'next' : ''}>
      {candidates.map((candidate, index) => (
        <tr key={`${candidate.guard} ${candidate.target}`} class={`outcome-${candidate.outcome}`}>
          {index === 0 && (
            <th scope="rowgroup" rowSpan={candidates.length}>
              <b>{type}</b>
              {isNext && <span class="came">came next</span>}
              <span class="about">
                <OriginMark origin={originOf(type)} /> in {owner || 'the run'}
              </span>
              <DueWords type={type} due={due} nowMs={nowMs} isExcerpt={isExcerpt} />
            </th>
          )}
          <CandidateCells candidate={candidate} words={isNext ? CAME : OUTCOMES} />
        </tr>
      ))}
    </tbody>
  );
}

function DueWords({
  type,
  due,
  nowMs,
  isExcerpt,
}: {
  type: string;
  due: Due | null;
  nowMs: number;
  isExcerpt: boolean;
}) {
  if (due) {
    const when = `${timeOfDay(due.atMs)}, ${distance(due.atMs - nowMs)}`;
    return <span class="about due">{`due ${when}: ${due.why}`}</span>;
  }
  if (originOf(type) !== 'timer') return null;
  const why = isExcerpt
    ? 'when is not known: the run began ahead of this history'
    : 'no timer is set for it';
  return <span class="about">{why}</span>;
}

function CandidateCells({
  candidate: { guard, verdict, target, outcome },
  words,
}: {
  candidate: Candidate;
  words: Record<Candidate['outcome'], string>;
}) {
  return (
    <>
      <td>{guard === '' ? <span class="muted">always</span> : <code>{guard}</code>}</td>
      <td class={`verdict-${verdict}`}>{guard === '' ? '✓' : VERDICTS[verdict]}</td>
      <td>
        {target === '' ? <span class="muted">stays</span> : <Dotted name={target} />}{' '}
        <span class={`outcome outcome-${outcome}`}>{words[outcome]}</span>
      </td>
    </>
  );
}
