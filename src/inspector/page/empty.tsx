import type { Session } from './session.ts';

const COMMANDS: [string, string][] = [
  [
    'host-upgrades inspect FILE…',
    'journals, JSON logs or classic logs; several files: several nodes',
  ],
  ['host-upgrades rehearse --inspect', 'whole rollouts on a simulated cluster, as they happen'],
  ['host-upgrades run --inspect', 'the agent of this node, live'],
];

/** Nothing is there yet: what to do about it. */
export function Empty({ session }: { session: Session }) {
  const isWaiting = session.connection === 'open' || session.connection === 'connecting';
  return (
    <main class="empty-state">
      <h2>{isWaiting ? 'No event has come yet' : 'There is nothing to show'}</h2>
      <p>
        Drop a journal or a log on this page, or choose one with <b>Open…</b>. Nothing of it leaves
        this machine.
      </p>
      <p>Or start one of these:</p>
      <dl class="commands">
        {COMMANDS.map(([command, what]) => (
          <div key={command}>
            <dt>
              <code>{command}</code>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </main>
  );
}
