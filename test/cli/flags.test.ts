import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFlags } from '../../src/cli/flags.ts';

test('flags are written as Go allows it', () => {
  for (const args of [
    ['--schedule=@daily'],
    ['-schedule=@daily'],
    ['--schedule', '@daily'],
    ['-schedule', '@daily'],
  ]) {
    assert.equal(parseFlags(args, {}).schedule, '@daily', args.join(' '));
  }
  assert.equal(parseFlags(['--schedule=a=b'], {}).schedule, 'a=b');
  assert.equal(parseFlags(['--schedule='], {}).schedule, '');
  // A value may begin with a dash; the last of two counts.
  assert.equal(parseFlags(['--kube-node', '-x'], {})['kube-node'], '-x');
  assert.equal(parseFlags(['--kube-node=a', '--kube-node=b'], {})['kube-node'], 'b');
});

test('a boolean needs no value and takes none from the next argument', () => {
  assert.equal(parseFlags([], {}).reboot, 'false');
  assert.equal(parseFlags(['--reboot'], {}).reboot, 'true');
  assert.equal(parseFlags(['-reboot', '--drain=false'], {}).reboot, 'true');
  assert.equal(parseFlags(['--reboot=0'], {}).reboot, 'false');
  assert.equal(parseFlags(['--reboot=T'], {}).reboot, 'true');
  assert.throws(() => parseFlags(['--reboot', 'false'], {}), /unexpected argument false/);
  assert.throws(() => parseFlags(['--reboot=maybe'], {}), /--reboot=maybe: give true or false/);
});

test('a flag goes before its variable, the variable before the default', () => {
  const env = { KUBE_NODE: 'from-env' };
  assert.equal(parseFlags([], env)['kube-node'], 'from-env');
  assert.equal(parseFlags(['--kube-node=given'], env)['kube-node'], 'given');
  assert.equal(parseFlags(['--kube-node='], env)['kube-node'], '');
  assert.equal(parseFlags([], {})['schedule-window'], '1h');
});

test('an unknown flag is refused, with the one that was probably meant', () => {
  const refused = (arg: string, expected: RegExp) =>
    assert.throws(() => parseFlags([arg], {}), expected);
  refused('--shedule=x', /unknown flag --shedule \(did you mean --schedule\?\); see --help/);
  refused('--kube-names=x', /did you mean --kube-namespace\?/);
  refused('--frobnicate', /unknown flag --frobnicate; see --help/);
  refused('--', /unexpected argument --/);
  refused('--schedule', /--schedule needs a value: --schedule=CRON/);
});
