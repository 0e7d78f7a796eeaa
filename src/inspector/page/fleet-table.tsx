import type { RecordItem, Stream } from './history.ts';
import type { Hold } from './lock-band.ts';
import { Dotted } from './parts.tsx';
import type { Session } from './session.ts';
import { waitingWords } from './waiting.ts';

/** Where each node is at the moment. */
export function FleetTable({ session, holds }: { session: Session; holds: readonly Hold[] }) {
  const { item } = session;
  if (item === null) return null;
  return (
    <div class="scroll-x">
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">node</th>
            <th scope="col">state at this moment</th>
            <th scope="col">the lock</th>
          </tr>
        </thead>
        <tbody>
          {[...session.history.streams.values()].map((stream) => {
            const record = recordAt(stream, item.index);
            return (
              <tr key={stream.key} class={stream === item.stream ? 'next' : ''}>
                <th scope="row">
                  {record ? (
                    <button type="button" class="link" onClick={() => session.select(record.index)}>
                      {stream.node}
                    </button>
                  ) : (
                    stream.node
                  )}
                </th>
                <td>{record ? <Dotted name={record.row.record.state} /> : 'nothing yet'}</td>
                <td>{record ? waitingWords(record, holds) : ''}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** The last record of a stream at or ahead of a place on the common axis. */
function recordAt({ items }: Stream, index: number): RecordItem | null {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle] as RecordItem).index <= index) low = middle + 1;
    else high = middle;
  }
  return items[low - 1] ?? null;
}
