import { globSync } from 'node:fs';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { missing as missingCluster, program } from './cluster/build.ts';
import { missing as missingImages, standIn } from './deploy/stand-in.ts';
import { baseImage, missing as missingHosts } from './hosts/image.ts';
import { missingRpm, rpmImage } from './hosts/rpm-image.ts';
import { installBrowser, missing as missingBrowser } from './inspector/page/browser.ts';
import { kwok, missing as missingKwok } from './kwok/build.ts';
import { installSpin, missing as missingModel } from './model/spin.ts';
import { notBuilt } from './requires.ts';

/**
 * Runs all tests (or those of the files named) and closes with what could not run here and why,
 * and with the counts.
 */
const named = process.argv.slice(2);
const files = named.length > 0 ? named : globSync('test/**/*.test.ts').sort();

// Once, ahead of the test files, which run beside each other.
prepare('cluster', missingCluster, () => program('kube-apiserver'));
prepare('hosts', missingHosts, baseImage);
prepare('rpm_hosts', missingRpm, () => [rpmImage('dnf'), rpmImage('zypper')]);
prepare('kwok', missingKwok, kwok);
prepare('images', missingImages, standIn);
prepare('browser', missingBrowser, installBrowser);
prepare('model', missingModel, installSpin);

const counts = { passed: 0, failed: 0 };
const notRun = new Map<string, string>();
await Promise.all([
  runFiles(
    files.filter((file) => !isWaiting(file)),
    2,
  ),
  runFiles(files.filter(isWaiting), 1),
]);

if (notRun.size > 0) process.stdout.write('\nNot run here:\n');
for (const [name, why] of notRun) process.stdout.write(`  ${name} (${why})\n`);
const skipped = notRun.size > 0 ? `, ${notRun.size} skipped` : '';
process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed${skipped}\n`);
process.exitCode = counts.failed > 0 ? 1 : 0;

/** One that computes little for minutes runs beside the others, and not in the place of one of them. */
function isWaiting(file: string): boolean {
  return file.endsWith('test/chaos/chaos.test.ts');
}

async function runFiles(files: string[], concurrency: number): Promise<void> {
  if (files.length === 0) return;
  const events = run({ files, concurrency });
  events.on('test:pass', ({ name, skip, details }) => {
    if (skip !== undefined && skip !== false) notRun.set(name, String(skip));
    else if (details.type !== 'suite') counts.passed += 1;
  });
  events.on('test:fail', ({ details }) => {
    if (details.type !== 'suite') counts.failed += 1;
  });
  // A report is of one run: it takes the tests of another one for nested.
  const report = events.compose(spec);
  report.pipe(process.stdout);
  await new Promise((resolve) => report.on('end', resolve));
}

/** Builds what suites need; where that fails they are listed as not run, and with CI=true it fails. */
function prepare(what: string, missing: () => string, build: () => unknown): void {
  if (missing() !== '') return;
  try {
    build();
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    process.env[notBuilt(what)] = `could not be built: ${(error as Error).message.split('\n')[0]}`;
  }
}
