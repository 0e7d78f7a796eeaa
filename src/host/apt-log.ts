/** What unattended-upgrade, apt and dpkg say they did. Names are in the order of the log. */
export interface AptLog {
  upgraded: string[];
  removed: string[];
  heldBack: { name: string; cause: string }[];
  /** Rolled out to other machines first: no fault, and their turn comes. */
  phased: string[];
}

const HELD_BACK: [RegExp, string][] = [
  [/^Package (\S+) has conffile prompt/, 'its configuration file was changed: upgrade it by hand'],
  [/^Package (\S+) is marked to be held back/, 'it is marked to be held back'],
  [/^Package (\S+) is blacklisted/, 'it is blacklisted'],
  [/^Package (\S+)'s origin is not trusted/, 'its origin is not trusted'],
  [/^Package (\S+) is not (?:on the strict whitelist|whitelisted)/, 'it is not whitelisted'],
  [/^Package (\S+) is kept back because a related package/, ''],
];

/** Reads the log's own lines; headings and name patterns prove nothing. Last runs of names repeat. */
export function readAptLog(text: string): AptLog {
  const lines = text.split('\n');
  const heldBack = new Map<string, string>();
  for (const line of lines) {
    for (const [pattern, cause] of HELD_BACK) {
      const name = pattern.exec(line)?.[1];
      // The first cause is the root: a package with a conffile prompt is "blacklisted" afterwards.
      if (name !== undefined && !heldBack.has(name)) heldBack.set(name, cause);
    }
  }
  const roots = [...heldBack].filter(([, cause]) => cause !== '').map(([name]) => name);
  return {
    upgraded: names(lines, /^Setting up (\S+?)(?::\S+)? \(/),
    removed: names(lines, /^Removing (\S+?)(?::\S+)? \(/),
    heldBack: [...heldBack].map(([name, cause]) => ({ name, cause: cause || related(roots) })),
    phased: phased(lines),
  };
}

function names(lines: string[], pattern: RegExp): string[] {
  return [...new Set(lines.flatMap((line) => pattern.exec(line)?.[1] ?? []))];
}

/** "Kept back because a related package is kept back" names no package; the log may. */
function related(roots: string[]): string {
  const see = roots.length === 0 ? '' : `, see ${roots.join(', ')}`;
  return `a related package is kept back${see}`;
}

/** On the line itself, or indented below it. */
function phased(lines: string[]): string[] {
  const result: string[] = [];
  let isInList = false;
  for (const line of lines) {
    const rest = /deferred due to phasing:(.*)$/.exec(line)?.[1];
    isInList = rest !== undefined || (isInList && line.startsWith(' '));
    if (isInList) result.push(...(rest ?? line).split(/\s+/).filter((name) => name !== ''));
  }
  return [...new Set(result)];
}

/** The log in a few lines, for people; none where nothing happened. */
export function summaryLines({ upgraded, removed, heldBack, phased }: AptLog): string[] {
  const held = heldBack.map(({ name, cause }) => `${name} (${cause})`);
  const rows: [string, string[]][] = [
    ['Upgraded', upgraded],
    ['Removed', removed],
    ['Held back', held],
    ['Deferred due to phasing', phased],
  ];
  return rows
    .filter(([, list]) => list.length > 0)
    .map(([what, list]) => `${what}: ${list.join(', ')}`);
}
