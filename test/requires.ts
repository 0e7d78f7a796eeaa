/**
 * What a suite needs of the machine. With CI=true nothing may be missing; elsewhere the suite is
 * skipped and listed with the reason.
 */
export function requires(what: string, why: string): { skip: string | false } {
  if (why === '') return { skip: false };
  if (process.env.CI === 'true') throw new Error(`${what} is missing: ${why}`);
  return { skip: `${what}: ${why}` };
}

/** The variable that tells the test files why something could not be built for them. */
export function notBuilt(what: string): string {
  return `HOST_UPGRADES_NOT_BUILT_${what.toUpperCase()}`;
}
