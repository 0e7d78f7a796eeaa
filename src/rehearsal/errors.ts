/** The rehearsal itself cannot go on; says nothing of the program that is rehearsed. */
export class RehearsalError extends Error {}
