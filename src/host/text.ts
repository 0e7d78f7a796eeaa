/** A line's remains after carriage returns and without what only a terminal understands. */
export function plainLine(line: string): string {
  const shown = line.replace(/\r+$/, '');
  // A progress bar draws over itself: its last state is the line.
  const last = shown.slice(shown.lastIndexOf('\r') + 1);
  return last.replaceAll(/\p{Cc}\[[0-9;?]*[A-Za-z]/gu, '').replaceAll(/[^\P{Cc}\t]/gu, '');
}

export function plainText(text: string): string {
  return text.split('\n').map(plainLine).join('\n');
}

/** The end of a text, at most `chars` long, in whole lines where it has any. */
export function tail(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const end = text.slice(-chars);
  return end.slice(end.indexOf('\n') + 1);
}
