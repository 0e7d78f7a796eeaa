import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyStateNode } from 'xstate';
import { runMachine } from '../../../machines/run.ts';
import { guardName } from '../../../src/inspector/page/guards.ts';

/** Each guard of the machine with the state and the event that it is asked in. */
function guards(node: AnyStateNode): { where: string; target: string; text: string }[] {
  const { path, transitions, always = [], states } = node;
  const own = [...[...transitions.values()].flat(), ...always].filter(({ guard }) => guard);
  return [
    ...own.map(({ eventType, target, guard }) => ({
      where: `${path.join('.')} ${eventType}`,
      target: target?.[0]?.path.join('.') ?? '',
      text: guardName(guard),
    })),
    ...Object.values(states).flatMap(guards),
  ];
}

const all = guards(runMachine.root as AnyStateNode);

/** What an expression may name: what guards are given, functions that say what they ask, words. */
const BOUND = /^(context|event|and|or|not|null|undefined|true|false|is[A-Z]\w*)$/;

test('every guard of the machine is readable, without a variable of another place', () => {
  assert.ok(all.length > 30, `${all.length}`);
  for (const { where, text } of all) {
    assert.ok(text.length > 2 && text.length < 60, `${where}: ${text}`);
    assert.doesNotMatch(text, /=>|function|\[object/, where);
    // A name, or some of them.
    const isWords = text.split(/ (?:and|or) /).every((one) => /^(not )?[a-zA-Z]+$/.test(one));
    if (isWords || /^resumed at [a-z]+$/.test(text)) continue;
    const names = text.replaceAll(/\?*\.\w+|'[^']*'/g, '').match(/[a-zA-Z]\w*/g) ?? [];
    assert.deepEqual(
      names.filter((name) => !BOUND.test(name)),
      [],
      `${where}: ${text}`,
    );
  }
});

test('each way to go on with a run says where that run was', () => {
  const resumed = all.filter(({ where }) => where === 'interrupted run.resumed');
  const points = resumed.filter(({ text }) => text.startsWith('resumed at '));
  assert.deepEqual(
    points.map(({ text, target }) => [text.slice(11), target]),
    [
      ['proving', 'locked.rebooting.waiting'],
      ['acquiring', 'acquiring'],
      ['releasing', 'releasing'],
      ['reporting', 'locked.reporting'],
      ['draining', 'locked.draining'],
      ['rebooting', 'locked.rebooting'],
      ['rebooted', 'locked.rebooted'],
      ['undoing', 'locked.undoing'],
      ['uncordoning', 'locked.uncordoning'],
    ],
  );
});
