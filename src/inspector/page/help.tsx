const KEYS: [string, string][] = [
  ['← →', 'one event back, one on'],
  ['Home End', 'first event, last event'],
  ['Space', 'play through the history, stop'],
  ['↑ ↓ PgUp PgDn', 'in the list of events'],
  ['/', 'filter'],
  ['f', 'follow the newest event'],
  ['+ − 0 r', 'time: zoom in, zoom out, all of it, this run'],
  ['m', 'statechart in the whole window'],
  ['← → ↑ ↓ + − 0', 'on the statechart: move, zoom, fit'],
  ['?', 'this help'],
  ['Esc', 'close, or leave the filter'],
];

export function Help() {
  return (
    <>
      <h2>Keys</h2>
      <dl class="keys">
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <h2>Marks</h2>
      <p>
        In the statechart, active states are filled and have a dot; visited ones show the time that
        the run has spent in them. The arrow that was just taken is thick. A thick border: the
        state's effect starts once its record is on the disk. Dashed: the run ends.
      </p>
      <p>
        Over time, torn edges are a break: nothing happened there for as long as it says, and it is
        left out unless <i>Cut gaps</i> is off. All else is to one scale. Ctrl and the wheel zoom, a
        drag moves.
      </p>
      <p>
        What is shown is folded with the program's own machine from the records; nothing leaves this
        machine.
      </p>
    </>
  );
}
