import { differences, type Leaf } from './differences.ts';
import type { RecordItem } from './history.ts';
import type { Session } from './session.ts';

const SIGN_WORDS = { '+': 'new', '~': 'changed', '-': 'gone', '': '' };

/** What the run knows at the moment, what changed with its event, and the Node's conditions. */
export function Context({ session }: { session: Session }) {
  const { moment } = session;
  if (moment === null) return <p class="empty">No event is selected.</p>;
  const step = session.folder.stepAt(moment);
  if (typeof step === 'string') return <Refused message={step} />;
  const before = session.folder.foldBefore(moment)?.snapshot.context ?? {};
  const leaves = differences(before, step.fold.snapshot.context);
  const changed = leaves.filter(({ sign }) => sign !== '');
  const isBeginning = 'input' in moment.row.record;
  return (
    <div class="pane context">
      <h2>
        Changed by this event{' '}
        <span class="muted">
          {isBeginning ? 'the run begins: everything is new' : changed.length}
        </span>
      </h2>
      {isBeginning ? null : changed.length === 0 ? (
        <p class="muted">Nothing.</p>
      ) : (
        <Leaves leaves={changed} label="Changed by this event" />
      )}
      <Event item={moment} />
      <h2>Conditions of the Node</h2>
      <Conditions session={session} item={moment} />
      <h2>Context</h2>
      <Leaves leaves={leaves} label="Context" />
    </div>
  );
}

export function Refused({ message }: { message: string }) {
  return (
    <div class="pane">
      <p class="refused">The machine does not tell of this moment: {message}</p>
    </div>
  );
}

function Event({ item }: { item: RecordItem }) {
  const { record } = item.row;
  const data = 'event' in record ? record.event : record.input;
  const { type: _, ...rest } = data as { type?: string };
  const leaves = differences(rest, rest);
  return (
    <>
      <h2>{'event' in record ? `What ${record.event.type} carries` : 'Input of the run'}</h2>
      {leaves.length === 0 ? (
        <p class="muted">Nothing.</p>
      ) : (
        <Leaves leaves={leaves} label="Event" />
      )}
    </>
  );
}

function Leaves({ leaves, label }: { leaves: readonly Leaf[]; label: string }) {
  return (
    <table class="leaves" aria-label={label}>
      <tbody>
        {leaves.map(({ path, sign, before, after }) => (
          <tr key={path} class={`leaf-${SIGN_WORDS[sign] || 'same'}`}>
            <td class="sign">
              <span aria-hidden="true">{sign}</span>
              <span class="visually-hidden">{SIGN_WORDS[sign]}</span>
            </td>
            <th scope="row">{path}</th>
            <td>
              {sign === '~' && <del>{before}</del>}
              {sign === '~' && ' '}
              {sign === '-' ? <del>{before}</del> : <span>{after}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Conditions({ session, item }: { session: Session; item: RecordItem }) {
  const conditions = session.verifier.conditionsAt(item);
  if (item.run?.input.daemonSet === '')
    return <p class="muted">None: this run is without Kubernetes.</p>;
  if (conditions === null) return <p class="muted">Being worked out from the whole history…</p>;
  if (conditions.length === 0) {
    return <p class="muted">None written in this history so far.</p>;
  }
  return (
    <div class="scroll-x">
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">type</th>
            <th scope="col">status</th>
            <th scope="col">reason</th>
            <th scope="col">since</th>
            <th scope="col">message</th>
          </tr>
        </thead>
        <tbody>
          {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
            <tr key={type}>
              <th scope="row">{type}</th>
              <td>{status}</td>
              <td>{reason}</td>
              <td>{lastTransitionTime?.toISOString().replace('T', ' ').slice(0, 19)}</td>
              <td class="words">{message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
