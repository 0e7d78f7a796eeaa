/** What differs between two lists of installed packages, by name. */
export interface PackageChanges {
  upgraded: string[];
  installed: string[];
  removed: string[];
}

/** The lists have a line `NAME VERSION` for each package; null where there is none to compare. */
export function packageChanges(before: string, after: string): PackageChanges | null {
  if (before.trim() === '' || after.trim() === '') return null;
  const old = new Set(before.split('\n'));
  const now = new Set(after.split('\n'));
  const come = names([...now].filter((line) => !old.has(line)));
  const gone = names([...old].filter((line) => !now.has(line)));
  return {
    upgraded: come.filter((name) => gone.includes(name)),
    installed: come.filter((name) => !gone.includes(name)),
    removed: gone.filter((name) => !come.includes(name)),
  };
}

function names(lines: string[]): string[] {
  return [...new Set(lines.map((line) => line.split(' ')[0] ?? ''))].filter((name) => name !== '');
}

/** The changes in a few lines, for people; none where nothing happened. */
export function changeLines(changes: PackageChanges | null): string[] {
  const rows: [string, string[]][] = [
    ['Upgraded', changes?.upgraded ?? []],
    ['Installed', changes?.installed ?? []],
    ['Removed', changes?.removed ?? []],
  ];
  return rows
    .filter(([, list]) => list.length > 0)
    .map(([what, list]) => `${what}: ${list.join(', ')}`);
}
