import { CHANGE_SET } from '@sallyport/contract';
import { type Caller, displayName } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { TellUsers, UserNews } from '../tickets/index.ts';
import type { ChangeSet } from './store.ts';

/** Maximum characters of the reason as a name in logs and notifications. */
export const MOST_NAME = 128;

export type SetName = Pick<ChangeSet, 'id' | 'reason'>;
type ChangeNews =
  | 'change_proposed'
  | 'change_applied'
  | 'change_rejected'
  | 'change_emergency'
  | 'job_failed';

/** Tells users of a change set, in the transaction of its change. */
export function tell(
  tellUsers: TellUsers,
  { set, ...news }: Pick<UserNews, 'to'> & { readonly kind: ChangeNews; readonly set: SetName },
  caller: Caller,
  tx: Tx,
): Promise<void> {
  return tellUsers(
    {
      ...news,
      subject: set.reason.slice(0, MOST_NAME),
      by: displayName(caller.actor),
      about: CHANGE_SET,
      id: set.id,
      organization: caller.actor.organization.id,
      language: caller.language,
    },
    tx,
  );
}
