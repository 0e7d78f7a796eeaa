import type { Row } from '../rows.ts';
import type { Refusal } from './fold-record.ts';
import type { RecordItem } from './history.ts';

/** A file that the machine refuses from a line on: its rows end ahead of that, with a divergence. */
export interface End {
  file: number;
  line: number;
  divergence: Extract<Row, { kind: 'divergence' }>;
}

/** Where the file of a refused record ends; null where it is of no file whose lines are known. */
export function endingAt({ row }: RecordItem, { state, message }: Refusal): End | null {
  const { file, line, source, node } = row;
  if (file === undefined || line === undefined) return null;
  return {
    file,
    line,
    divergence: { kind: 'divergence', source, node, file, line, state, message },
  };
}
