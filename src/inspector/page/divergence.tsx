import type { Session } from './session.ts';

/** Where a history breaks, in the words of `replay`. */
export function Divergence({ session }: { session: Session }) {
  const breaks = session.breaks();
  return (
    <>
      {breaks.map(({ where, message, index }) => (
        <p key={where} class="divergence" role="alert">
          <span>
            <b>✕ The machine refuses this history.</b> {where}: {message}
          </span>
          <button type="button" onClick={() => session.select(index)}>
            Go there
          </button>
        </p>
      ))}
    </>
  );
}
