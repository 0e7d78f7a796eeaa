import { bold, paint } from '../rehearsal/colour.ts';
import { clockTime } from '../rehearsal/ledger.ts';
import type { Outcome } from '../rehearsal/outcome.ts';
import { table, totals } from '../rehearsal/table.ts';
import type { Out } from './main.ts';
import type { RehearseFlags } from './rehearse-flags.ts';

/** Where a rehearsal's lines go, as they happen; times are ms since the epoch. */
export interface Printer {
  begin(): void;
  onText(node: string, text: string, atMs: number): void;
  onNote(text: string, atMs: number): void;
  onRecord(node: string, record: unknown): void;
  end(outcome: Outcome): void;
}

/** The nodes' journal records, one a line, and nothing else. */
export function jsonPrinter(out: Out): Printer {
  const nothing = () => {};
  return {
    begin: nothing,
    onText: nothing,
    onNote: nothing,
    onRecord: (node, record) => out.write(`${JSON.stringify({ node, record })}\n`),
    end: nothing,
  };
}

/** For people: the lines of all nodes, then a table. */
export function textPrinter(flags: RehearseFlags, out: Out, isColoured: boolean): Printer {
  const width = `node-${flags.nodes}`.length;
  const print = (label: string, text: string, atMs: number) => {
    for (const row of text.split('\n')) out.write(`${clockTime(atMs)} ${label} ${row}\n`);
  };
  const label = (node: string) => {
    const padded = node.padEnd(width);
    return isColoured ? paint(padded, Number(node.slice('node-'.length)) - 1) : padded;
  };
  const stage = '*'.padEnd(width);
  return {
    begin: () => out.write(opening(flags)),
    onText: (node, text, atMs) => print(label(node), text, atMs),
    onNote: (text, atMs) => print(isColoured ? bold(stage) : stage, text, atMs),
    onRecord: () => {},
    end(outcome) {
      out.write(`\n${table(outcome.nodes)}\n${totals(outcome)}`);
      if (outcome.violations.length === 0) {
        out.write(verdict(flags, outcome));
      }
      out.write(next(flags, outcome.nodes[0]?.node ?? 'node-1'));
    },
  };
}

function opening({ nodes, seed, speed, faults }: RehearseFlags): string {
  return `Rehearsal: ${nodes} simulated hosts, upgraded one at a time over real requests to an API
server in this process. Seed ${seed}, speed ${speed === 0 ? 'max' : speed}, faults: ${faults.join(', ')}.
Vary it with --nodes N --seed S --speed F --fault NAME; --help lists the faults.
Each line: time, node, what its log says; with * what is done to the cluster.

`;
}

function verdict({ reboot, drain }: RehearseFlags, { nodes }: Outcome): string {
  const gone = nodes.find(({ state }) => state === 'interrupted');
  const lock = gone
    ? `The lock never had two holders; ${gone.node} never came back and keeps it.`
    : 'The lock never had two holders and is free; no host was upgraded without it.';
  if (!reboot) return `${lock}\n`;
  const left = drain ? `${gone ? 'no other node' : 'no node'} is left cordoned, ` : '';
  return `${lock}\nNo two nodes were down at once, ${left}none was rebooted without the lock.\n`;
}

/** How to go on: the same rollout again, with a history to step through. */
function next(flags: RehearseFlags, node: string): string {
  const { nodes, seed, faults, journalDir, reboot, drain } = flags;
  const powers = `${reboot ? ' --reboot' : ''}${drain ? ' --drain' : ''}`;
  const replay = `  host-upgrades replay ${journalDir ?? 'DIR'}/${node}.ndjson\n`;
  if (journalDir !== null) return `\nNext: the history of a node, step by step:\n${replay}`;
  return `
Next: another --fault, or the history of a node, step by step:
  host-upgrades rehearse --nodes ${nodes} --seed ${seed} --fault ${faults.join(',')}${powers} \\
    --speed max --journal-dir DIR
${replay}`;
}
