import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { run } from '../../src/cli/run.ts';
import { type ApiServer, startApiServer } from '../../src/rehearsal/apiserver.ts';
import { createObjects, DAEMON_SET, NAMESPACE } from '../../src/rehearsal/cluster.ts';
import { journalPath } from '../../src/service/state.ts';
import { poll } from '../cluster/cluster.ts';
import { type Host, startHost } from '../hosts/host.ts';
import { missing } from '../hosts/image.ts';
import { offer } from '../hosts/packages.ts';
import { CONFIG, configPath, writeConfig } from '../hosts/program.ts';
import { becomes } from '../hosts/unit.ts';
import { requires } from '../requires.ts';
import { ask } from './ask.ts';
import { foldRows } from './fold-rows.ts';
import { readEvents } from './reader.ts';
import { stubFolder } from './serving.ts';

const LIMIT_MS = 60_000;
const TOKEN = 'secret-token-of-the-kubeconfig';
const SECRET = 'secret-line-of-the-configuration';

describe('run --inspect on a real host', requires('real hosts', missing()), () => {
  const page = stubFolder();
  const folder = mkdtempSync(join(tmpdir(), 'inspected-'));
  let host: Host;
  let server: ApiServer;
  const agents: Promise<number>[] = [];
  before(async () => {
    server = await startApiServer({ token: TOKEN });
    createObjects(server.store, ['node-1']);
    host = await startHost();
    writeConfig(host, `${CONFIG}// ${SECRET}\n`);
    process.env.DBUS_SYSTEM_BUS_ADDRESS = host.bus();
    writeFileSync(join(folder, 'kubeconfig'), kubeconfig(server.url));
  });
  after(async () => {
    // Where a test has failed its agent is still at work.
    process.emit('SIGTERM');
    await Promise.all(agents);
    delete process.env.DBUS_SYSTEM_BUS_ADDRESS;
    await server?.close();
    await host?.stop();
    page.remove();
    rmSync(folder, { recursive: true });
  });

  /** The program in this process, with what it has written so far. */
  const start = (...flags: string[]) => {
    let text = '';
    const out = { write: (line: string) => (text += line) };
    const ended = run(
      [
        `--kube-namespace=${NAMESPACE}`,
        `--kube-daemonset=${DAEMON_SET}`,
        '--kube-node=node-1',
        `--kubeconfig=${join(folder, 'kubeconfig')}`,
        `--state-path=${join(folder, 'state')}`,
        `--host-mount=${host.mount}`,
        `--config-path=${configPath(host)}`,
        ...flags,
      ],
      out,
      out,
      page.path,
    );
    agents.push(ended.catch(() => 1));
    return {
      ended,
      text: () => text,
      async url() {
        await poll(async () => /Inspector: /.test(text), LIMIT_MS);
        return /Inspector: (http:[^\s"]+)/.exec(text)?.[1] ?? '';
      },
    };
  };

  const journal = () =>
    readFileSync(journalPath(join(folder, 'state')), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('records as they come and those before, and no secret in anything that it answers', async () => {
    offer(host.root, 'hu-plain');
    assert.equal(await start().ended, 0);
    const earlier = journal().length;
    host.hold('update');
    const agent = start('--inspect=127.0.0.1:0', '--log-format=json');
    const url = await agent.url();
    const reader = await readEvents(`${url}events`);
    await becomes(host, 'activating');
    await reader.until(() => foldRows(reader.rows).folded.at(-1) === 'locked.upgrading');
    const answers = await Promise.all(
      ['', 'app.js', 'app.css', 'machine.json', 'source.json', 'control'].map((path) =>
        ask(url + path),
      ),
    );
    host.letGo('update');
    assert.equal(await agent.ended, 0, agent.text());
    await reader.until(reader.isClosed);
    await assert.rejects(ask(url), /ECONNREFUSED/);

    const records = reader.rows.flatMap((row) => (row.kind === 'record' ? [row.record] : []));
    assert.ok(earlier > 0 && records.length > earlier);
    assert.deepEqual(records, journal().slice(0, records.length));
    const { folded, said } = foldRows(reader.rows);
    assert.deepEqual(folded, said);
    assert.ok(reader.rows.some((row) => row.kind === 'note' && /version/.test(row.text)));
    assert.ok(reader.rows.every(({ node }) => node === 'node-1'));
    const source = JSON.parse(answers[4]?.text ?? '');
    assert.deepEqual(
      [source.mode, source.title, source.isPaced],
      ['live', `node-1 (${NAMESPACE}/daemonsets/${DAEMON_SET})`, false],
    );

    // Both were in use, or it would prove nothing.
    assert.ok(readFileSync(join(folder, 'kubeconfig'), 'utf8').includes(TOKEN));
    assert.ok(
      readFileSync(join(configPath(host), 'unattended-upgrades.conf'), 'utf8').includes(SECRET),
    );
    const all = [
      ...reader.events.map(({ data }) => data),
      ...answers.map(({ text, headers }) => text + JSON.stringify(headers)),
      JSON.stringify(reader.headers),
    ].join('\n');
    for (const secret of [TOKEN, SECRET, 'Bearer', 'Authorization']) {
      assert.ok(!all.includes(secret), secret);
    }
  });

  test('a port that is taken, or a page that is not built, is a warning; the run goes on', async () => {
    const { port } = new URL(server.url);
    const agent = start(`--inspect=127.0.0.1:${port}`);
    assert.equal(await agent.ended, 0, agent.text());
    assert.match(
      agent.text(),
      /--inspect: 127\.0\.0\.1:\d+: cannot be listened on \(EADDRINUSE\): it is in use; give another port; the agent goes on without the inspector\n/,
    );
    assert.match(agent.text(), /Done\n$/);
  });
});

function kubeconfig(url: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    clusters: [{ name: 'a', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'a', user: { token: TOKEN } }],
  });
}
