import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

/** Who may import whom; what is not named here belongs to the layer of its folder. */
const LAYERS: Record<string, string[]> = {
  machines: [],
  'src/schedule': [],
  'src/diagram': ['machines'],
  'src/journal': ['machines'],
  'src/trace': ['machines', 'src/journal'],
  'src/log': ['machines', 'src/journal', 'src/trace'],
  'src/kube': ['machines'],
  'src/host': ['machines'],
  'src/inspector': ['machines', 'src/journal', 'src/trace', 'src/diagram'],
  'src/inspector/page': [
    'machines',
    'src/journal',
    'src/trace',
    'src/diagram',
    'src/kube',
    'src/inspector',
  ],
  'src/rehearsal': ['machines', 'src/journal', 'src/trace', 'src/kube'],
  'src/service': [
    'machines',
    'src/journal',
    'src/trace',
    'src/log',
    'src/kube',
    'src/host',
    'src/schedule',
  ],
};

const layerOf = (path: string) => (path.startsWith('machines/') ? 'machines' : dirname(path));

function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/(?:from|import) '([^']+)'/g)].map((match) => match[1] ?? '');
}

test('machines/ imports xstate and itself', () => {
  for (const path of globSync('machines/*.ts')) {
    for (const name of importsOf(path)) assert.match(name, /^(xstate|\.\/[a-z]+\.ts)$/, path);
  }
});

test('imports point one way', () => {
  const paths = globSync('{machines,src}/**/*.{ts,tsx}').filter((path) => dirname(path) !== 'src');
  assert.ok(paths.length > 100);
  for (const path of paths) {
    const allowed = LAYERS[layerOf(path)];
    // cli may use everything, and nothing uses cli.
    if (layerOf(path) === 'src/cli') continue;
    assert.ok(allowed, `${path} is in a folder that no layer is named for`);
    for (const name of importsOf(path)) {
      if (!name.startsWith('.')) continue;
      const target = layerOf(normalize(join(dirname(path), name)));
      const isOwn = target === layerOf(path) || target === 'src';
      assert.ok(isOwn || allowed.includes(target), `${path} imports ${name}`);
    }
  }
});
