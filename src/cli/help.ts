import { type Flag, RUN_FLAGS } from './flags.ts';

const HEAD = `host-upgrades: patches the machines under a Kubernetes cluster, one at a time

Usage:
  host-upgrades [run] [flags]
  host-upgrades rehearse [--nodes=N] [--seed=S] [--speed=F] [--fault=NAME] [--inspect]
  host-upgrades replay [--format=states|classic|json] FILE|-
  host-upgrades inspect [--listen=127.0.0.1:7788] FILE|-...
  host-upgrades diagram [--format=mermaid|svg|json]

Commands:
  run         upgrades this host, once or at each tick of --schedule (the default command)
  rehearse    a whole rollout on an embedded API server with simulated hosts; changes nothing
  replay      folds a recorded log through the run machine and prints every step
              FILE  a journal, a JSON log, or a classic text log of this program or of
                    pharos-host-upgrades; -: standard input
              --format  states (default): time, from -> to, event, line
                        classic: the log again; json: one record a line
  inspect     shows recorded histories in a browser, several on one time axis, until Ctrl-C
              FILE  as for replay; --listen  where (default 127.0.0.1:7788)
  diagram     prints the run machine, as a Mermaid state diagram, a picture or data

Flags of run (-flag, --flag, --flag=value and --flag value are the same):
`;

const TAIL = `
Options:
  --help      this text; COMMAND --help: the command's own
  --version   the program's version

Exit codes: 0 done (replay: a legal history), 1 a run failed (replay: it diverges from the
machine), 2 bad usage, bad configuration or not a history: nothing was changed
`;

const INDENT = ' '.repeat(6);

/** The whole help text: the flags in their groups, each with its default and variable. */
export function helpText(): string {
  const flags: readonly Flag[] = RUN_FLAGS;
  const groups = [...new Set(flags.map(({ group }) => group))];
  const sections = groups.map((group) => {
    const own = flags.filter((flag) => flag.group === group);
    return ` ${group}:\n${own.map(flagText).join('')}`;
  });
  return `${HEAD}${sections.join('')}${TAIL}`;
}

function flagText(flag: Flag): string {
  const value = flag.alone === undefined ? `=${flag.value}` : `[=${flag.value}]`;
  const head = flag.value === undefined ? `--${flag.name}` : `--${flag.name}${value}`;
  const notes = [
    ...(flag.default === '' ? [] : [`default ${flag.default}`]),
    ...(flag.env === undefined ? [] : [`variable ${flag.env}`]),
  ];
  const note = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
  return `  ${head}\n${INDENT}${flag.help}${note}\n`;
}
