import type { Origin } from './origin.ts';
import type { Phase } from './states.ts';

const SHAPES: Record<Origin, string> = {
  kube: 'M6 1 10.8 3.7V8.3L6 11 1.2 8.3V3.7Z',
  host: 'M1.5 2H10.5V8H1.5ZM4 10.5H8',
  timer: 'M6 1A5 5 0 1 0 6.01 1ZM6 3.2V6L8 7.4',
  signal: 'M6.8 0.8 2.5 6.8H5.6L5 11.2 9.5 5.2H6.3Z',
  process: 'M6 1 11 10.5H1Z',
};

/** Where an event comes from, as a shape of its own and in words. */
export function OriginMark({ origin }: { origin: Origin }) {
  return (
    <span class={`origin origin-${origin}`}>
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        <path d={SHAPES[origin]} />
      </svg>
      {origin}
    </span>
  );
}

/** Each phase has a hatching of its own beside its colour. */
const HATCHES: Record<Phase, string> = {
  waiting: 'M0 6 6 0',
  acquiring: 'M0 3H6',
  upgrading: '',
  draining: 'M0 0 6 6',
  rebooting: 'M0 0 6 6M0 6 6 0',
  undoing: 'M3 0V6',
  releasing: 'M0 3H3',
  interrupted: 'M1 1H2V2H1ZM4 4H5V5H4Z',
  done: '',
  failed: 'M0 0 6 6M3 0V6',
  stopped: 'M0 3H6M3 0V6',
};

/** The fillings of bars; drawn once, used by `url(#phase-…)`. */
export function PhasePatterns() {
  return (
    <svg class="defs" width="0" height="0" aria-hidden="true">
      <defs>
        {Object.entries(HATCHES).map(([phase, hatch]) => (
          <pattern
            key={phase}
            id={`phase-${phase}`}
            patternUnits="userSpaceOnUse"
            width="6"
            height="6"
          >
            <rect class={`tone tone-${phase}`} width="6" height="6" />
            <path class="hatch" d={hatch} />
          </pattern>
        ))}
      </defs>
    </svg>
  );
}

export function PhaseKey({ phase }: { phase: Phase }) {
  return (
    <span class="phase-key">
      <svg width="18" height="10" aria-hidden="true">
        <rect width="18" height="10" rx="2" fill={`url(#phase-${phase})`} />
      </svg>
      {phase}
    </span>
  );
}

/** A dotted name that may be broken at its dots. */
export function Dotted({ name }: { name: string }) {
  const keys = name.split('.');
  return (
    <code class="dotted">
      {keys.map((key, index) => (
        <span key={index}>
          {key}
          {index < keys.length - 1 ? '.' : ''}
          <wbr />
        </span>
      ))}
    </code>
  );
}
