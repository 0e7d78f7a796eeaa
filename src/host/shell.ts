/** Exit codes of the hosts' scripts that none of the programs they run has (sysexits.h). */
export const EXIT_MISSING = 69;
export const EXIT_BUSY = 75;

/** How a script marks in an output that it waits, and then tries again. */
export const WAITING = 'host-upgrades: another package manager is at work';

/**
 * Shell: runs a command, its output added to a file, again and again while `is_busy CODE`, given
 * what it printed, says that another holds the lock. BUSY_LIMIT_S bounds it, BUSY_PAUSE_S is the
 * first pause.
 */
export const PATIENT = `patient() {
  out=$1
  shift
  waited=0
  pause=$BUSY_PAUSE_S
  : >>"$out"
  while :; do
    from=$(wc -c <"$out")
    code=0
    "$@" >>"$out" 2>&1 || code=$?
    [ "$code" -eq 0 ] && return 0
    tail -c "+$((from + 1))" "$out" | is_busy "$code" || return "$code"
    [ "$waited" -ge "$BUSY_LIMIT_S" ] && return ${EXIT_BUSY}
    echo "${WAITING}, trying again in $pause s" >>"$out"
    sleep "$pause"
    waited=$((waited + pause))
    pause=$((pause * 2))
    [ "$pause" -le 30 ] || pause=30
  done
}`;

/** A word of shell that stands for the text, whatever is in it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
