import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../platform/actor.ts';
import { writeByChangeSet } from '../../platform/change-gate.ts';
import { type Db, type Tx, transact } from '../../platform/db/database.ts';
import { Conflict, Forbidden, invalid, NotFound, notFound } from '../../platform/errors.ts';
import { tell } from './news.ts';
import {
  assertOther,
  assertProposed,
  type ChangeControlOptions,
  controlEntry,
  entryOf,
  findSet,
  isAdministrator,
  lockProposed,
  organizationOf,
  person,
  writesOf,
} from './service.ts';
import {
  type ChangeSet,
  controlOf,
  decide,
  endControl,
  finishApplying,
  keepConsequences,
  keepReview,
  lockControl,
  otherAdministrators,
  type StoredChange,
  type Values,
} from './store.ts';
import { consequencesOf, makeChanges, mayMake } from './work.ts';

/** Returns the proposer with current rights. @throws Conflict if they no longer suffice */
async function proposerOf(
  { actor }: ChangeControlOptions,
  set: ChangeSet,
  caller: Caller,
): Promise<Caller> {
  const current = await actor(set.proposer_id, organizationOf(caller), caller.actor.remoteAddress);
  const proposer = current && { ...caller, actor: current };
  if (!proposer || !isAdministrator(proposer) || !mayMake(writesOf(set), proposer))
    throw new Conflict('change_set_proposer');
  return proposer;
}

/**
 * Approves a change set of another administrator and makes its changes in one transaction, with the
 * rights of the proposer.
 * @throws NotFound, Forbidden, Conflict; Invalid if the engine rejects a change now
 */
export async function approve(
  options: ChangeControlOptions,
  id: string,
  comment: string,
  caller: Caller,
): Promise<void> {
  const { db } = options;
  const seen = await findSet(id, caller, db);
  assertProposed(seen);
  assertOther(seen, caller);
  if (!mayMake(writesOf(seen), caller)) throw notFound();
  const proposer = await proposerOf(options, seen, caller);
  await assertSameConsequences(options, seen, proposer);
  await transact(db, async (tx) => {
    if (seen.ticket_id) await options.requests.lock(seen.ticket_id, tx);
    const set = await apply(options, { id, comment, isEmergency: false }, { caller, proposer, tx });
    await tell(
      options.tellUsers,
      { kind: 'change_applied', to: [set.proposer_id], set },
      caller,
      tx,
    );
  });
}

/**
 * Applies a change set of the caller at once, where the organization allows it. The other
 * administrators hear of it, and one of them reviews it.
 * @throws NotFound, Forbidden, Conflict; Invalid if the engine rejects a change now
 */
export async function breakGlass(
  options: ChangeControlOptions,
  id: string,
  comment: string,
  caller: Caller,
): Promise<void> {
  const { db } = options;
  if (comment.trim() === '') throw invalid('comment', 'required');
  const seen = await findSet(id, caller, db);
  assertProposed(seen);
  if (seen.proposer_id !== caller.actor.userId) throw new Forbidden('change_set_not_own');
  if (!(await canBreakGlass(seen, caller, db))) throw new Conflict('change_set_no_break_glass');
  const proposer = await proposerOf(options, seen, caller);
  await assertSameConsequences(options, seen, proposer);
  await transact(db, async (tx) => {
    const set = await apply(options, { id, comment, isEmergency: true }, { caller, proposer, tx });
    const to = await otherAdministrators(organizationOf(caller), caller.actor.userId, tx);
    await tell(options.tellUsers, { kind: 'change_emergency', to, set }, caller, tx);
  });
}

/** Returns true if the caller may apply a change set at once. */
export async function canBreakGlass(set: ChangeSet, caller: Caller, db: Db): Promise<boolean> {
  if (
    set.state !== 'proposed' ||
    set.turns_off ||
    set.ticket_id ||
    set.proposer_id !== caller.actor.userId
  )
    return false;
  return (await controlOf(organizationOf(caller), db))?.allows_break_glass === true;
}

/** Keeps that the caller has read what another administrator applied at once. */
export async function review(
  { db, audit }: ChangeControlOptions,
  id: string,
  comment: string,
  caller: Caller,
): Promise<void> {
  const set = await findSet(id, caller, db);
  if (set.proposer_id === caller.actor.userId) throw new Forbidden('change_set_own');
  if (!mayMake(writesOf(set), caller)) throw notFound();
  await transact(db, async (tx) => {
    if (!(await keepReview(id, person(caller), comment, tx)))
      throw new Conflict('change_set_not_reviewed');
    await audit(tx, caller, entryOf(set, 'update', ['applied', 'reviewed'], comment));
  });
}

/** Makes the changes of a proposed change set, with the rights of its proposer. */
async function apply(
  { engines, audit, requests }: ChangeControlOptions,
  decision: { readonly id: string; readonly comment: string; readonly isEmergency: boolean },
  { caller, proposer, tx }: Readonly<Record<'caller' | 'proposer', Caller>> & { readonly tx: Tx },
): Promise<ChangeSet> {
  const { id, comment, isEmergency } = decision;
  await lockControl(organizationOf(caller), tx);
  const set = await lockProposed(id, caller, tx);
  await decide(id, { state: 'applying', decider: person(caller), comment, isEmergency }, tx);
  await writeByChangeSet(id, tx);
  const applied = await makeChanges(writesOf(set), {
    engines,
    caller: proposer,
    tx,
    dryRun: false,
    check: (index, before) => assertUnchanged(set.changes[index], before),
  });
  if (set.turns_off) {
    await endControl(organizationOf(caller), tx);
    await audit(tx, { ...proposer, requestedBy: caller.actor }, controlEntry(caller, false));
  }
  await finishApplying(
    id,
    applied.map(({ object }) => object),
    tx,
  );
  if (set.ticket_id) {
    const permission = applied[0]?.object;
    await requests.answer({ ticketId: set.ticket_id, comment, permission }, caller, tx);
  }
  const state = isEmergency ? 'applied at once' : 'applied';
  await audit(tx, caller, entryOf(set, 'update', ['proposed', state], comment));
  return set;
}

/** @throws Conflict if an object differs from the one that the proposal changes */
function assertUnchanged(change: StoredChange | undefined, before: Values | null): void {
  if (!isDeepStrictEqual(asJson(change?.before ?? null), asJson(before)))
    throw new Conflict('change_set_stale', { name: change?.name ?? '' });
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/**
 * Computes the consequences again. If they differ from those that the decider could read, it stores
 * them.
 * @throws Conflict
 */
async function assertSameConsequences(
  { db, engines }: ChangeControlOptions,
  set: ChangeSet,
  proposer: Caller,
): Promise<void> {
  const now = await consequencesOf(set.changes, { db, engines, caller: proposer }).catch(
    (error: unknown) => {
      if (!(error instanceof NotFound)) throw error;
      throw new Conflict('change_set_stale', { name: set.changes[0]?.name ?? '' });
    },
  );
  if (isDeepStrictEqual(asJson(now), asJson(set.consequences))) return;
  await keepConsequences(set.id, now, db);
  throw new Conflict('change_set_consequences');
}
