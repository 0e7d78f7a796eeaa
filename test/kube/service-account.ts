import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A pod's service account folder. */
export interface ServiceAccount {
  folder: string;
  write(name: 'token' | 'ca.crt', text: string): void;
  remove(): void;
}

export function serviceAccount(files: { token: string; ca?: string }): ServiceAccount {
  const folder = mkdtempSync(join(tmpdir(), 'service-account-'));
  const write: ServiceAccount['write'] = (name, text) => writeFileSync(join(folder, name), text);
  write('token', files.token);
  write('ca.crt', files.ca ?? '');
  return { folder, write, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
