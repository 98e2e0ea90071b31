import {
  type AccessChange,
  type ChangeSetState,
  controlledSettings,
  type ErrorCode,
  MOST_PROPOSALS,
  PROPOSAL_DAYS,
  type ProposedChange,
} from '@sallyport/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** Values of the writable fields of an object. */
export type Values = Readonly<Record<string, unknown>>;

/** A change with its object before and after; null for a missing object. */
export interface StoredChange {
  readonly proposed: ProposedChange;
  readonly name: string;
  /** Its object. A preview rolls a new object back. */
  readonly object: string;
  readonly before: Values | null;
  readonly after: Values | null;
  /** Secret fields that it sets. Their values are sealed elsewhere. */
  readonly secrets?: readonly string[];
}

/** The error with which a change set failed at its time. */
export interface Failure {
  readonly code: ErrorCode;
  readonly params: Readonly<Record<string, string | number>>;
}

export interface ChangeSet {
  readonly id: string;
  readonly org_id: string;
  readonly reason: string;
  readonly changes: readonly StoredChange[];
  readonly turns_off: boolean;
  /** Objects of the changes in order; empty until they are applied. */
  readonly objects: readonly string[];
  /** Changes of access, one list per change. */
  readonly consequences: readonly (readonly AccessChange[])[];
  readonly state: ChangeSetState;
  readonly proposer_id: string;
  readonly proposer_name: string;
  readonly decider_id: string | null;
  readonly decider_name: string;
  readonly decision_comment: string;
  readonly date_created: Date;
  readonly date_expires: Date;
  readonly date_decided: Date | null;
  /** The time from which it applies; null for the approval. */
  readonly apply_at: Date | null;
  readonly date_applied: Date | null;
  readonly failure: Failure | null;
  /** Time zone of the dates in its changes; null in older rows. */
  readonly zone: string | null;
  /** True if the proposer applied it without a second administrator. */
  readonly is_emergency: boolean;
  readonly reviewer_name: string;
  readonly review_comment: string;
  /** The access request that it answers, with its requester. */
  readonly ticket_id: string | null;
  readonly requester_id: string | null;
  readonly date_reviewed: Date | null;
}

/** A change set on the start page. */
interface WaitingSet {
  readonly id: string;
  readonly name: string;
  readonly amount: null;
  readonly date: Date;
}

/** Most change sets of a list. */
const MOST_LISTED = 200;

export interface NewProposal {
  readonly organization: string;
  readonly reason: string;
  readonly changes: readonly ProposedChange[];
  readonly turnsOff: boolean;
  readonly proposer: { readonly id: string; readonly name: string };
  readonly request?: { readonly ticketId: string; readonly requesterId: string } | undefined;
  readonly applyAt?: Date | null | undefined;
  readonly zone: string;
}

/** Inserts a change set that opens the guard for the preview of its changes. Returns its id. */
export async function insertPreview(
  { organization, reason, turnsOff, proposer, request, applyAt, zone }: NewProposal,
  tx: Tx,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into change_set (org_id, reason, changes, turns_off, state, proposer_id, proposer_name,
      date_expires, ticket_id, requester_id, apply_at, zone)
    values (${organization}, ${reason}, '[]', ${turnsOff}, 'previewing', ${proposer.id},
      ${proposer.name}, now() + make_interval(days => ${PROPOSAL_DAYS}),
      ${request?.ticketId ?? null}, ${request?.requesterId ?? null}, ${applyAt ?? null}, ${zone})
    returning id`.execute(tx);
  return rows[0]?.id ?? '';
}

export async function keepProposal(
  id: string,
  { changes, consequences }: Pick<ChangeSet, 'changes' | 'consequences'>,
  tx: Tx,
): Promise<void> {
  await sql`
    update change_set set state = 'proposed', changes = ${JSON.stringify(changes)},
      consequences = ${JSON.stringify(consequences)}
    where id = ${id}`.execute(tx);
}

export async function hasRoom(organization: string, tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from change_set
    where org_id = ${organization}
      and (state = 'proposed' and date_expires > now() or state = 'approved')`.execute(tx);
  return (rows[0]?.count ?? 0) < MOST_PROPOSALS;
}

const COLUMNS = sql`id, org_id, reason, changes, turns_off, objects, consequences,
  case when state = 'proposed' and date_expires <= now() then 'expired' else state end as state,
  proposer_id, proposer_name, decider_id, decider_name, decision_comment,
  date_created, date_expires,
  date_decided, is_emergency, reviewer_name, review_comment, date_reviewed,
  ticket_id, requester_id, apply_at, date_applied, failure, zone`;

/** A proposal that waits for a decision, or an emergency that waits for its review. */
const WAITS = sql`(state = 'proposed' and date_expires > now()
  or is_emergency and state = 'applied' and reviewer_id is null)`;

/** Returns the change sets of an organization: those that wait, then the newest. */
export async function listSets(organization: string, db: Db): Promise<ChangeSet[]> {
  const { rows } = await sql<ChangeSet>`
    select ${COLUMNS} from change_set where org_id = ${organization}
    order by (${WAITS} or state = 'approved') desc, date_created desc, id
    limit ${MOST_LISTED}`.execute(db);
  return rows;
}

