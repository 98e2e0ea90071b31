import {
  allows,
  CHANGE_SET,
  CONTROLLED_BY_DEFAULT,
  dutyCovers,
  isUuid,
  MOST_PLANNED_DAYS,
  MOST_PROPOSALS,
  Permission,
  type ProposedChange,
} from '@sallyport/contract';
import { type Actor, type Caller, displayName } from '../../platform/actor.ts';
import { writeByChangeSet } from '../../platform/change-gate.ts';
import { databaseClock } from '../../platform/clock.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import { type Db, rolledBack, type Tx, transact } from '../../platform/db/database.ts';
import { Conflict, Forbidden, invalid, notFound } from '../../platform/errors.ts';
import type { Engines } from '../../resources/engines.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import type { SettingsServices } from '../settings/index.ts';
import type { ControlledRequests, TellUsers } from '../tickets/index.ts';
import { controlOf, lockControl, otherAdministrators, startControl } from './control-store.ts';
import { areOfTwoDuties, assertOfTwoDuties, mayDecide } from './duties.ts';
import { MOST_NAME, type SetName, tell } from './news.ts';
import { keepSecrets, withoutSecrets } from './secrets.ts';
import {
  type ChangeSet,
  decide,
  endApproval,
  hasRoom,
  insertPreview,
  keepProposal,
  lockedSet,
  type NewProposal,
  type StoredChange,
  setOf,
} from './store.ts';
import { consequencesOf, makeChanges, mayMake, writesOf } from './work.ts';

/** Maximum characters of a reason. */
export const MOST_REASON = 500;

export interface ChangeControlOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly engines: Engines;
  readonly settings: SettingsServices;
  readonly audit: AuditWriter;
  readonly tellUsers: TellUsers;
  readonly requests: ControlledRequests;
  /** Returns the current rights of an account in an organization. */
  actor(userId: string, organizationId: string, remoteAddress: string): Promise<Actor | undefined>;
}

export interface Proposal {
  readonly reason: string;
  readonly changes: readonly ProposedChange[];
  readonly turnsOff: boolean;
  /** The time from which the changes apply; null for the approval. */
  readonly applyAt?: Date | null;
  /** The access request that it answers. */
  readonly request?: { readonly ticketId: string; readonly requesterId: string };
  /** Runs first in the transaction that stores the proposal. */
  readonly prepare?: (tx: Tx) => Promise<void>;
}

const BY_DEFAULT: ReadonlySet<string> = new Set(CONTROLLED_BY_DEFAULT);

/** Changes of the whole installation: who proposes or approves one proves the identity before. */
export const isOfInstallation = ({ resource }: ProposedChange): boolean => BY_DEFAULT.has(resource);

export const person = ({ actor }: Caller) => ({ id: actor.userId, name: displayName(actor) });
export const organizationOf = ({ actor }: Caller) => actor.organization.id;

export const isAdministrator = ({ actor }: Caller): boolean =>
  allows(actor.permissions, Permission.ADMIN);

/**
 * Switches the control of the current organization on.
 * @throws Conflict without a second administrator
 */
export async function turnOn(
  { db, audit }: ChangeControlOptions,
  allowsBreakGlass: boolean,
  caller: Caller,
): Promise<void> {
  await transact(db, async (tx) => {
    if ((await otherAdministrators(organizationOf(caller), caller.actor.userId, tx)).length === 0)
      throw new Conflict('change_control_alone');
    const started = { user: person(caller), allowsBreakGlass };
    if (await startControl(organizationOf(caller), started, tx))
      await audit(tx, caller, controlEntry(caller, true));
  });
}

export const controlEntry = ({ actor }: Caller, isOn: boolean) => ({
  action: 'update' as const,
  resourceType: 'change_control',
  resource: actor.organization.name,
  resourceId: actor.organization.id,
  changes: { is_active: [!isOn, isOn] as const },
});

/** Makes changes in a transaction that is rolled back. Returns the objects before and after. */
const preview = (
  { db, engines, settings, audit }: ChangeControlOptions,
  proposal: NewProposal,
  caller: Caller,
): Promise<StoredChange[]> =>
  rolledBack(db, async (tx) => {
    await writeByChangeSet(await insertPreview(proposal, tx), tx);
    return makeChanges(proposal.changes, { engines, settings, audit, caller, tx, dryRun: true });
  });

const DAY = 86_400_000;

/** Returns true for a time in the future that is not too late. */
const isPlannable = (time: Date): boolean =>
  time.getTime() > databaseClock.now() &&
  time.getTime() <= databaseClock.now() + MOST_PLANNED_DAYS * DAY;

/**
 * Stores changes for the decision of a second administrator. The engine makes them first and rolls
 * back, so a change that it rejects is rejected now.
 * @throws Invalid, NotFound, Conflict
 */
