import { DEFAULT_ORGANIZATION_NAME } from '@sallyport/contract';
import { type Caller, systemCaller } from '../../platform/actor.ts';
import { transact } from '../../platform/db/database.ts';
import { AppError, Conflict, Invalid } from '../../platform/errors.ts';
import { defineHousekeeping, type JobDefinition } from '../../platform/jobs/definition.ts';
import { lockControl } from './control-store.ts';
import { apply, otherConsequences, proposerOf } from './decide.ts';
import { tell } from './news.ts';
import { forgetExpiredSecrets } from './secrets.ts';
import { type ChangeControlOptions, entryOf } from './service.ts';
import {
  type ChangeSet,
  dueSets,
  endApproval,
  type Failure,
  keepFailure,
  lockedSet,
} from './store.ts';

/** Applies approved change sets at their time, on one server. */
export const createDueJob = (run: () => Promise<void>): JobDefinition<void> =>
  defineHousekeeping({
    name: 'due-change-sets',
    title: { en: 'Apply change sets at their time', zh: '按计划时间应用变更' },
    everyMinutes: 1,
    run,
  });

/** Returns false for temporary errors: the next run tries again. */
const isAnswer = (error: unknown): error is AppError =>
  error instanceof AppError && error.kind !== 'unavailable' && error.code !== 'conflict';

/** @throws the last temporary error, after all other change sets */
export async function applyDueSets(options: ChangeControlOptions): Promise<void> {
  await forgetExpiredSecrets(options.db);
  let temporary: unknown;
  for (const set of await dueSets(options.db)) {
    const caller = serverFor(set);
    try {
      await applyDue(options, set, caller);
    } catch (error) {
      if (isAnswer(error)) await fail(options, set, { failure: failureOf(error), caller });
      else temporary = error;
    }
  }
  if (temporary !== undefined) throw temporary;
}

/** The server as the author of entries of an organization. */
function serverFor({ org_id: id }: ChangeSet): Caller {
  return systemCaller('System', '', { id, name: id === '' ? DEFAULT_ORGANIZATION_NAME : id });
}

async function applyDue(
  options: ChangeControlOptions,
  seen: ChangeSet,
  caller: Caller,
): Promise<void> {
  const proposer = await proposerOf(options, seen, caller);
  if (await otherConsequences(options, seen, proposer))
    throw new Conflict('change_set_other_access');
  await transact(options.db, async (tx) => {
    await lockControl(seen.org_id, tx);
    const set = await lockedSet(seen.id, seen.org_id, tx);
    // Withdrawn, or applied by another server.
    if (set?.state !== 'approved') return;
    await endApproval(set.id, 'applying', tx);
    await apply(options, set, { caller, proposer, comment: '', tx });
    await options.audit(tx, caller, entryOf(set, 'update', ['approved', 'applied']));
  });
}

/** A field that is wrong now says little to readers of the change set. */
const failureOf = (error: AppError): Failure =>
  error instanceof Invalid
    ? { code: 'change_set_refused', params: {} }
    : { code: error.code, params: { name: String(error.params.name ?? '') } };

async function fail(
  { db, audit, tellUsers }: ChangeControlOptions,
  { id, org_id: organization }: ChangeSet,
  { failure, caller }: { readonly failure: Failure; readonly caller: Caller },
): Promise<void> {
  await transact(db, async (tx) => {
    const set = await lockedSet(id, organization, tx);
    if (set?.state !== 'approved') return;
    await keepFailure(id, failure, tx);
    await audit(tx, caller, entryOf(set, 'update', ['approved', 'failed']));
    const to = [set.proposer_id, ...(set.decider_id ? [set.decider_id] : [])];
    await tell(tellUsers, { kind: 'job_failed', to, set }, caller, tx);
  });
}
