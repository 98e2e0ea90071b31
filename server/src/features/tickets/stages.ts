import type { ApprovalProgress } from '@sallyport/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Conflict } from '../../platform/errors.ts';
import type { Approvers } from '../perms/index.ts';
import { deputiesOf } from './deputies/store.ts';
import { reviewersOf } from './reviewers.ts';

/** A ticket of the server with the user whose act is reviewed; null if the account was deleted. */
interface StagedTicket {
  readonly organizationId: string;
  readonly userId: string | null;
}

/**
 * Returns the reviewers of each stage without deputies, or undefined if no distinct users could
 * decide all stages. `deciders` have decided earlier stages.
 */
export async function reviewersOfStages(
  { organizationId, userId }: StagedTicket,
  stages: readonly Approvers[],
  tx: Tx,
  deciders: readonly string[] = [],
): Promise<readonly (readonly string[])[] | undefined> {
  const lists: string[][] = [];
  for (const approvers of stages) {
    const reviewers = await reviewersOf({ organizationId, userId, named: approvers }, tx);
    lists.push(reviewers.filter((id) => !deciders.includes(id)));
  }
  return haveDistinct(lists) ? lists : undefined;
}

/** Adds the deputies of reviewers, except users who have decided another stage. */
export async function withDeputies(
  reviewers: readonly string[],
  ticket: StagedTicket,
  tx: Tx,
  deciders: readonly string[] = [],
): Promise<readonly string[]> {
  const deputies = await deputiesOf(reviewers, ticket, tx);
  const ids = deputies.map(({ id }) => id).filter((id) => !deciders.includes(id));
  return [...new Set([...reviewers, ...ids])];
}

/** Returns true if each list can give another user. */
function haveDistinct(
  [list, ...rest]: readonly (readonly string[])[],
  taken: string[] = [],
): boolean {
  return (
    list === undefined ||
    list.some((id) => !taken.includes(id) && haveDistinct(rest, [...taken, id]))
  );
}

interface NewStages {
  readonly ticketId: string;
  readonly organizationId: string;
  readonly stages: readonly Approvers[];
  /** The reviewers of the first stage. */
  readonly asked: readonly string[];
}

/** Stores the stages of a new ticket. */
export async function keepStages(
  { ticketId, organizationId, stages, asked }: NewStages,
  tx: Tx,
): Promise<void> {
  for (const [index, { users, groups }] of stages.entries())
    await sql`insert into ticket_stage (ticket_id, stage, org_id, user_ids, group_ids, asked_ids)
      values (${ticketId}, ${index + 1}, ${organizationId}, ${users}::uuid[], ${groups}::uuid[],
        ${index === 0 ? asked : []}::uuid[])`.execute(tx);
}

interface StageRow {
  readonly stage: number;
  readonly org_id: string;
  readonly user_ids: readonly string[];
  readonly group_ids: readonly string[];
  readonly decided_by: string | null;
  readonly decided_for: string | null;
  readonly date_decided: Date | null;
}

const namedIn = ({ user_ids: users, group_ids: groups }: StageRow): Approvers => ({
  users,
  groups,
});

/** The open stage of a ticket. */
export interface OpenStage extends ApprovalProgress {
  readonly ticket: StagedTicket;
  readonly named: Approvers;
  readonly later: readonly Approvers[];
  /** Users who have decided another stage, themselves or by a deputy. */
  readonly deciders: readonly string[];
}

/** Returns the open stage; undefined for tickets without stages. */
export async function openStageOf(
  ticketId: string,
  userId: string | null,
  tx: Tx,
): Promise<OpenStage | undefined> {
  const { rows } = await sql<StageRow>`
    select stage, org_id, user_ids, group_ids, decided_by, decided_for, date_decided
    from ticket_stage where ticket_id = ${ticketId} order by stage`.execute(tx);
  const [open, ...later] = rows.filter((row) => row.date_decided === null);
  if (!open) return undefined;
  return {
    ticket: { organizationId: open.org_id, userId },
    stage: open.stage,
    stages: rows.length,
    named: namedIn(open),
    later: later.map(namedIn),
    deciders: rows.flatMap((row) => [row.decided_by ?? [], row.decided_for ?? []].flat()),
  };
}