/** Returns the change set that decides an access request, locked until the transaction ends. */
export async function lockSetOf(ticketId: string, tx: Tx): Promise<ChangeSet | undefined> {
  const { rows } = await sql<ChangeSet>`
    select ${COLUMNS} from change_set where ticket_id = ${ticketId} and state = 'proposed'
      and date_expires > now() for update`.execute(tx);
  return rows[0];
}

/** Change sets that wait for a user: the number and the oldest ones. */
export async function waitingSets(
  organization: string,
  userId: string,
  db: Db,
): Promise<{ readonly count: number; readonly examples: readonly WaitingSet[] }> {
  const { rows } = await sql<WaitingSet & { count: number }>`
    select id, reason as name, null::int as amount, date_created as date,
      count(*) over ()::int as count
    from change_set where org_id = ${organization} and proposer_id <> ${userId}
      and requester_id is distinct from ${userId} and ${WAITS}
    order by date_created, id limit 3`.execute(db);
  return {
    count: rows[0]?.count ?? 0,
    examples: rows.map(({ count: _count, ...example }) => example),
  };
}

/** Returns the settings that proposals and approved change sets change, the oldest set first. */
export async function waitingSettings(
  db: Db,
): Promise<
  readonly { readonly setting: string; readonly id: string; readonly applies_at: Date | null }[]
> {
  const { rows } = await sql<{ setting: string; id: string; applies_at: Date | null }>`
    select name as setting, id, case when state = 'approved' then apply_at end as applies_at
    from change_set, jsonb_array_elements(changes) as change,
      jsonb_object_keys(change -> 'after') as name
    where org_id = ''
      and (state = 'proposed' and date_expires > now() or state = 'approved')
      and change -> 'proposed' ->> 'resource' = ${controlledSettings.name}
    order by date_created, id, name`.execute(db);
  return rows;
}

/** Deletes change sets that were decided or have expired that many days ago. */
export async function forgetSets(days: number, db: Db): Promise<number> {
  const { rowCount } = await sql`
    delete from change_set
    where state <> 'approved'
      and coalesce(date_reviewed, date_applied, date_decided, date_expires)
        < now() - make_interval(days => ${days})
      and not (is_emergency and reviewer_id is null)`.execute(db);
  return rowCount ?? 0;
}

export async function setOf(
  id: string,
  organization: string,
  on: Db | Tx,
): Promise<ChangeSet | undefined> {
  const { rows } = await sql<ChangeSet>`
    select ${COLUMNS} from change_set where id = ${id} and org_id = ${organization}`.execute(on);
  return rows[0];
}

/** Like {@link setOf}, locked until the transaction ends. */
export async function lockedSet(
  id: string,
  organization: string,
  tx: Tx,
): Promise<ChangeSet | undefined> {
  const { rows } = await sql<ChangeSet>`
    select ${COLUMNS} from change_set where id = ${id} and org_id = ${organization}
    for update`.execute(tx);
  return rows[0];
}

export async function keepConsequences(
  id: string,
  consequences: ChangeSet['consequences'],
  db: Db,
): Promise<void> {
  await sql`
    update change_set set consequences = ${JSON.stringify(consequences)}
    where id = ${id} and state = 'proposed'`.execute(db);
}

export async function decide(
  id: string,
  {
    state,
    decider,
    comment,
    isEmergency = false,
  }: {
    readonly state: 'approved' | 'applying' | 'rejected' | 'withdrawn';
    readonly decider: { readonly id: string; readonly name: string };
    readonly comment: string;
    readonly isEmergency?: boolean;
  },
  tx: Tx,
): Promise<void> {
  await sql`
    update change_set set state = ${state}, decider_id = ${decider.id},
      decider_name = ${decider.name}, decision_comment = ${comment}, date_decided = now(),
      is_emergency = ${isEmergency}
    where id = ${id}`.execute(tx);
}

/** Keeps the review of an emergency. Returns false if it does not wait for one. */
export async function keepReview(
  id: string,
  reviewer: { readonly id: string; readonly name: string },
  comment: string,
  tx: Tx,
): Promise<boolean> {
  const { rowCount } = await sql`
    update change_set set reviewer_id = ${reviewer.id}, reviewer_name = ${reviewer.name},
      review_comment = ${comment}, date_reviewed = now()
    where id = ${id} and is_emergency and state = 'applied' and reviewer_id is null`.execute(tx);
  return (rowCount ?? 0) > 0;
}

export async function finishApplying(
  id: string,
  objects: readonly string[],
  tx: Tx,
): Promise<void> {
  await sql`update change_set set state = 'applied', date_applied = now(),
    objects = ${objects.map((object) => object || null)}::uuid[]
    where id = ${id}`.execute(tx);
}

/** Ends an approved change set before its time, or lets it apply. Keeps its decider. */
export async function endApproval(
  id: string,
  state: 'applying' | 'withdrawn',
  tx: Tx,
): Promise<void> {
  await sql`update change_set set state = ${state} where id = ${id}`.execute(tx);
}

export async function keepFailure(id: string, failure: Failure, tx: Tx): Promise<void> {
  await sql`update change_set set state = 'failed', failure = ${JSON.stringify(failure)}
    where id = ${id}`.execute(tx);
}

/** Returns the approved change sets whose time has come, the earliest first. */
export async function dueSets(db: Db): Promise<ChangeSet[]> {
  const { rows } = await sql<ChangeSet>`
    select ${COLUMNS} from change_set where state = 'approved' and apply_at <= now()
    order by apply_at, date_created, id limit ${MOST_LISTED}`.execute(db);
  return rows;
}
