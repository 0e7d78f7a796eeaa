import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask } from './ask.ts';
import { serving } from './serving.ts';

/** What a rehearsal was told, in order. */
function told() {
  const words: string[] = [];
  const control = {
    pause: () => void words.push('pause'),
    play: () => void words.push('play'),
    step: () => void words.push('step'),
  };
  return { words, control };
}

const JSON_TYPE = { 'content-type': 'application/json' };

test('the page itself pauses, plays and steps', async () => {
  const { words, control } = told();
  await serving({ control }, async ({ url }) => {
    for (const word of ['pause', 'step', 'play']) {
      const { status, text } = await ask(`${url}control`, {
        method: 'POST',
        headers: { ...JSON_TYPE, origin: url.slice(0, -1) },
        body: JSON.stringify({ do: word }),
      });
      assert.deepEqual([status, text], [204, '']);
    }
    assert.deepEqual(words, ['pause', 'step', 'play']);
  });
});

test('nobody else does, and nothing else is understood', async () => {
  const { words, control } = told();
  await serving({ control }, async ({ url }) => {
    const origin = url.slice(0, -1);
    const { port } = new URL(url);
    const body = '{"do":"pause"}';
    const bad: [number, Record<string, string>, string][] = [
      [403, JSON_TYPE, body],
      [403, { ...JSON_TYPE, origin: 'http://evil.example' }, body],
      [403, { ...JSON_TYPE, origin: 'null' }, body],
      [403, { ...JSON_TYPE, origin: `https://127.0.0.1:${port}` }, body],
      [403, { ...JSON_TYPE, origin: `http://localhost:${port}` }, body],
      [403, { ...JSON_TYPE, origin, host: 'evil.example' }, body],
      [415, { origin }, body],
      [415, { origin, 'content-type': 'text/plain' }, body],
      [415, { origin, 'content-type': 'application/jsonp' }, body],
      [400, { ...JSON_TYPE, origin }, '{"do":"stop"}'],
      [400, { ...JSON_TYPE, origin }, 'null'],
      [400, { ...JSON_TYPE, origin }, '{'],
      [413, { ...JSON_TYPE, origin }, `"${'x'.repeat(2_000)}"`],
    ];
    for (const [expected, headers, text] of bad) {
      const answer = await ask(`${url}control`, { method: 'POST', headers, body: text });
      const what = `${JSON.stringify(headers)} ${text.slice(0, 20)}`;
      assert.deepEqual([answer.status, answer.text.split('\n').length], [expected, 2], what);
    }
    for (const method of ['GET', 'HEAD', 'PUT']) {
      const answer = await ask(`${url}control`, { method });
      assert.deepEqual([answer.status, answer.headers.allow], [405, 'POST']);
    }
    assert.deepEqual(words, []);
  });
});
