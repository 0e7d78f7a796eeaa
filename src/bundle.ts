import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

/**
 * `npm run bundle`: the program as the image has it, in dist/. What a waiting agent does without is
 * in files of its own, which are loaded when they are asked for.
 */
const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** Of undici what this program calls: whole, it loads mocks, caches and web sockets too. */
const UNDICI = {
  Agent: 'dispatcher/agent.js',
  fetch: 'web/fetch/index.js#fetch',
  Response: 'web/fetch/response.js#Response',
};
/** The client library, which reads kubeconfigs outside of a pod, knows proxies too. */
const WITH_PROXIES = { ...UNDICI, ProxyAgent: 'dispatcher/proxy-agent.js' };

/** What stands in for a module; nothing of the real one is ever called. */
const STAND_INS: Record<string, string> = {
  undici: reexports(UNDICI),
  'undici-with-proxies': reexports(WITH_PROXIES),
  // D-Bus's library parses XML to introspect objects; here calls are made by name.
  'fast-xml-parser': 'export class XMLParser {}',
  'fast-xml-builder': 'export default class {}',
  // pino's ways to files and threads; here it writes to a stream.
  'sonic-boom': 'module.exports = class {}',
  'thread-stream': 'module.exports = class {}',
};

function reexports(names: Record<string, string>): string {
  return Object.entries(names)
    .map(([name, target]) => {
      const [file, property = 'default'] = target.split('#');
      return `export { ${property} as ${name} } from 'undici/lib/${file}';`;
    })
    .join('\n');
}

const lean: Plugin = {
  name: 'lean',
  setup({ onResolve, onLoad }) {
    const standIn = (path: string) => ({ path, namespace: 'stand-in', sideEffects: false });
    onResolve({ filter: /^undici$/ }, ({ importer }) =>
      standIn(importer.includes('/node_modules/') ? 'undici-with-proxies' : 'undici'),
    );
    onResolve(
      { filter: /^(fast-xml-parser|fast-xml-builder|sonic-boom|thread-stream)$/ },
      (asked) => standIn(asked.path),
    );
    // Its modules, so that what is not used of them can be left out.
    onResolve({ filter: /^rxjs$/ }, () => ({
      path: `${ROOT}node_modules/rxjs/dist/esm/index.js`,
      sideEffects: false,
    }));
    // An import of a built-in module asks it for all that it has, which loads what is never used.
    onResolve({ filter: /^node:(crypto|http|https)$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'built-in' } : null,
    );
    onLoad({ filter: /.*/, namespace: 'built-in' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
    onLoad({ filter: /.*/, namespace: 'stand-in' }, ({ path }) => ({
      contents: STAND_INS[path] ?? '',
      resolveDir: ROOT,
    }));
  },
};

/** Writes host-upgrades.js and its chunks into `folder`; resolves with their sizes, bytes by name. */
export async function bundle(
  folder: string,
  plugins: Plugin[] = [],
): Promise<Record<string, number>> {
  const { metafile } = await build({
    entryPoints: { 'host-upgrades': `${ROOT}src/main.ts` },
    outdir: folder,
    bundle: true,
    splitting: true,
    // The text of all that is loaded stays in memory.
    minify: true,
    metafile: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    plugins: [...plugins, lean],
    logLevel: 'warning',
  });
  return Object.fromEntries(
    Object.entries(metafile.outputs).map(([path, { bytes }]) => [
      path.slice(path.lastIndexOf('/') + 1),
      bytes,
    ]),
  );
}

if (import.meta.main) {
  for (const [name, bytes] of Object.entries(await bundle(`${ROOT}dist`))) {
    process.stdout.write(`dist/${name}: ${(bytes / 1_000).toFixed(0)} kB\n`);
  }
}
