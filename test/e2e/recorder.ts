import type { Cluster } from '../cluster/cluster.ts';
import { startRecorder as follow, type KeyChange } from '../cluster/recorder.ts';
import type { Change } from './history.ts';

const ROOT = '/registry/';
/** Where the API server keeps what is recorded. */
const KINDS = { daemonsets: 'DaemonSet', minions: 'Node', pods: 'Pod' } as const;

/** What happens to a cluster's objects and hosts, from its first moment on. */
export interface Recorder {
  /** All changes up to now. Throws where the record has a gap. */
  changes(): Promise<Change[]>;
  /** Notes what etcd does not know of. */
  host(name: string, isUp: boolean): void;
  stop(): Promise<void>;
}

/** Records a cluster that was started with `isRecorded`. */
export async function startRecorder({ etcdUrl }: Cluster): Promise<Recorder> {
  const changes: Change[] = [];
  const onChange = (key: KeyChange) => {
    const change = changeOf(key);
    if (change) changes.push(change);
  };
  // A gap is thrown when one asks for the changes.
  const recorder = await follow(etcdUrl, onChange, () => {});
  return {
    async changes() {
      await recorder.caughtUp();
      return [...changes];
    },
    host(name, isUp) {
      changes.push({ revision: recorder.revision(), kind: 'Host', name, isUp });
    },
    stop: recorder.stop,
  };
}

function changeOf({ revision, key, value }: KeyChange): Change | null {
  if (!key.startsWith(ROOT)) return null;
  const [folder = '', ...path] = key.slice(ROOT.length).split('/');
  const kind = Object.hasOwn(KINDS, folder) ? KINDS[folder as keyof typeof KINDS] : undefined;
  if (kind === undefined) return null;
  const object = value === null ? null : JSON.parse(value);
  return { revision, kind, name: path.join('/'), object };
}
