import { existsSync, realpathSync } from 'node:fs';

/** Where a time zone's name may come from, the first that is given first. */
export interface ZoneSources {
  /** An option of the command line; undefined: not given. */
  option: string | undefined;
  /** The environment variable TZ; undefined: not set. */
  env: string | undefined;
  /** The machine's own (/etc/localtime); undefined where it has no name. See systemZone. */
  system: string | undefined;
}

/**
 * The IANA name of the time zone in force. As in Go, an empty name is UTC, and TZ may begin with a
 * colon or be a file below a zoneinfo folder. Throws a one-line Error for a name that is not known:
 * left to itself, Node takes such a TZ for GMT and says nothing.
 */
export function zoneInForce({ option, env, system }: ZoneSources): string {
  if (option !== undefined) return known(option, 'the time zone');
  if (env !== undefined) return known(env.replace(/^:?(\/.*\/zoneinfo\/)?/, ''), 'TZ', env);
  if (system !== undefined) return known(system, "the machine's time zone");
  throw new Error("the machine's time zone has no name; set TZ to one such as Europe/Berlin");
}

/**
 * What Node makes of /etc/localtime. Only with TZ unset is it the machine's. UTC, which containers
 * have, is told without Intl: what that loads for good would be a tenth of a waiting agent.
 */
export function systemZone(localtime = '/etc/localtime'): string | undefined {
  if (!existsSync(localtime) || /\/zoneinfo\/(Etc\/)?UTC$/.test(realpathSync(localtime)))
    return 'UTC';
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return timeZone === 'Etc/Unknown' ? undefined : timeZone;
}

function known(name: string, what: string, given = name): string {
  if (name === '') return 'UTC';
  if (isZone(name)) return name;
  const advice = 'use a name such as Europe/Berlin or UTC, see `timedatectl list-timezones`';
  throw new Error(`${what} ${JSON.stringify(given)} is not known; ${advice}`);
}

function isZone(name: string): boolean {
  // Intl takes offsets too, but those are signed the other way round in a TZ of POSIX.
  if (!/^[A-Za-z]/.test(name)) return false;
  if (name === 'UTC') return true;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
