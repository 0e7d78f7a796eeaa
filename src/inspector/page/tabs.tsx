/** One of several views; the arrow keys go from one to the next. */
export function Tabs<Name extends string>({
  names,
  selected,
  onSelect,
}: {
  names: readonly Name[];
  selected: Name;
  onSelect: (name: Name) => void;
}) {
  const onKeyDown = (event: KeyboardEvent) => {
    const at = names.indexOf(selected);
    const to = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      Home: 0,
      End: names.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const name = names.at(to % names.length) as Name;
    onSelect(name);
    document.getElementById(`tab-${name}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Views" onKeyDown={onKeyDown}>
      {names.map((name) => (
        <button
          key={name}
          id={`tab-${name}`}
          type="button"
          role="tab"
          aria-selected={name === selected}
          aria-controls="panel"
          tabIndex={name === selected ? 0 : -1}
          onClick={({ currentTarget, detail }) => {
            onSelect(name);
            // After the mouse the arrow keys step through the events again.
            if (detail > 0) currentTarget.blur();
          }}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
