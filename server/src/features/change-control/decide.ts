import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../platform/actor.ts';
import { writeByChangeSet } from '../../platform/change-gate.ts';
import { databaseClock } from '../../platform/clock.ts';
import { type Db, type Tx, transact } from '../../platform/db/database.ts';
import { Conflict, Forbidden, invalid, NotFound, notFound } from '../../platform/errors.ts';
import { controlOf, endControl, lockControl, otherAdministrators } from './control-store.ts';
import { assertOtherDuty, needsTwoDuties } from './duties.ts';
import { tell } from './news.ts';
import { openWrites } from './secrets.ts';
import {
  assertOther,
  assertProposed,
  type ChangeControlOptions,
  controlEntry,
  entryOf,
  findSet,
  isAdministrator,
  isOfInstallation,
  lockProposed,
  organizationOf,
  person,
} from './service.ts';
import {
  type ChangeSet,
  decide,
  finishApplying,
  keepConsequences,
  keepReview,
  type StoredChange,
  type Values,
} from './store.ts';
import { consequencesOf, makeChanges, mayMake, writesOf } from './work.ts';

/** Returns the proposer with current rights. @throws Conflict if they no longer suffice */
export async function proposerOf(
  { actor }: ChangeControlOptions,
  set: ChangeSet,
  caller: Caller,
): Promise<Caller> {
  const current = await actor(set.proposer_id, organizationOf(caller), caller.actor.remoteAddress);
  // The dates before and after are compared as texts, so both have the zone of the proposal.
  const proposer = current && {
    ...caller,
    actor: current,
    zone: set.zone ?? caller.zone,
    isApproved: true,
  };
  if (!proposer || !isAdministrator(proposer) || !mayMake(writesOf(set), proposer))
    throw new Conflict('change_set_proposer');
  return proposer;
}

/**
 * Approves a change set of another administrator. Makes its changes in the same transaction, with
 * the rights of the proposer, unless they apply from a later time.
 * @throws NotFound, Forbidden, Conflict; Invalid if the engine rejects a change now
 */
export async function approve(
  options: ChangeControlOptions,
  id: string,
  comment: string,
  caller: Caller,
): Promise<void> {
  const { db, audit } = options;
  const seen = await findSet(id, caller, db);
  assertProposed(seen);
  assertOther(seen, caller);
  if (!mayMake(writesOf(seen), caller)) throw notFound();
  if (writesOf(seen).some(isOfInstallation)) await options.settings.settings.confirm(caller);
  const proposer = await proposerOf(options, seen, caller);
  await assertOtherDuty(seen, proposer.actor.duty, caller.actor.duty, db);
  await assertSameConsequences(options, seen, proposer);
  await transact(db, async (tx) => {
    if (seen.ticket_id) await options.requests.lock(seen.ticket_id, tx);
    await lockControl(organizationOf(caller), tx);
    const set = await lockProposed(id, caller, tx);
    const decision = { decider: person(caller), comment };
    if (set.apply_at && set.apply_at > databaseClock.date()) {
      await decide(id, { ...decision, state: 'approved' }, tx);
      await audit(tx, caller, entryOf(set, 'update', ['proposed', 'approved'], comment));
    } else {
      await decide(id, { ...decision, state: 'applying' }, tx);
      await apply(options, set, { caller, proposer, comment, tx });
      await audit(tx, caller, entryOf(set, 'update', ['proposed', 'applied'], comment));
    }
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
  const { db, audit } = options;
  if (comment.trim() === '') throw invalid('comment', 'required');
  const seen = await findSet(id, caller, db);
  assertProposed(seen);
  if (seen.proposer_id !== caller.actor.userId) throw new Forbidden('change_set_not_own');
  if (!(await canBreakGlass(seen, caller, db))) throw new Conflict('change_set_no_break_glass');
  if (writesOf(seen).some(isOfInstallation)) await options.settings.settings.confirm(caller);
  const proposer = await proposerOf(options, seen, caller);
  await assertSameConsequences(options, seen, proposer);
  await transact(db, async (tx) => {
    await lockControl(organizationOf(caller), tx);
    const set = await lockProposed(id, caller, tx);
    const decision = { decider: person(caller), comment, isEmergency: true };
    await decide(id, { ...decision, state: 'applying' }, tx);
    await apply(options, set, { caller, proposer, comment, tx });
    await audit(tx, caller, entryOf(set, 'update', ['proposed', 'applied at once'], comment));
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
  if ((await controlOf(organizationOf(caller), db))?.allows_break_glass !== true) return false;
  return !(await needsTwoDuties(set.changes, db));
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

interface Applying {
  /** The user or the part of the program that applies it. */
  readonly caller: Caller;
  readonly proposer: Caller;
  readonly comment: string;
  readonly tx: Tx;
}

/**
 * Makes the changes of a locked change set in state `applying`, with the rights of its proposer.
 */
export async function apply(
  { engines, settings, vault, audit, requests }: ChangeControlOptions,
  set: ChangeSet,
  { caller, proposer, comment, tx }: Applying,
): Promise<void> {
  const { id } = set;
  await writeByChangeSet(id, tx);
  const applied = await makeChanges(await openWrites(set, { vault, tx }), {
    engines,
    settings,
    audit,
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
}

/** @throws Conflict if an object differs from the one that the proposal changes */
function assertUnchanged(change: StoredChange | undefined, before: Values | null): void {
  if (!isDeepStrictEqual(asJson(change?.before ?? null), asJson(before)))
    throw new Conflict('change_set_stale', { name: change?.name ?? '' });
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/**
 * Stores consequences that differ from those that the decider could read.
 * @throws Conflict if they differ
 */
async function assertSameConsequences(
  options: ChangeControlOptions,
  set: ChangeSet,
  proposer: Caller,
): Promise<void> {
  const now = await otherConsequences(options, set, proposer);
  if (!now) return;
  await keepConsequences(set.id, now, options.db);
  throw new Conflict('change_set_consequences');
}

/**
 * Computes the consequences again. Returns undefined if they are those that the decider could read.
 * @throws Conflict
 */
export async function otherConsequences(
  { db, engines }: ChangeControlOptions,
  set: ChangeSet,
  proposer: Caller,
): Promise<ChangeSet['consequences'] | undefined> {
  const now = await consequencesOf(set.changes, { db, engines, caller: proposer }).catch(
    (error: unknown) => {
      if (!(error instanceof NotFound)) throw error;
      throw new Conflict('change_set_stale', { name: set.changes[0]?.name ?? '' });
    },
  );
  return isDeepStrictEqual(asJson(now), asJson(set.consequences)) ? undefined : now;
}
