import { HostError } from './errors.ts';

/** Refuses a configuration with which every upgrade would be none. Throws HostError. */
export function refuseNoUpgrades(name: string): (text: string) => void {
  return (text) => {
    const value = lastValue(text, 'commands', 'apply_updates');
    if (value === null || !/^(no|false|0|off)$/i.test(value)) return;
    throw new HostError(
      `${name}: apply_updates = ${value} installs nothing; set it to yes, or leave the line out`,
    );
  };
}

/** The last value of a key in a section of an ini file, or null. */
function lastValue(text: string, section: string, key: string): string | null {
  let current = '';
  let found: string | null = null;
  for (const line of text.split('\n')) {
    current = /^\[(.*)\]/.exec(line)?.[1] ?? current;
    const [, name, value] = /^\s*(\w+)\s*[=:]\s*(.*?)\s*$/.exec(line) ?? [];
    if (current === section && name === key && value !== undefined) found = value;
  }
  return found;
}

/**
 * Shell: \`force FILE SECTION KEY VALUE\` sets a key, whatever the file says of it. The keys that
 * this is for have one meaning in all sections.
 */
export const FORCE = `force() {
  sed -i "/^[[:space:]]*$3[[:space:]]*[=:]/d" "$1"
  grep -q "^\\[$2\\]" "$1" || printf '\\n[%s]\\n' "$2" >>"$1"
  sed -i "/^\\[$2\\]/a $3 = $4" "$1"
}`;
