/** One value inside plain data, named by its path: `disruption.drain`, `blocked[0].pod`. */
export interface Leaf {
  path: string;
  sign: '+' | '~' | '-' | '';
  /** As JSON; undefined where it is not there. */
  before: string | undefined;
  after: string | undefined;
}

/** All leaves of `before` and `after`, in the order of `after`, those that are gone at the end. */
export function differences(before: unknown, after: unknown): Leaf[] {
  const [old, now] = [leaves(before), leaves(after)];
  const paths = new Set([...now.keys(), ...old.keys()]);
  return [...paths].map((path) => leaf(path, old.get(path), now.get(path)));
}

function leaf(path: string, before: string | undefined, after: string | undefined): Leaf {
  const isSame = before === after;
  const sign = isSame ? '' : before === undefined ? '+' : after === undefined ? '-' : '~';
  return { path, sign, before, after };
}

function leaves(value: unknown): Map<string, string> {
  const found = new Map<string, string>();
  if (value !== null && value !== undefined) collect(value, '', found);
  return found;
}

function collect(value: unknown, path: string, found: Map<string, string>): void {
  if (value === undefined) return;
  const isArray = Array.isArray(value);
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) {
    found.set(path, JSON.stringify(value));
    return;
  }
  for (const [key, inner] of entries) {
    collect(inner, isArray ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`, found);
  }
}
