import { useMemo } from 'preact/hooks';
import { isEverything } from './filter.ts';
import { labelOf } from './history.ts';
import type { Session } from './session.ts';

/** Narrows the timeline down. */
export function FilterBar({ session }: { session: Session }) {
  const { filter, history, shownCount } = session;
  const count = history.items.length;
  const types = useTypes(session);
  return (
    <search class="filter-bar">
      <input
        id="filter"
        type="search"
        placeholder="Filter ( / )"
        aria-label="Filter by text in a line, an event or a state"
        value={filter.text}
        onInput={({ currentTarget }) => session.narrow({ text: currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          session.narrow({ text: '' });
          event.currentTarget.blur();
        }}
      />
      <select
        aria-label="Event type"
        value={filter.type}
        onChange={({ currentTarget }) => session.narrow({ type: currentTarget.value })}
      >
        <option value="">all events</option>
        {types.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </select>
      {history.nodes.length > 1 && (
        <select
          aria-label="Node"
          value={filter.node}
          onChange={({ currentTarget }) => session.narrow({ node: currentTarget.value })}
        >
          <option value="">all nodes</option>
          {history.nodes.map((node) => (
            <option key={node}>{node}</option>
          ))}
        </select>
      )}
      <span class="count" role="status">
        {isEverything(filter)
          ? count.toLocaleString('en')
          : `${shownCount.toLocaleString('en')} of ${count.toLocaleString('en')}`}
      </span>
    </search>
  );
}

/** The types that occur, collected as rows come. */
function useTypes({ history }: Session): string[] {
  const known = useMemo(() => ({ types: new Set<string>(), next: 0 }), [history]);
  for (; known.next < history.items.length; known.next += 1) {
    const item = history.items[known.next];
    if (item) known.types.add(labelOf(item));
  }
  return [...known.types].sort();
}
