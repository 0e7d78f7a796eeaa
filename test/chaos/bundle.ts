import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { bundle } from '../../src/bundle.ts';
import { replaceOnce, VARIANTS } from '../simulation/variants.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Names the folder of the pod's service account, which a real pod has at a fixed place. */
export const SERVICE_ACCOUNT_VARIABLE = 'CHAOS_SERVICE_ACCOUNT';

/** What the image starts Node with. Throws where its Dockerfile has no such line. */
export function nodeFlags(): string[] {
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const [, words] = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile) ?? [];
  if (words === undefined) throw new Error('the Dockerfile has no ENTRYPOINT in one line');
  return (JSON.parse(words) as string[]).slice(1, -1);
}

interface Edit {
  file: string;
  find: string;
  replace: string;
}

/** What an agent under chaos differs in from the program: where its credentials are, and its host. */
const EDITS: Edit[] = [
  {
    file: 'src/kube/config.ts',
    find: "'/var/run/secrets/kubernetes.io/serviceaccount'",
    replace: `process.env.${SERVICE_ACCOUNT_VARIABLE}`,
  },
  {
    file: 'src/service/start.ts',
    find: "'../host/host.ts'",
    replace: JSON.stringify(join(ROOT, 'test/chaos/host-client.ts')),
  },
];

/**
 * Writes the program as one file into `folder`, as the image has it, and returns its path.
 * `variant`: broken on purpose as test/simulation/variants.ts says. Throws where a text that is to
 * be changed is not there exactly once.
 */
export async function bundleAgent(folder: string, variant: string | null = null): Promise<string> {
  const edits = variant === null ? EDITS : [...EDITS, variantOf(variant)];
  const missing = new Set(edits);
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  await bundle(join(folder, 'dist'), [editing(edits, missing)]);
  const [left] = missing;
  if (left) throw new Error(`${left.file} is not part of the program`);
  return join(folder, 'dist', 'host-upgrades.js');
}

function variantOf(name: string): Edit {
  const variant = VARIANTS[name];
  if (variant === undefined) throw new Error(`no variant ${name}`);
  return variant;
}

function editing(edits: readonly Edit[], missing: Set<Edit>): Plugin {
  return {
    name: 'edits',
    setup({ onLoad }) {
      onLoad({ filter: /\/(src|machines)\/.*\.ts$/ }, ({ path }) => {
        const own = edits.filter(({ file }) => path === join(ROOT, file));
        let contents = readFileSync(path, 'utf8');
        for (const edit of own) {
          const edited = replaceOnce(contents, edit);
          if (edited === null) throw new Error(`${edit.file} does not have ${edit.find} once`);
          contents = edited;
          missing.delete(edit);
        }
        return { contents, loader: 'ts' };
      });
    },
  };
}
