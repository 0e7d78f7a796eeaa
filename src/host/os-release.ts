/** What a host's os-release says of it, as far as it matters here. */
export interface OsRelease {
  /** `debian`, `rocky`, `opensuse-leap`; '' where it says none. */
  id: string;
  /** The distributions that it is like, the nearest first. */
  like: string[];
  /** `12`, `9.4`, or ''. */
  version: string;
}

/** Reads the file's text: shell assignments of one line each. */
export function parseOsRelease(text: string): OsRelease {
  const values = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, key, value] = /^\s*([A-Z0-9_]+)=(.*?)\s*$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined) values.set(key, unquoted(value));
  }
  const id = values.get('ID') ?? '';
  const like = (values.get('ID_LIKE') ?? '').split(/\s+/).filter((word) => word !== '');
  return { id, like, version: values.get('VERSION_ID') ?? '' };
}

function unquoted(value: string): string {
  const inner = /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
  return inner.replaceAll(/\\(.)/g, '$1');
}

/** Whether the host is one of these distributions, or like one. */
export function isLike({ id, like }: OsRelease, ...ids: string[]): boolean {
  return [id, ...like].some((name) => ids.includes(name));
}