export async function propose(
  options: ChangeControlOptions,
  proposed: Proposal,
  caller: Caller,
): Promise<string> {
  const { db, vault, engines, audit } = options;
  const { reason, changes, turnsOff, request, applyAt, prepare } = proposed;
  if (!mayMake(changes, caller)) throw notFound();
  if (changes.length === 0 && !turnsOff) throw invalid('changes', 'change_set_none');
  if (turnsOff && !dutyCovers(caller.actor.duty, 'permissions', 'change')) throw notFound();
  if (applyAt && !isPlannable(applyAt))
    throw invalid('apply_at', 'change_set_time', { max: MOST_PLANNED_DAYS });
  const organization = organizationOf(caller);
  if (organization !== '' && changes.some(isOfInstallation))
    throw new Conflict('change_set_settings');
  const isControlled = (await controlOf(organization, db)) !== undefined;
  if (!isControlled && (turnsOff || organization !== '' || !(await areOfTwoDuties(changes, db))))
    throw new Conflict('change_set_not_controlled');
  const by = { proposer: person(caller), zone: caller.zone };
  const proposal = { organization, reason, changes, turnsOff, request, applyAt, ...by };
  const planned = withoutSecrets(await preview(options, proposal, caller));
  if (!isControlled) await assertOfTwoDuties(planned.changes, caller, db);
  const consequences = await consequencesOf(planned.changes, { db, engines, caller });
  return transact(db, async (tx) => {
    await prepare?.(tx);
    if (!(await lockControl(organization, tx)) && isControlled)
      throw new Conflict('change_set_not_controlled');
    if (!(await hasRoom(organization, tx)))
      throw new Conflict('change_sets_too_many', { max: MOST_PROPOSALS });
    const id = await insertPreview(proposal, tx);
    await keepProposal(id, { changes: planned.changes, consequences }, tx);
    await keepSecrets(id, planned.secrets, { vault, tx });
    await audit(tx, caller, entryOf({ id, reason }, 'create', [null, 'proposed']));
    const others = await otherAdministrators(organization, caller.actor.userId, tx);
    const to = others.filter((userId) => userId !== request?.requesterId);
    if (request && to.length === 0) throw new Conflict('request_no_second');
    await tell(options.tellUsers, { kind: 'change_proposed', to, set: { id, reason } }, caller, tx);
    return id;
  });
}

export function entryOf(
  { id, reason }: SetName,
  action: 'create' | 'update',
  state: readonly [string | null, string],
  comment = '',
) {
  return {
    action,
    resourceType: CHANGE_SET.name,
    resource: reason.slice(0, MOST_NAME),
    resourceId: id,
    changes: { state, ...(comment && { comment: [null, comment] as const }) },
  };
}

/** Returns a change set of the current organization. @throws NotFound */
export async function findSet(id: string, caller: Caller, db: Db): Promise<ChangeSet> {
  const set = isUuid(id) ? await setOf(id, organizationOf(caller), db) : undefined;
  if (!set || !mayDecide(set, caller)) throw notFound();
  return set;
}

/** Like {@link findSet}, locked until the transaction ends. @throws NotFound */
async function lockSet(id: string, caller: Caller, tx: Tx): Promise<ChangeSet> {
  const set = isUuid(id) ? await lockedSet(id, organizationOf(caller), tx) : undefined;
  if (!set || !mayDecide(set, caller)) throw notFound();
  return set;
}

/** @throws NotFound, Conflict unless the change set waits for a decision */
export async function lockProposed(id: string, caller: Caller, tx: Tx): Promise<ChangeSet> {
  const set = await lockSet(id, caller, tx);
  assertProposed(set);
  return set;
}

export function assertProposed({ state }: ChangeSet): void {
  if (state === 'expired') throw new Conflict('change_set_expired');
  if (state !== 'proposed') throw new Conflict('change_set_decided');
}

/** @throws Forbidden for the proposer, and for the requester of the access */
export function assertOther(set: ChangeSet, { actor }: Caller): void {
  if (set.proposer_id === actor.userId) throw new Forbidden('change_set_own');
  if (set.requester_id === actor.userId) throw new Forbidden('change_set_requester');
}

/** Rejects a change set of another administrator. @throws NotFound, Forbidden, Conflict */
export async function reject(
  options: ChangeControlOptions,
  id: string,
  comment: string,
  caller: Caller,
): Promise<void> {
  const { db, audit, requests } = options;
  const { ticket_id: ticketId } = await findSet(id, caller, db);
  await transact(db, async (tx) => {
    if (ticketId) await requests.lock(ticketId, tx);
    const set = await lockProposed(id, caller, tx);
    assertOther(set, caller);
    if (!mayMake(writesOf(set), caller)) throw notFound();
    await decide(id, { state: 'rejected', decider: person(caller), comment }, tx);
    if (ticketId) await requests.answer({ ticketId, comment, permission: undefined }, caller, tx);
    await audit(tx, caller, entryOf(set, 'update', ['proposed', 'rejected'], comment));
    await tell(
      options.tellUsers,
      { kind: 'change_rejected', to: [set.proposer_id], set },
      caller,
      tx,
    );
  });
}

/** Returns true if the caller can withdraw a change set. */
export const canWithdraw = ({ state, ...set }: ChangeSet, { actor }: Caller): boolean =>
  (set.proposer_id === actor.userId && (state === 'proposed' || state === 'approved')) ||
  (set.decider_id === actor.userId && state === 'approved');

/**
 * Withdraws a change set of the caller, or one that the caller approved for a later time.
 * @throws NotFound, Forbidden, Conflict
 */
export async function withdraw(
  { db, audit }: ChangeControlOptions,
  id: string,
  caller: Caller,
): Promise<void> {
  await transact(db, async (tx) => {
    const set = await lockSet(id, caller, tx);
    const isPlanned = set.state === 'approved';
    if (!isPlanned) assertProposed(set);
    if (!canWithdraw(set, caller)) throw new Forbidden('change_set_not_own');
    if (isPlanned) await endApproval(id, 'withdrawn', tx);
    else await decide(id, { state: 'withdrawn', decider: person(caller), comment: '' }, tx);
    await audit(tx, caller, entryOf(set, 'update', [set.state, 'withdrawn']));
  });
}
