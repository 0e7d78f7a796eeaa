/** Bright and dark ones that are legible on black and on white. */
const COLOURS = [36, 33, 35, 32, 34, 31, 96, 93, 95, 92, 94, 91];

/** A label in the colour of its number; numbers beyond the colours begin again. */
export function paint(label: string, number: number): string {
  return `\u001b[${COLOURS[number % COLOURS.length]}m${label}\u001b[0m`;
}

export function bold(label: string): string {
  return `\u001b[1m${label}\u001b[0m`;
}

/** Whether to colour: only for a terminal that can, and not against NO_COLOR (no-color.org). */
export function isColoured(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  return isTerminal && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
}
