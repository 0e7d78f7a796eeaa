import { join } from 'node:path';
import type { Config } from './config.ts';
import type { Driver } from './driver.ts';
import { removeShared, writeShared } from './mount.ts';
import type { RebootAnswer } from './reboot-check.ts';
import { type OutputFiles, REPORT, type Report, readReport } from './report.ts';
import { judgeReport } from './report-result.ts';
import { outputsOf } from './report-script.ts';

/** What an upgrade's exit status and output say of it. */
export interface Outcome {
  isDone: boolean;
  /** What went wrong, in one line, where there is more to say than the exit status. */
  cause?: string;
  /** For people, a line each: what was held back, and why. */
  notes: string[];
}

/** A family of hosts that are upgraded by a script and judged by its report. */
export interface Family {
  /** Of its programs, for people: `dnf`. */
  program: string;
  files: OutputFiles;
  script: string;
  /** More files that the script needs, by name. */
  shared?: Record<string, string>;
  /** The configuration's file that the host gets a copy of; refused where it upgrades nothing. */
  config?: { name: string; check(text: string): void };
  /** `exitCode`: null where it was killed. */
  outcome(upgrade: string, exitCode: number | null): Outcome;
  answer(report: Report): RebootAnswer;
  /** Whether it upgrades at all, and not only looks. */
  upgrades: boolean;
}

export function familyDriver(family: Family): Driver {
  const { files, config, shared = {} } = family;
  return {
    progress: [files.update, files.upgrade],
    prepare(mount, given: Config | null) {
      writeShared(mount, REPORT.script, family.script);
      for (const [name, text] of Object.entries(shared)) writeShared(mount, name, text);
      if (config === undefined) return;
      const own = given?.get(config.name);
      if (own === undefined) {
        removeShared(mount, config.name);
        return;
      }
      config.check(own);
      writeShared(mount, config.name, own);
    },
    clean: (mount) => removeShared(mount, ...outputsOf(files)),
    command: (mount) => ['/bin/sh', '-x', join(mount, REPORT.script)],
    environment: (mount, given) =>
      config && given?.has(config.name) ? { CONFIG_PATH: join(mount, config.name) } : {},
    judge: (mount, unit, journal, bootMs) =>
      judgeReport(family, unit, readReport(mount, files, journal), bootMs),
  };
}
