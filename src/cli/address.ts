import { UsageError } from './usage.ts';

/** Where the inspector listens when nothing else is said. */
export const INSPECTOR_ADDRESS = '127.0.0.1:7788';

/** `HOST:PORT`, `[IPV6]:PORT` or a port of 127.0.0.1. Throws UsageError with `flag` in front. */
export function parseAddress(flag: string, text: string): { host: string; port: number } {
  const match = /^(?:(?:\[([\da-f:.]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) {
    throw new UsageError(`${flag}=${text}: give HOST:PORT, such as ${INSPECTOR_ADDRESS}`);
  }
  return { host: match[1] ?? match[2] ?? '127.0.0.1', port };
}
