import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { machineModel } from '../../src/diagram/model.ts';
import { agentAutomaton } from './conform.ts';
import { readStates } from './labels.ts';

const { states, transitions } = machineModel();
const byId = new Map(states.map((state) => [state.id, state]));
const labels = agentAutomaton();

/** What is no part of the lock protocol, or of this model. */
const NOT_MODELLED: [RegExp, string][] = [
  [/^acquiring\.(watch\.)?update lock\.updated -> acquiring\.conflict$/, 'a server that alters it'],
  [/ -> locked\.rebooting\.marking$/, 'native: no lock is read'],
  [/^locked\.rebooted\.clearing reboot\.cleared -> locked\.upgrading$/, 'native'],
  [/ -> done$/, 'without a lock'],
  [/^locked\..* -> failed$/, 'without a lock'],
  [/^interrupted run\.resumed -> (failed|locked\.upgrading)$/, 'without a lock'],
  [/^acquiring\.watch\.held \S+ -> releasing\.get$/, 'another node holds the lock that it saw'],
  [
    /^acquiring\.watch\.update lock\.watch\.ended -> acquiring\.get$/,
    'it goes on without the watch',
  ],
  [/ lock\.read -> releasing\.get$/, 'the lock was lost'],
  [/^locked\.(rebooted|undoing)\.clearing \S+ -> locked\.(rebooted|undoing)\./, 'unmarked before'],
  [/^locked\.uncordoning\.patching \S+ -> locked\./, 'a mark is cleared before it'],
];

/** The events that a state itself answers; those without a name are taken at once. */
const own = (id: string) => transitions.filter(({ from }) => from === id);
const isRest = (id: string) =>
  byId.get(id)?.kind !== 'compound' &&
  (own(id).length === 0 || own(id).some(({ events }) => events.some((event) => event !== '')));

/** The states that a transition to `id` comes to rest in. */
function rests(id: string): string[] {
  const state = byId.get(id);
  if (state?.kind === 'compound') return rests(state.initial);
  const onward = own(id).filter(({ events }) => events.includes(''));
  return [...(isRest(id) ? [id] : []), ...onward.flatMap(({ to }) => rests(to))];
}

/** A state and those around it, from the inside. */
function around(id: string): string[] {
  const parent = byId.get(id)?.parent ?? '';
  return parent === '' ? [id] : [id, ...around(parent)];
}

/** Of each event the innermost state that answers it does. */
function machineSteps(): Set<string> {
  const steps = new Set<string>();
  for (const leaf of states.map(({ id }) => id).filter(isRest)) {
    const answered = new Set<string>(['']);
    for (const state of around(leaf)) {
      const arrows = own(state);
      for (const { to, events } of arrows) {
        for (const event of events.filter((name) => !answered.has(name))) {
          for (const rest of rests(to)) steps.add(`${leaf} ${event} -> ${rest}`);
        }
      }
      for (const event of arrows.flatMap(({ events }) => events)) answered.add(event);
    }
  }
  return steps;
}

const modelled = new Set(
  labels.steps.map(({ from, event, to }) => `${from} ${event.split(':')[0]} -> ${to}`),
);

test('the model has every state of the machine in which a run rests', () => {
  const text = readFileSync(join(import.meta.dirname, 'states.pml'), 'utf8');
  const restful = states.filter(({ id }) => isRest(id));
  assert.deepEqual([...readStates(text).keys()].sort(), restful.map(({ id }) => id).sort());
});

test('each step of the machine is one of the model, or named as none', () => {
  const unknown = [...machineSteps()].filter(
    (step) => !modelled.has(step) && !NOT_MODELLED.some(([pattern]) => pattern.test(step)),
  );
  assert.deepEqual(unknown, []);
});

test('each step of the model is one of the machine', () => {
  const machine = machineSteps();
  const made = labels.steps.filter(({ from, event, to }) => {
    const isInner = from === to || event === 'run.interrupted' || event === 'window.closed';
    return !isInner && !machine.has(`${from} ${event.split(':')[0]} -> ${to}`);
  });
  assert.deepEqual(made, []);
});
