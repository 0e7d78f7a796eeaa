import type { RunContext } from '../../../machines/setup.ts';
import type { JournalRecord } from '../../journal/record.ts';
import { timed, upgradeConditions, type Wanted } from '../../kube/conditions.ts';

/** A condition of the Node as this program has written it. */
export type Condition = ReturnType<typeof timed>;

const REBOOT = 'HostUpgradesReboot';

/**
 * The Node's conditions after a record, as far as this history tells: what was there before its
 * first report is not in it. `context` and `from`: ahead of the record.
 */
export function conditionsAfter(
  before: readonly Condition[],
  context: RunContext | null,
  from: string,
  record: JournalRecord,
): readonly Condition[] {
  if (context === null || !('event' in record) || context.daemonSet === '') return before;
  const written = writtenBy(before, context, from, record);
  if (written.length === 0) return before;
  const types = new Set(written.map(({ type }) => type));
  return [...before.filter(({ type }) => !types.has(type)), ...written];
}

function writtenBy(
  before: readonly Condition[],
  context: RunContext,
  from: string,
  record: Extract<JournalRecord, { event: unknown }>,
): Condition[] {
  const { event, atMs } = record;
  const known = [...before];
  const one = (wanted: Wanted) => [timed(wanted, known, atMs)];
  switch (event.type) {
    case 'node.reported': {
      const status = context.status ?? { rebootRequired: false, detail: '' };
      if (from !== 'locked.undrained') {
        return upgradeConditions(status, context.error, known, atMs);
      }
      // Without an upgrade it is the upgrade that has failed.
      const error = context.status === null ? context.error : null;
      return upgradeConditions(status, error, known, atMs, context.error ?? '');
    }
    case 'reboot.marked':
      return one({
        type: REBOOT,
        status: 'True',
        reason: 'Rebooting',
        message: context.status?.rebootMessage ?? '',
      });
    case 'reboot.cleared':
      return from.startsWith('locked.rebooted')
        ? one({
            type: REBOOT,
            status: 'False',
            reason: 'Rebooted',
            message: '',
            ...(context.rebooted ? { sinceMs: context.rebooted.bootMs } : {}),
          })
        : one({
            type: REBOOT,
            status: 'True',
            reason: 'RebootFailed',
            message: context.error ?? 'kept for the next window',
          });
    default:
      return [];
  }
}
