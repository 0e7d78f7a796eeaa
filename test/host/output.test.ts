import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import { followFile, MAX_LINE_CHARS, MAX_LINES, readOutput } from '../../src/host/output.ts';

const folder = mkdtempSync(join(tmpdir(), 'output-'));
const path = join(folder, 'out');
after(() => rmSync(folder, { recursive: true }));
beforeEach(() => rmSync(path, { force: true }));

describe('following an output', () => {
  test('whole lines as they come, the last one at the end', () => {
    const file = followFile(path);
    assert.deepEqual(file.read(false), []);
    writeFileSync(path, 'one\ntw');
    assert.deepEqual(file.read(false), ['one']);
    appendFileSync(path, 'o\n\nthree');
    assert.deepEqual(file.read(false), ['two']);
    assert.deepEqual(file.read(true), ['three']);
    assert.deepEqual(file.read(true), []);
  });

  test('a progress bar is its last state, wherever it is cut', () => {
    const file = followFile(path);
    const given: string[] = [];
    for (const part of ['(Reading ', '\r(Reading 5%', '\r', '(Reading 100%\r', '\ndone\r\n']) {
      appendFileSync(path, part);
      given.push(...file.read(false));
    }
    assert.deepEqual(given, ['(Reading 100%', 'done']);
  });

  test('characters cut in two are put together, bad bytes replaced', () => {
    const file = followFile(path);
    const bytes = Buffer.from('größer\n');
    writeFileSync(path, bytes.subarray(0, 3));
    assert.deepEqual(file.read(false), []);
    appendFileSync(path, bytes.subarray(3));
    appendFileSync(path, Buffer.from([0x61, 0xff, 0x62, 0x0a]));
    assert.deepEqual(file.read(false), ['größer', 'a\uFFFDb']);
  });

  test('what only a terminal understands is left out', () => {
    writeFileSync(path, '\u001b[1;31mred\u001b[0m\ttab\u0000\u0007\n');
    assert.deepEqual(followFile(path).read(false), ['red\ttab']);
  });

  test('no more lines than people read, and a word that there are', () => {
    const file = followFile(path);
    writeFileSync(path, 'line\n'.repeat(MAX_LINES + 1));
    const lines = file.read(false);
    assert.equal(lines.length, MAX_LINES + 1);
    assert.equal(lines.at(-1), `(more output in ${path})`);
    appendFileSync(path, 'line\n');
    assert.deepEqual(file.read(true), []);
  });

  test('exactly as many lines are all of them', () => {
    writeFileSync(path, 'line\n'.repeat(MAX_LINES));
    assert.deepEqual(followFile(path).read(true), new Array(MAX_LINES).fill('line'));
  });

  test('100 MB on one line', () => {
    writeFileSync(path, 'begin');
    truncateSync(path, 100_000_000);
    appendFileSync(path, 'x\nnext\n');
    const lines = followFile(path).read(true);
    assert.equal(lines.length, 2);
    assert.match(lines[0] ?? '', /^begin/);
    assert.equal(lines[1], 'next');
  });

  test('a long line is cut', () => {
    writeFileSync(path, `${'x'.repeat(MAX_LINE_CHARS * 3)}\n`);
    assert.deepEqual(followFile(path).read(false), [`${'x'.repeat(MAX_LINE_CHARS)}…`]);
  });
});

describe('reading an output', () => {
  test('a file that is not there is empty', () => assert.equal(readOutput(path), ''));

  test('bytes that are no UTF-8', () => {
    writeFileSync(path, Buffer.from([0x61, 0xff, 0x0a]));
    assert.equal(readOutput(path), 'a\uFFFD\n');
  });

  test('of 100 MB the beginning and the end', () => {
    writeFileSync(path, 'Package a has conffile prompt\n');
    truncateSync(path, 100_000_000);
    appendFileSync(path, '\nthe end\n');
    const text = readOutput(path);
    assert.ok(text.length < 1_100_000);
    assert.match(text, /^Package a has conffile prompt\n/);
    assert.match(text, /\n\(\d+ bytes left out\)\n/);
    assert.match(text, /\nthe end\n$/);
  });
});
