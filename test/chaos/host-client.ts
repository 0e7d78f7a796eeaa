import { filter, map, Observable, Subject, takeWhile } from 'rxjs';
import type { RunEvent } from '../../machines/events.ts';
import type { HostPort } from '../../src/host/host.ts';
import { followAnswers } from './answers.ts';
import type { Question, Reply } from './host-words.ts';

/**
 * In an agent's process in place of src/host/host.ts: the host is a part of the process that started
 * this one, and lives on when this one is killed.
 */
const replies = new Subject<Reply>();
process.on('message', (reply: Reply) => replies.next(reply));
// Nobody is left who would end it.
process.on('disconnect', () => process.exit(1));
followAnswers((answered) => process.send?.({ answered }));
let asked = 0;

/** Distributes over the union, so that each question keeps its own fields. */
type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never;

function ask(question: Unnumbered<Question>): Observable<Reply> {
  return new Observable((subscriber) => {
    asked += 1;
    const id = asked;
    const subscription = replies
      .pipe(
        filter((reply) => reply.id === id),
        takeWhile(({ isLast }) => !isLast, true),
      )
      .subscribe(subscriber);
    process.send?.({ ...question, id });
    return subscription;
  });
}

function answer(question: Unnumbered<Question>): Promise<Reply> {
  return new Promise((resolve) => ask(question).subscribe(resolve));
}

function eventsOf(question: Unnumbered<Question>): Observable<RunEvent> {
  return ask(question).pipe(
    map(({ event }) => event),
    filter((event) => event !== undefined),
  );
}

export async function openHost(): Promise<HostPort> {
  const { info } = await answer({ ask: 'info' });
  if (info === undefined) throw new Error('the host does not say who it is');
  return {
    info,
    isUpgrading: async () => (await answer({ ask: 'isUpgrading' })).isUpgrading === true,
    upgrade: (run, resumed) => eventsOf({ ask: 'upgrade', run, resumed }),
    rebootRequired: (run) => eventsOf({ ask: 'upgrade', run, resumed: true }),
    reboot: () => eventsOf({ ask: 'reboot' }),
    close: () => {},
  };
}
