import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StateValue } from 'xstate';
import { stateName } from '../../machines/fold.ts';
import { runMachine } from '../../machines/run.ts';
import { arrowPath } from '../../src/diagram/arrows.ts';
import { layOut } from '../../src/diagram/lay-out.ts';
import { type Box, readLayout } from '../../src/diagram/layout.ts';
import { machineModel } from '../../src/diagram/model.ts';
import { svg } from '../../src/diagram/svg.ts';

const model = machineModel();
const layout = readLayout();
const boxOf = (id: string): Box => layout.boxes.find((box) => box.id === id) ?? assert.fail(id);

test('the layout is that of the machine that runs (npm run diagram makes it)', async () => {
  assert.deepEqual(layout, JSON.parse(JSON.stringify(await layOut(model))));
});

test('each state is named as journals name it, within the one around it', () => {
  for (const { id, parent } of model.states) {
    assert.doesNotThrow(() =>
      runMachine.resolveState({ value: stateValue(id), context: {} as never }),
    );
    if (parent === '') continue;
    const [inner, outer] = [boxOf(id), boxOf(parent)];
    assert.ok(inner.x > outer.x && inner.y > outer.y, id);
    assert.ok(inner.x + inner.width < outer.x + outer.width, id);
    assert.ok(inner.y + inner.height < outer.y + outer.height, id);
  }
  assert.equal(stateName(stateValue('locked.draining.evicting')), 'locked.draining.evicting');
});

function stateValue(id: string): StateValue {
  const [first = '', ...rest] = id.split('.');
  return rest.length === 0 ? first : { [first]: stateValue(rest.join('.')) };
}

test('no two states beside each other overlap, and all of it fits a window', () => {
  for (const one of model.states) {
    for (const other of model.states) {
      if (one.id >= other.id || one.parent !== other.parent) continue;
      const [a, b] = [boxOf(one.id), boxOf(other.id)];
      const isApart =
        a.x + a.width < b.x || b.x + b.width < a.x || a.y + a.height < b.y || b.y + b.height < a.y;
      assert.ok(isApart, `${one.id} and ${other.id}`);
    }
  }
  assert.ok(layout.width <= 1_280 && layout.height <= 800, `${layout.width} x ${layout.height}`);
});

test('the picture shows every state and every transition, with their events', () => {
  const picture = svg(model, layout);
  assert.equal(picture.match(/<rect /g)?.length, model.states.length);
  assert.equal(picture.match(/<path class="arrow/g)?.length, model.transitions.length);
  assert.match(
    picture,
    /<title>locked\.rebooting\.waiting -&gt; locked\.undoing: reboot\.expired</,
  );
  assert.doesNotMatch(picture, /NaN|undefined/);
});

test('an arrow along a row goes over the boxes in between, not behind them', () => {
  const box = (id: string, x: number) => ({ id, x, y: 100, width: 50, height: 30 });
  const ys = (path: string) => [...path.matchAll(/[\d.]+ ([\d.]+)/g)].map(([, y]) => Number(y));
  const far = ys(arrowPath(box('ended', 0), box('failed', 250)));
  assert.equal(far.length, 4);
  assert.ok(Math.min(...far) < 90 && far[0] === 100 && far[3] === 100, String(far));
  const near = ys(arrowPath(box('ended', 0), box('done', 80)));
  assert.deepEqual([...new Set(near)], [115]);
});
