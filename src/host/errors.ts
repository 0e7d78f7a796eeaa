/** The host cannot be used as it is. The message is one line: what, where, what to do. */
export class HostError extends Error {}
