import type { RunEvent } from '../../../machines/events.ts';
import type { StateModel } from '../../diagram/model.ts';
import { type RecordItem, stateBefore, stateOf, typeOf } from './history.ts';
import { originOf } from './origin.ts';
import { withAncestors } from './states.ts';

export type Peer = 'kube' | 'host' | 'self';

/** A request of the agent, an answer to it, or what it did by itself. */
export interface Message {
  item: RecordItem;
  peer: Peer;
  isRequest: boolean;
  text: string;
  /** How long the answer was waited for; null where nothing was asked. */
  waitMs: number | null;
  /** Alike ones that follow each other are one: the last, with the position of the first. */
  count: number;
  from: number;
}

const REQUESTS: Record<string, [Peer, string]> = {
  readLock: ['kube', 'GET DaemonSet'],
  watchLock: ['kube', 'WATCH DaemonSet'],
  acquireLock: ['kube', 'PATCH DaemonSet: take the lock'],
  releaseLock: ['kube', 'PATCH DaemonSet: clear the lock'],
  reportNode: ['kube', 'PATCH Node: conditions'],
  cordonNode: ['kube', 'PATCH Node: unschedulable'],
  drainNode: ['kube', 'LIST Pods, POST evictions'],
  uncordonNode: ['kube', 'PATCH Node: schedulable'],
  markReboot: ['kube', 'PATCH Node: about to reboot'],
  clearReboot: ['kube', 'PATCH Node: reboot over'],
  upgradeHost: ['host', 'run the upgrade'],
  rebootHost: ['host', 'reboot'],
};

/** What went between an agent, the API server and its host, for records that follow each other. */
export function messagesOf(items: readonly RecordItem[], states: readonly StateModel[]): Message[] {
  const actors = new Map(states.map((state) => [state.id, state.actors]));
  const askedMs = new Map<Peer, number>();
  const messages: Message[] = [];
  for (const item of items) {
    const type = typeOf(item);
    const peer = peerOf(type);
    const asked = askedMs.get(peer);
    const answer = {
      item,
      peer,
      isRequest: false,
      text: answerText(item),
      waitMs: asked === undefined ? null : item.atMs - asked,
      count: 1,
      from: item.position,
    };
    const last = messages.at(-1);
    if (last && !last.isRequest && typeOf(last.item) === type && isMany(type)) {
      messages[messages.length - 1] = { ...answer, count: last.count + 1, from: last.from };
    } else {
      messages.push(answer);
    }
    for (const actor of startedBy(item, actors)) {
      const [to, text] = REQUESTS[actor] ?? ['kube', actor];
      askedMs.set(to, item.atMs);
      const from = item.position;
      messages.push({ item, peer: to, isRequest: true, text, waitMs: null, count: 1, from });
    }
  }
  return messages;
}

function isMany(type: string): boolean {
  return type === 'upgrade.output' || type.startsWith('pod.');
}

function peerOf(type: string): Peer {
  const origin = originOf(type);
  return origin === 'kube' || origin === 'host' ? origin : 'self';
}

/** The actors of the states that were entered. */
function startedBy(item: RecordItem, actors: ReadonlyMap<string, readonly string[]>): string[] {
  const before = new Set(withAncestors(stateBefore(item)));
  const entered = withAncestors(stateOf(item)).filter((id) => !before.has(id));
  return entered.flatMap((id) => actors.get(id) ?? []);
}

function answerText({ row: { record } }: RecordItem): string {
  if ('input' in record) return 'the run begins';
  const more = detail(record.event);
  return more === '' ? record.event.type : `${record.event.type}: ${more}`;
}

function detail(event: RunEvent): string {
  if ('lock' in event) return event.lock.value === '' ? 'free' : `held by ${event.lock.value}`;
  if ('pod' in event) return event.pod;
  if ('text' in event) return event.text;
  if (event.type === 'api.failed') return `${event.code ?? ''} ${event.message}`.trim();
  if ('message' in event) return event.message;
  if ('status' in event)
    return event.status.rebootRequired ? 'reboot required' : 'no reboot required';
  return '';
}
