import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from '../../src/rehearsal/apiserver.ts';
import type { Answer, RequestInit } from '../cluster/cluster.ts';
import { kubeconfig } from '../cluster/cluster.ts';
import { podConformance } from './pods.ts';
import { type ConformanceServer, storeConformance } from './suite.ts';

async function start(): Promise<ConformanceServer> {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-'));
  const server = await startApiServer({ token: 'embedded', bookmarkMs: 200 });
  const path = join(folder, 'kubeconfig');
  writeFileSync(path, kubeconfig(server.url, null, 'embedded'));
  const request = async (target: string, init: RequestInit = {}): Promise<Answer> => {
    const answer = await fetch(`${server.url}${target}`, {
      method: init.method ?? 'GET',
      headers: {
        authorization: `Bearer ${init.token ?? 'embedded'}`,
        'content-type': init.type ?? 'application/json',
      },
      body: init.body === undefined ? null : JSON.stringify(init.body),
    });
    return { status: answer.status, body: await answer.json() };
  };
  return {
    kubeconfig: path,
    request,
    compact: async () => server.store.compact(),
    stop: async () => {
      await server.close();
      rmSync(folder, { recursive: true });
    },
  };
}

storeConformance('the embedded API server', { skip: false }, start);
podConformance('the embedded API server', { skip: false }, start);
