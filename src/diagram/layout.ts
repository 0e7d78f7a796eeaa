import layout from './layout.json' with { type: 'json' };

/** Where a state is drawn, in pixels from the upper left. */
export interface Box {
  id: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Layout {
  width: number;
  height: number;
  /** Those around others come first. */
  boxes: Box[];
}

/**
 * The machine's layout, as `npm run diagram` has made it: laying it out takes a library that nobody
 * needs to run the program.
 */
export function readLayout(): Layout {
  return layout;
}
