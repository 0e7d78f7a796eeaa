/** The parts that scripts for hosts with rpm share. */
export const RPM_INSTALLED = `rpm -qa --queryformat '%{NAME} %{EPOCH}:%{VERSION}-%{RELEASE}.%{ARCH}\\n' | sort`;

/** Since when: when the youngest of the packages was installed that needs-restarting names. */
export const NAMED_SINCE = `sed -n 's/^ *\\* *//p; s/^ *\\([^ ]*\\) -> .*/\\1/p' reboot-check.out | while read -r name; do
    rpm -q --queryformat '%{INSTALLTIME}\\n' "$name"
  done | grep -x '[0-9]*' | sort -n | tail -n 1`;

/**
 * A package's own script that failed: dnf may still end with 0, and a kernel whose script failed
 * may not boot.
 */
export function failedScriptlet(output: string): string | undefined {
  return /^.*(scriptlet failed|scriptlet failure|error in \S+ scriptlet).*$/im
    .exec(output)?.[0]
    .trim();
}

/** What dnf, dnf-automatic and yum-cron say when they were told not to install anything. */
export function onlyOffered(output: string): boolean {
  return /^The following updates (were downloaded|are available|will be downloaded) on/m.test(
    output,
  );
}

/** dnf's list of what it left out, a line each. */
export function skippedNotes(output: string): string[] {
  const lines = output.split('\n');
  const notes = new Set<string>();
  let cause: string | undefined;
  for (const line of lines) {
    const heading = /^Skipping packages with (.*):$/.exec(line)?.[1];
    const name = /^ +(\S+)/.exec(line)?.[1];
    if (heading !== undefined) cause = heading;
    else if (name === undefined) cause = undefined;
    else if (cause !== undefined) notes.add(`Held back: ${name} (${cause})`);
  }
  return [...notes];
}
