import type { Level } from './level.ts';

/** `YYYY/MM/DD HH:MM:SS` in the process's time zone, as Go's log package writes it. */
export function classicText(atMs: number, text: string): string {
  const at = new Date(atMs);
  const date = [at.getFullYear(), pad(at.getMonth() + 1), pad(at.getDate())].join('/');
  return `${date} ${clockTime(at)} ${text}`;
}

const ESC = '\u001b[';
const DIM = `${ESC}2m`;
const RESET = `${ESC}0m`;
const COLOURS: Partial<Record<Level, string>> = { warn: `${ESC}33m`, error: `${ESC}31m` };

/** For a person at a terminal: the time of day, then the text; trouble in colour and by a word. */
export function prettyText(atMs: number, level: Level, text: string, hasColour: boolean): string {
  const time = clockTime(new Date(atMs));
  const word = level === 'warn' || level === 'error' ? `${level}: ` : '';
  if (!hasColour) return `${time} ${word}${text}`;
  const colour = COLOURS[level];
  const body = colour === undefined ? text : `${colour}${word}${text}${RESET}`;
  return `${DIM}${time}${RESET} ${body}`;
}

function clockTime(at: Date): string {
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(pad).join(':');
}

function pad(value: number): string {
  return `${value}`.padStart(2, '0');
}
