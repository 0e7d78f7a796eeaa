import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { mermaid } from '../../src/diagram/mermaid.ts';

test('the diagram in the README is the machine that runs (host-upgrades diagram prints it)', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  assert.equal(/```mermaid\n([^`]*)```/.exec(readme)?.[1], mermaid());
});
