import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from './host.ts';
import { waitWhile } from './packages.ts';

/** Each is installed as 1.0; these lines are in the spec of the 2.0 that becomes an upgrade. */
const TEST_PACKAGES: Record<string, string> = {
  'hu-plain': '',
  'hu-later': '',
  'hu-reboot': 'Provides: installhint(reboot-needed)',
  'hu-pre': '%pre\necho "the disk is on fire" >&2\nexit 7',
  'hu-post': '%post\necho "the disk is on fire" >&2\nexit 7',
  'hu-broken': 'Requires: what-nobody-provides',
  'hu-slow': `%pre\n${waitWhile('package')}`,
  'hu-stack': '',
};
/** What their patches suggest, for zypper: the reboot of the host, or its own restart. */
const SUGGESTS: Record<string, string> = {
  'hu-reboot': '<reboot_suggested>True</reboot_suggested>',
  'hu-stack': '<restart_suggested>True</restart_suggested>',
};

export const RPM_REPOSITORY = '/repository-rpm';
const UPDATES = '/updates-rpm';

/** Builds the packages in a host's root and installs the old ones; their repository is empty. */
export function addRpmPackages(root: string): void {
  for (const folder of [RPM_REPOSITORY, UPDATES]) mkdirSync(join(root, folder));
  for (const [name, lines] of Object.entries(TEST_PACKAGES)) {
    buildRpm(root, name, '1.0', '');
    buildRpm(root, name, '2.0', lines);
  }
  // dnf asks for the release that the host is, and the scripts for a shell.
  const provides = ['system-release', 'system-release(releasever)'].map((what) => `${what} = 9`);
  const release = [...provides, '/bin/sh'].map((what) => `Provides: ${what}`).join('\n');
  buildRpm(root, 'hu-release', '1.0', release);
  const install = `rpm -i --nodeps ${UPDATES}/*-1.0.rpm; rm ${UPDATES}/*-1.0.rpm`;
  inside(root, `${install}; createrepo_c -q ${RPM_REPOSITORY}`);
}

function buildRpm(root: string, name: string, version: string, lines: string): void {
  const spec = `Name: ${name}
Version: ${version}
Release: 1
Summary: a package for tests
License: MIT
BuildArch: noarch
${lines}
%description
For tests.
%files
`;
  writeFileSync(join(root, 'tmp/package.spec'), spec);
  const macros = [
    '_topdir /tmp/rpmbuild',
    `_rpmdir ${UPDATES}`,
    '_build_name_fmt %%{NAME}-%%{VERSION}.rpm',
  ];
  const defines = macros.map((macro) => `--define '${macro}'`).join(' ');
  inside(root, `rpmbuild -bb --quiet ${defines} /tmp/package.spec`);
  inside(root, 'rm -r /tmp/rpmbuild /tmp/package.spec');
}

function inside(root: string, script: string): void {
  execFileSync('chroot', [root, 'sh', '-ec', script], { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Puts the 2.0 of the packages named into a host's repository, each with a patch of its own. */
export function offerRpm(host: Host, ...names: string[]): void {
  for (const name of names) host.exec('cp', `${UPDATES}/${name}-2.0.rpm`, RPM_REPOSITORY);
  index(host);
}

export function withdrawRpm(host: Host, ...names: string[]): void {
  for (const name of names) host.exec('rm', `${RPM_REPOSITORY}/${name}-2.0.rpm`);
  index(host);
}

function index(host: Host): void {
  const files = host.exec('ls', RPM_REPOSITORY).split('\n');
  const names = Object.keys(TEST_PACKAGES).filter((name) => files.includes(`${name}-2.0.rpm`));
  const updates = `<?xml version="1.0"?>\n<updates>${names.map(patch).join('')}</updates>\n`;
  writeFileSync(join(host.root, RPM_REPOSITORY, 'updateinfo.xml'), updates);
  const repodata = `${RPM_REPOSITORY}/repodata`;
  host.exec('createrepo_c', '-q', RPM_REPOSITORY);
  host.exec('modifyrepo_c', `${RPM_REPOSITORY}/updateinfo.xml`, repodata);
}

function patch(name: string): string {
  const of = `name="${name}" version="2.0" release="1" epoch="0" arch="noarch"`;
  const file = `<filename>${name}-2.0.rpm</filename>`;
  return `<update from="tests" status="stable" type="security" version="1">
<id>HU-${name}</id><title>${name}</title><release>tests</release><issued date="1700000000"/>
<severity>important</severity><references/><description>for tests</description>
<pkglist><collection short="tests"><name>tests</name>
<package ${of} src="${name}.src.rpm">${file}${SUGGESTS[name] ?? ''}</package>
</collection></pkglist></update>`;
}

/** The version of an installed package. */
export function rpmVersion(host: Host, name: string): string {
  return host.exec('rpm', '-q', '--queryformat', '%{VERSION}', name);
}
