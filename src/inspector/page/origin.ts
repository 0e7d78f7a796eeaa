/** Where an event comes from. */
export type Origin = 'kube' | 'host' | 'timer' | 'signal' | 'process';

const PROCESS = ['', 'run.interrupted', 'run.resumed'];
const HOST = /^(upgrade\.|reboot\.(requested|refused))/;
const TIMER = /^(deadline\.reached|window\.closed|.*\.(elapsed|expired))$/;

/** `type` '' is the beginning of a run. */
export function originOf(type: string): Origin {
  if (PROCESS.includes(type)) return 'process';
  if (type === 'stop.requested') return 'signal';
  if (TIMER.test(type)) return 'timer';
  return HOST.test(type) ? 'host' : 'kube';
}
