import {
  type ChangeSetDetail,
  type ChangeSetRow,
  ERRORS,
  formatDatetime,
  say,
} from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { canBreakGlass } from './decide.ts';
import { canWithdraw } from './service.ts';
import type { ChangeSet, StoredChange } from './store.ts';
import { resourceOf } from './work.ts';

/** A change set in lists, as the caller may see it. */
export function rowOf(set: ChangeSet, { actor, zone, language }: Caller): ChangeSetRow {
  return {
    id: set.id,
    state: set.state,
    reason: set.reason,
    proposer: set.proposer_name,
    decider: set.decider_name,
    comment: set.decision_comment,
    turns_off: set.turns_off,
    count: set.changes.length,
    date_created: formatDatetime(set.date_created, zone),
    date_expires: formatDatetime(set.date_expires, zone),
    date_decided: set.date_decided && formatDatetime(set.date_decided, zone),
    apply_at: set.apply_at && formatDatetime(set.apply_at, zone),
    date_applied: set.date_applied && formatDatetime(set.date_applied, zone),
    failure: set.failure ? say(ERRORS[set.failure.code], language, set.failure.params) : '',
    is_own: set.proposer_id === actor.userId,
    is_emergency: set.is_emergency,
    reviewer: set.reviewer_name,
    review_comment: set.review_comment,
    date_reviewed: set.date_reviewed && formatDatetime(set.date_reviewed, zone),
  };
}

/** Returns the fields whose values differ, in the order of the declaration. */
function fieldsOf({ proposed, before, after }: StoredChange) {
  return Object.fromEntries(
    Object.entries(resourceOf(proposed).fields).flatMap(([name, { kind, mode }]) => {
      // No row has an instruction such as `auto_generate_key`.
      const isInstruction = mode === 'writeonly' && kind !== 'secret';
      const value = (isInstruction ? proposed.body : after)?.[name];
      const pair = [before?.[name] ?? null, value ?? null] as const;
      return JSON.stringify(pair[0]) === JSON.stringify(pair[1]) ? [] : [[name, pair] as const];
    }),
  );
}

/** A change set with its changes. */
export const detailOf = async (
  set: ChangeSet,
  caller: Caller,
  db: Db,
): Promise<ChangeSetDetail> => ({
  ...rowOf(set, caller),
  can_withdraw: canWithdraw(set, caller),
  can_break_glass: await canBreakGlass(set, caller, db),
  ticket: set.ticket_id,
  is_requester: set.requester_id === caller.actor.userId,
  changes: set.changes.map((change, index) => ({
    resource: change.proposed.resource,
    action: change.proposed.action,
    object: change.proposed.object ?? '',
    name: change.name,
    fields: fieldsOf(change),
    secrets: change.secrets ?? [],
    access: set.consequences[index] ?? [],
  })),
});
