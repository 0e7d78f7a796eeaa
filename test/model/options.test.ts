import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { agentAutomaton } from './conform.ts';
import { optionLines, readStates } from './labels.ts';

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
const agent = read('agent.pml');
const rows = agent.split('\n');
const stateOf = readStates(read('states.pml'));
const defines = new Map(
  [...agent.replaceAll('\\\n', '').matchAll(/^#define (\w+) (.+)$/gm)].map(
    ([, name = '', body = '']): [string, string] => [name, body],
  ),
);
/** Where the helpers of an option lead, beside those that name their state. */
const LEADS: Record<string, string[]> = {
  enterReady: ['READY'],
  enterReleasing: ['RELEASING'],
  enterUpgrading: ['UPGRADING'],
  finish: ['IDLE'],
  interrupt: ['DOWN'],
  losePower: ['DOWN'],
  leave: ['REBOOTED', 'UNDOING', 'UNCORDONING', 'RELEASING', 'IDLE'],
  loseLock: ['REBOOTED', 'UNDOING', 'UNCORDONING', 'IDLE'],
};

/** A guard with the names of groups of states spelled out. */
function expanded(guard: string): string {
  let text = guard;
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replace(/\b\w+\b/g, (name) => defines.get(name) ?? name);
  }
  return text;
}

function ledTo(body: string): Set<string> {
  const named = body.matchAll(/(?:(?:enterLocked|settle|resume|enterUpdate)\(|st\[me\] = )(\w+)/g);
  const helpers = Object.entries(LEADS).filter(([name]) => body.includes(`${name}(`));
  return new Set([...[...named].map(([, name = '']) => name), ...helpers.flatMap(([, to]) => to)]);
}

/** The options with their guards, bodies and the lines that are theirs. */
const options = optionLines(agent).map((first, index, all) => {
  const next = all[index + 1] ?? rows.length;
  const [guard = '', ...body] = rows
    .slice(first - 1, next - 1)
    .join('\n')
    .split(' ->');
  return { first, next, guard: expanded(guard), body: body.join(' ->') };
});

test('what a label says is what its option does', () => {
  const moves = agentAutomaton().steps.filter(
    ({ from, to }) => stateOf.get(from) !== stateOf.get(to),
  );
  assert.ok(moves.length > 150, `${moves.length} steps`);
  const wrong = moves.filter(({ from, to, line }) => {
    const option = options.find(({ first, next }) => line >= first && line < next);
    if (!option) return true;
    const isFrom = option.guard.includes(`at(${stateOf.get(from)})`);
    return !isFrom || !ledTo(option.body).has(stateOf.get(to) ?? '');
  });
  assert.deepEqual(wrong, []);
});
