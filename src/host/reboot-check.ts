import { plainText } from './text.ts';
import { signalName } from './verdict.ts';

/** What a check says of a due reboot. Only a clear yes is one. */
export interface RebootAnswer {
  required: boolean;
  /** Why nobody can say. */
  unknown?: string;
  /** What asks for it: the same words for the same cause, so that they can be compared. */
  message: string;
}

/** A check that was run: its exit status as the script noted it ('' where it did not run). */
export interface RebootCheck {
  /** The command, for people. */
  command: string;
  exitStatus: string;
  output: string;
}

/**
 * `needs-restarting -r` of yum, dnf 4 and dnf 5: 1 is a yes only together with its words, since it
 * is also any error of dnf.
 */
export function needsRestarting(check: RebootCheck, install: string): RebootAnswer {
  const output = plainText(check.output);
  if (check.exitStatus === '0') return NO;
  const listed = [...output.matchAll(/^ +(?:\* (\S+)|(\S+) -> \S+)/gm)];
  const isYes = listed.length > 0 || /^Reboot is required/m.test(output);
  if (check.exitStatus === '1' && isYes) {
    const names = [...new Set(listed.map(([, name, other]) => name ?? other ?? ''))].sort();
    const which = names.length === 0 ? '' : `: ${names.join(', ')}`;
    return { required: true, message: `Reboot is required${which}` };
  }
  const isMissing = check.exitStatus === '127' || /No such command|Unknown argument/i.test(output);
  return unknown(check, isMissing ? `; install the package ${install}` : '');
}

/** `zypper needs-rebooting`, which older ones do not have. */
export function needsRebooting(check: RebootCheck): RebootAnswer {
  if (check.exitStatus === '0') return NO;
  if (check.exitStatus === '102') return { required: true, message: lastLine(check.output) };
  return unknown(check, '');
}

/** A command of the user's: 0 is a yes, 1 a no. */
export function commandAnswer(check: RebootCheck): RebootAnswer {
  if (check.exitStatus === '1') return NO;
  if (check.exitStatus !== '0') return unknown(check, '');
  return { required: true, message: lastLine(check.output) || `${check.command} says so` };
}

/** A file of the host that asks for a reboot by being there. */
export function sentinelAnswer(path: string, text: string | null): RebootAnswer {
  if (text === null) return NO;
  const words = lastLine(text);
  return { required: true, message: words === '' ? `${path} is there` : `${path}: ${words}` };
}

/** Any yes is one; without, any unknown. */
export function anyAnswer(answers: RebootAnswer[]): RebootAnswer {
  const yes = answers.filter(({ required }) => required);
  if (yes.length === 0) return answers.find((answer) => answer.unknown !== undefined) ?? NO;
  return { required: true, message: yes.map(({ message }) => message).join('; ') };
}

const NO: RebootAnswer = { required: false, message: '' };

function unknown({ command, exitStatus, output }: RebootCheck, advice: string): RebootAnswer {
  const last = lastLine(output);
  const how = `${command}: ${statusInWords(exitStatus)}${last === '' ? '' : `: ${last}`}`;
  return { required: false, unknown: `${how}${advice}`, message: '' };
}

/** As a shell tells it: a signal's number and 128. */
function statusInWords(exitStatus: string): string {
  if (exitStatus === '') return 'was not run';
  const code = Number(exitStatus);
  return code > 128 ? `killed by ${signalName(code - 128)}` : `exit status ${code}`;
}

function lastLine(text: string): string {
  const lines = plainText(text)
    .split('\n')
    .map((line) => line.trim());
  return lines.filter((line) => line !== '').at(-1) ?? '';
}