/** The right of a user to decide a stage: the own one, or that of a reviewer as the deputy. */
export interface Standing {
  readonly deputyOf?: { readonly id: string; readonly name: string };
}

/**
 * Returns the standing of a user who was asked, if the user is still a reviewer of the stage:
 * named, a member of a named group, an administrator, or the deputy of one of them, and has decided
 * no other stage.
 */
export async function standingOf(
  { ticket, named, deciders }: OpenStage,
  userId: string,
  tx: Tx,
): Promise<Standing | undefined> {
  if (deciders.includes(userId)) return undefined;
  const reviewers = await reviewersOf({ ...ticket, named, first: userId }, tx);
  if (reviewers.includes(userId)) return {};
  const open = reviewers.filter((id) => !deciders.includes(id));
  const deputy = (await deputiesOf(open, ticket, tx)).find(({ id }) => id === userId);
  return deputy && { deputyOf: { id: deputy.reviewerId, name: deputy.reviewer } };
}

/**
 * Returns the reviewers of the next stage after the approval of a user; undefined after the last
 * stage.
 * @throws Conflict if no other users could decide the later stages
 */
export async function nextReviewers(
  { ticket, later, deciders }: OpenStage,
  userId: string,
  { deputyOf }: Standing,
  tx: Tx,
): Promise<readonly string[] | undefined> {
  if (later.length === 0) return undefined;
  const decided = [...deciders, userId, ...(deputyOf ? [deputyOf.id] : [])];
  const [next] = (await reviewersOfStages(ticket, later, tx, decided)) ?? [];
  if (!next) throw new Conflict('ticket_next_stage_nobody');
  return withDeputies(next, ticket, tx, decided);
}

/** The author of a decision; `name` also has the reviewer of a deputy. */
export interface Decider extends Standing {
  readonly id: string | null;
  readonly name: string;
}

/** Stores the decision on a stage. */
export async function keepDecision(
  ticketId: string,
  stage: number,
  { id, name, deputyOf }: Decider,
  tx: Tx,
): Promise<void> {
  await sql`update ticket_stage set decided_by = ${id}, decided_name = ${name},
      decided_for = ${deputyOf?.id ?? null}, date_decided = now() where ticket_id = ${ticketId} and stage = ${stage}`.execute(
    tx,
  );
}

/** Opens a stage: its reviewers are the assignees of the ticket now. */
export async function openStage(
  ticketId: string,
  stage: number,
  reviewers: readonly string[],
  tx: Tx,
): Promise<void> {
  await sql`update ticket_stage set asked_ids = ${reviewers}::uuid[]
    where ticket_id = ${ticketId} and stage = ${stage}`.execute(tx);
  await sql`delete from ticket_assignees where ticket_id = ${ticketId}`.execute(tx);
  await sql`insert into ticket_assignees (ticket_id, user_id)
    select ${ticketId}, unnest(${reviewers}::uuid[])`.execute(tx);
}

/** Returns the stage that a reviewer has seen, if the body names it. */
export function stageIn(body: unknown): { readonly seenStage?: number } {
  const stage =
    typeof body === 'object' && body !== null && 'stage' in body ? body.stage : undefined;
  return typeof stage === 'number' ? { seenStage: stage } : {};
}

const OPEN_STAGE = sql`coalesce(min(s.stage) filter (where s.date_decided is null), count(*))::int`;

/** Columns of tickets (alias `t`); a ticket without stages has one. */
export const STAGE_COLUMNS = {
  stage: () =>
    sql`(select greatest(${OPEN_STAGE}, 1) from ticket_stage s where s.ticket_id = t.id)`,
  stages: () =>
    sql`(select greatest(count(*), 1)::int from ticket_stage s where s.ticket_id = t.id)`,
  decisions_display: () => sql`coalesce((
    select string_agg(s.stage || ': ' || s.decided_name, ', ' order by s.stage)
    from ticket_stage s where s.ticket_id = t.id and s.date_decided is not null), '')`,
};

/** Returns the progress of a ticket. */
export async function progressOf(ticketId: string, on: Db | Tx): Promise<ApprovalProgress> {
  const { rows } = await sql<ApprovalProgress>`
    select ${OPEN_STAGE} as stage, count(*)::int as stages from ticket_stage s
    where s.ticket_id = ${ticketId}`.execute(on);
  return rows[0] ?? { stage: 1, stages: 1 };
}
