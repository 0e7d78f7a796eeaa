import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '../../machines/events.ts';
import { verdict } from '../../machines/lock.ts';
import type { JournalRecord } from '../../src/journal/record.ts';
import { type Automaton, readLabels, readStates } from './labels.ts';

/** The first record, from 1, that the model has no step for. */
export interface Refusal {
  record: number;
  why: string;
}

/** What an agent of the model can do. */
export function agentAutomaton(): Automaton {
  const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
  return readLabels(read('agent.pml'), [...readStates(read('states.pml')).keys()]);
}

/**
 * Holds a node's journal to the model's agent: each record has to be one of its steps, from the
 * state before to the one that it says. null: it is. Runs without Kubernetes have no lock and are
 * passed over.
 */
export function conform(records: JournalRecord[], { starts, steps }: Automaton): Refusal | null {
  let state = '';
  let node = '';
  for (const [index, record] of records.entries()) {
    const refused = (why: string) => ({ record: index + 1, why });
    if ('input' in record) {
      node = record.input.daemonSet === '' ? '' : record.input.node;
      if (node !== '' && !starts.has(record.state)) {
        return refused(`no run of the model begins in ${record.state}`);
      }
    } else if (node !== '') {
      const [from, to] = [state, record.state];
      const names = namesOf(record.event, node);
      const step = steps.find(
        (one) => one.from === from && one.to === to && names.includes(one.event),
      );
      if (!step) return refused(`no step of the model: ${from} ${names[0]} -> ${to}`);
    }
    state = record.state;
  }
  return null;
}

/** An event as the labels name it. */
function namesOf(event: RunEvent, node: string): string[] {
  if (event.type === 'api.failed') return ['api.failed', 'api.failed:refused'];
  if (!('lock' in event)) return [event.type];
  const said = { free: 'free', acquired: 'mine', locked: 'others' };
  return [`${event.type}:${said[verdict(event.lock.value, node)]}`];
}

/**
 * Holds what all nodes of a lock have seen of it to the model's object: a version has one value,
 * and from one node's it never goes to another's without having been free. '': it is so.
 */
export function conformLock(journals: JournalRecord[][]): string {
  const values = new Map<string, string>();
  for (const record of journals.flat()) {
    if (!('event' in record) || !('lock' in record.event)) continue;
    const { resourceVersion, value } = record.event.lock;
    const known = values.get(resourceVersion) ?? value;
    if (known !== value) return `version ${resourceVersion} is ${known} and ${value}`;
    values.set(resourceVersion, value);
  }
  const order = [...values].sort(([one], [other]) => Number(BigInt(one) - BigInt(other)));
  let before = '';
  for (const [version, value] of order) {
    if (before !== '' && value !== '' && before !== value) {
      return `version ${version} is ${value}, taken from ${before}`;
    }
    before = value;
  }
  return '';
}
