import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { historyOf } from '../../../src/inspector/history.ts';
import { mergeRows } from '../../../src/inspector/merge.ts';
import type { Row } from '../../../src/inspector/rows.ts';

const main = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

/** The rows of a rehearsed rollout over four nodes, with drains and reboots; the same each time. */
export function fleetRows(): Row[] {
  const folder = mkdtempSync(`${tmpdir()}/host-upgrades-fleet-`);
  try {
    const flags = ['--nodes=4', '--seed=3', '--speed=max', '--reboot', '--drain'];
    execFileSync(process.execPath, [main, 'rehearse', ...flags, `--journal-dir=${folder}`]);
    const files = readdirSync(folder).sort();
    const histories = files.map((name, file) =>
      historyOf(name, readFileSync(`${folder}/${name}`, 'utf8'), file),
    );
    return mergeRows(histories.map(({ rows }) => rows));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
