/** A step of the machine, as the model's labels have it. `event` with what the lock said in it. */
export interface Step {
  from: string;
  event: string;
  to: string;
  /** The line in agent.pml. */
  line: number;
}

/** What an agent can do: read from the labels of the model. */
export interface Automaton {
  /** The machine's states that a run can begin in. */
  starts: Set<string>;
  steps: Step[];
}

const LABEL = /\/\* @(step|inner|start) (.+?) \*\//;

/**
 * Reads the labels of agent.pml. `states` are the machine's states that states.pml names: `*` in a
 * label stands for them, and `same` for the state before. Throws for a label that is not understood.
 */
export function readLabels(text: string, states: string[]): Automaton {
  const automaton: Automaton = { starts: new Set(), steps: [] };
  for (const [index, row] of text.split('\n').entries()) {
    if (!/\/\* @/.test(row)) continue;
    const [, kind, label] = LABEL.exec(row) ?? [];
    if (label === undefined) throw new Error(`agent.pml:${index + 1}: a label of another form`);
    if (kind === 'start') for (const state of targets(label)) automaton.starts.add(state);
    else automaton.steps.push(...stepsOf(label, index + 1, states));
  }
  return automaton;
}

function stepsOf(label: string, line: number, states: string[]): Step[] {
  const [before = '', after = ''] = label.split(' -> ');
  const [froms = '', events = ''] = before.split(' ');
  const named = froms.split(',').flatMap((from) => {
    if (!from.endsWith('.*')) return [from];
    return states.filter((state) => state.startsWith(from.slice(0, -1)));
  });
  const steps = named.flatMap((from) =>
    events
      .split(',')
      .flatMap((event) =>
        targets(after).map((to) => ({ from, event, to: to === 'same' ? from : to, line })),
      ),
  );
  for (const { from, to } of steps) {
    for (const state of [from, to]) {
      if (!states.includes(state)) throw new Error(`agent.pml:${line}: no state ${state}`);
    }
  }
  return steps;
}

function targets(text: string): string[] {
  return text.split('|').map((state) => state.trim());
}

/** The machine's states that the model's stand for: states.pml. */
export function readStates(text: string): Map<string, string> {
  const states = new Map<string, string>();
  for (const [, model = '', names = ''] of text.matchAll(
    /^ {2}(\w+),? +\/\* @state (.+?) \*\//gm,
  )) {
    for (const name of names.split(' ')) states.set(name, model);
  }
  return states;
}

/** The lines, from 1, of a program's options: each is one step. */
export function optionLines(text: string): number[] {
  const rows = text.split('\n');
  const hidden = hiddenRows(rows);
  return rows.flatMap((row, index) =>
    row.startsWith('  :: d_step {') && !hidden.has(index) ? [index + 1] : [],
  );
}

/** What belongs to a broken variant alone. */
function hiddenRows(rows: string[]): Set<number> {
  const hidden = new Set<number>();
  let isHidden = false;
  for (const [index, row] of rows.entries()) {
    if (/^#if BROKEN ==/.test(row)) isHidden = true;
    else if (/^#(else|endif)/.test(row)) isHidden = false;
    else if (isHidden) hidden.add(index);
  }
  return hidden;
}
