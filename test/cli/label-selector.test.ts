import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLabelSelector } from '../../src/cli/label-selector.ts';
import { missing } from '../cluster/build.ts';
import { startCluster } from '../cluster/cluster.ts';
import { requires } from '../requires.ts';

const LONG = 'a'.repeat(63);
const SELECTORS: [string, boolean][] = [
  ['app=web', true],
  ['app = web , tier!=db', true],
  ['app==web', true],
  ['app=', true],
  ['app', true],
  ['!app', true],
  ['! app', true],
  ['example.com/app=Web_1.2-3', true],
  ['app in (a,b)', true],
  ['app in ( a , b ),tier notin (c)', true],
  ['app in(a)', true],
  ['app in (a,)', true],
  ['app in (,)', true],
  ['cpu>4', true],
  ['cpu < 4', true],
  [`${LONG}=${LONG}`, true],
  ['/=x', false],
  ['/app=x', false],
  ['example.com/=x', false],
  ['Example.com/app=x', false],
  ['a/b/app=x', false],
  ['-app=x', false],
  ['app=-x', false],
  ['app=x y', false],
  ['app in ()', true],
  ['app in (a', false],
  ['app in a', false],
  ['app>web', false],
  ['=web', false],
  [',', false],
  ['app=web,', false],
  [`${LONG}a=x`, false],
  [`app=${LONG}a`, false],
];

for (const [text, isGood] of SELECTORS) {
  test(`the label selector "${text}" is ${isGood ? 'taken' : 'refused'}`, () => {
    assert.equal(isLabelSelector(text), isGood);
  });
}

test(
  'a real API server takes and refuses the same',
  requires('control plane', missing()),
  async () => {
    const cluster = await startCluster();
    try {
      for (const [text, isGood] of SELECTORS) {
        const path = `/api/v1/pods?labelSelector=${encodeURIComponent(text)}`;
        const { status } = await cluster.request(path);
        assert.equal(status, isGood ? 200 : 400, text);
      }
    } finally {
      await cluster.stop();
    }
  },
);
