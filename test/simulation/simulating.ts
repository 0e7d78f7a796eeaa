import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const at = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The command as a process of its own; with `variant` of a program that is broken on purpose. */
export async function simulating(
  args: string[],
  variant?: string,
): Promise<{ code: number | null; out: string; err: string }> {
  const hooks = variant === undefined ? [] : ['--import', at('mutate.ts')];
  const child = spawn(process.execPath, [...hooks, at('simulate.ts'), ...args], {
    env: { ...process.env, ...(variant === undefined ? {} : { SIMULATE_VARIANT: variant }) },
  });
  const [out, err] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code: child.exitCode, out, err };
}
