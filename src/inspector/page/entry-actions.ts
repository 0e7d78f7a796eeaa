import type { AnyStateNode } from 'xstate';
import { runMachine } from '../../../machines/run.ts';

/** What a state does when it is entered, in words. `id`: as journals name it. */
export function entryActions(id: string): string[] {
  const node: AnyStateNode = runMachine.getStateNodeById(`run.${id}`);
  return (node.entry as unknown[]).map(actionName);
}

function actionName(action: unknown): string {
  if (typeof action === 'string') return action;
  const {
    type = '',
    params,
    event,
    delay,
  } = action as {
    type?: string;
    params?: unknown;
    event?: { type: string };
    delay?: unknown;
  };
  if (type === 'log') return `log ${(params as { id?: string } | undefined)?.id ?? 'a line'}`;
  if (type === 'xstate.raise') {
    return `raise ${event?.type ?? ''}${delay === undefined ? '' : ` after ${String(delay)}`}`;
  }
  if (type === 'xstate.assign') return 'assign to the context';
  return type === 'xstate.enqueueActions' ? 'set a timer, where one is wanted' : type;
}
