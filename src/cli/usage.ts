/** A mistake of the caller: one line that says what, where and what to do; exit code 2. */
export class UsageError extends Error {}
