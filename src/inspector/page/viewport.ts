/** The part of a picture that is seen, in its own units. */
export interface Viewport {
  x: number;
  y: number;
  width: number;
  height: number;
}

const MARGIN = 8;
const ZOOM_MAX = 6;

export function whole({ width, height }: { width: number; height: number }): Viewport {
  return { x: -MARGIN, y: -MARGIN, width: width + 2 * MARGIN, height: height + 2 * MARGIN };
}

/** Zooms by `factor` around a point given as parts (0 to 1) of the viewport. */
export function zoomed(
  view: Viewport,
  factor: number,
  full: Viewport,
  around = { x: 0.5, y: 0.5 },
): Viewport {
  const width = Math.min(full.width, Math.max(full.width / ZOOM_MAX, view.width / factor));
  const height = (width / full.width) * full.height;
  const x = view.x + (view.width - width) * around.x;
  const y = view.y + (view.height - height) * around.y;
  return inside({ x, y, width, height }, full);
}

export function panned(view: Viewport, dx: number, dy: number, full: Viewport): Viewport {
  return inside({ ...view, x: view.x + dx, y: view.y + dy }, full);
}

interface Size {
  width: number;
  height: number;
}

/** How much of the picture a pixel of its frame shows; the whole viewport fits. */
export function unitsPerPx(view: Viewport, frame: Size): number {
  return Math.max(view.width / frame.width, view.height / frame.height);
}

/** A point of the frame as parts of the viewport, which is at its left and in its middle. */
export function partsAt(view: Viewport, frame: Size, xPx: number, yPx: number) {
  const perPx = unitsPerPx(view, frame);
  const aboveUnits = (frame.height * perPx - view.height) / 2;
  return { x: (xPx * perPx) / view.width, y: (yPx * perPx - aboveUnits) / view.height };
}

function inside(view: Viewport, full: Viewport): Viewport {
  const between = (value: number, low: number, high: number) =>
    Math.min(Math.max(value, low), Math.max(low, high));
  return {
    ...view,
    x: between(view.x, full.x, full.x + full.width - view.width),
    y: between(view.y, full.y, full.y + full.height - view.height),
  };
}
