import { allows, Permission, type TicketFacts, type TicketType } from '@sallyport/contract';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { userName } from '../../resources/relations/named-objects.ts';
import { IS_VALID_USER } from '../perms/index.ts';
import type { TicketAnswer } from './kinds.ts';

/** Condition: the user is an assignee of the ticket `alias`. */
export const isAssigned = (userId: string, alias = 't'): Sql =>
  sql`exists (select 1 from ticket_assignees link
    where link.ticket_id = ${sql.ref(`${alias}.id`)} and link.user_id = ${userId}::uuid)`;

/**
 * Condition: the user is an assignee of the ticket `t`. Leaves out requests that the user has
 * approved while another administrator decides on them.
 */
export const awaits = (userId: string): Sql => sql`(${isAssigned(userId)} and not exists (
  select 1 from change_set s where s.ticket_id = t.id and s.proposer_id = ${userId}::uuid
    and s.state = 'proposed' and s.date_expires > now()))`;

/**
 * Condition: the user requested the ticket `alias`, is its assignee, or was asked about a stage.
 */
export const mayKnow = (userId: string, alias = 't'): Sql =>
  sql`(${sql.ref(`${alias}.user_id`)} = ${userId}::uuid or ${isAssigned(userId, alias)}
    or exists (select 1 from ticket_stage s where s.ticket_id = ${sql.ref(`${alias}.id`)}
      and ${userId}::uuid = any (s.asked_ids)))`;

/**
 * Like {@link mayKnow}. Auditors also read access requests and emergency access of their
 * organization, as sessions link to them.
 */
export function mayRead({ userId, permissions, organization }: Actor, alias = 't'): Sql {
  if (!allows(permissions, Permission.AUDIT)) return mayKnow(userId, alias);
  const isRequestHere = sql`exists (select 1 from ticket_asset_request r
    where r.ticket_id = ${sql.ref(`${alias}.id`)} and r.org_id = ${organization.id})`;
  const isEmergencyHere = sql`exists (select 1 from emergency_activation e
    where e.ticket_id = ${sql.ref(`${alias}.id`)} and e.org_id = ${organization.id})`;
  return sql`(${mayKnow(userId, alias)} or ${isRequestHere} or ${isEmergencyHere})`;
}

/**
 * Condition: account `u` administers the organization, as its administrator or as one of the
 * installation.
 */
export const administers = (organizationId: string): Sql => sql`(u.role = 'Admin' or exists (
  select 1 from organization_member m where m.user_id = u.id and m.role = 'Admin'
    and m.organization_id::text = ${organizationId}))`;

/**
 * Filters accounts to those that a caller can assign. Administrators can assign every member,
 * others only administrators. All must be able to sign in.
 */
export async function assignable(
  ids: readonly string[],
  { organization }: Actor,
  isAdministrator: boolean,
  db: Db | Tx,
): Promise<ReadonlySet<string>> {
  const member = sql`(${organization.id} = '' or exists (
    select 1 from organization_member m where m.user_id = u.id
      and m.organization_id::text = ${organization.id}))`;
  const may = isAdministrator
    ? sql`(${member} or ${administers(organization.id)})`
    : administers(organization.id);
  const { rows } = await sql<{ id: string }>`
    select u.id from account u where u.id = any (${ids}::uuid[])
      and ${IS_VALID_USER} and ${may}`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Filters users to those that visible tickets already name in the same part. Visible are the
 * tickets that `userId` may know of.
 */
export async function namedBefore(
  part: string,
  ids: readonly string[],
  userId: string,
  db: Db | Tx,
): Promise<readonly string[]> {
  const name =
    part === 'assignees'
      ? sql`exists (select 1 from ticket_assignees l where l.ticket_id = t.id and l.user_id = u.id)`
      : sql`t.user_id = u.id`;
  const { rows } = await sql<{ id: string }>`
    select u.id from account u where u.id = any (${ids}::uuid[]) and exists (select 1 from ticket t
      where ${mayKnow(userId)} and ${name})`.execute(db);
  return rows.map(({ id }) => id);
}

/** The assignees of a ticket. */
export async function assigneesOf(ticketId: string, db: Db | Tx): Promise<readonly string[]> {
  const { rows } = await sql<{
    user_id: string;
  }>`select user_id from ticket_assignees where ticket_id = ${ticketId} order by user_id`.execute(
    db,
  );
  return rows.map(({ user_id }) => user_id);
}

/** Copies the name of the requester to the ticket. */
export async function nameRequester(ticketId: string, tx: Tx): Promise<void> {
  await sql`update ticket t set user_display = ${userName('u')} from account u
    where t.id = ${ticketId} and u.id = t.user_id`.execute(tx);
}

/**
 * Stores the user who ended a ticket. A ticket that is closed without an answer gets no assignee.
 */
export async function nameAnswer(
  ticketId: string,
  answer: TicketAnswer,
  by: { readonly id: string | null; readonly name: string },
  tx: Tx,
): Promise<void> {
  const answered = answer !== 'close';
  await sql`
    update ticket set closed_by = ${by.name}, date_closed = now(),
      assignee_id = ${answered ? by.id : null}, assignee_display = ${answered ? by.name : ''}
    where id = ${ticketId}`.execute(tx);
}

export async function addComment(
  ticketId: string,
  by: { readonly id: string | null; readonly name: string },
  body: string,
  tx: Tx,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into ticket_comment (ticket_id, user_id, user_display, body)
      values (${ticketId}, ${by.id}, ${by.name}, ${body}) returning id`.execute(tx);
  return rows[0]?.id ?? '';
}

/** The state of a ticket and its end. */
export interface TicketState {
  readonly status: string;
  readonly action: string;
  readonly closed_by: string;
  readonly date_closed: Date | null;
}

/**
 * Returns the state of a ticket that the user requested or answers. Locks the row against changes
 * until the transaction ends.
 */
export async function stateOf(
  ticketId: string,
  userId: string,
  tx: Tx,
): Promise<TicketState | undefined> {
  const { rows } = await sql<TicketState>`
    select t.status, t.action, t.closed_by, t.date_closed from ticket t
      where t.id = ${ticketId} and ${mayKnow(userId)} for share of t`.execute(tx);
  return rows[0];
}

/** Closes the open tickets among `ids`. Returns the closed ones. */
export async function closeTickets(
  ids: readonly string[],
  by: string,
  tx: Tx,
  action: Exclude<TicketAnswer, 'close'> | '' = '',
): Promise<readonly { readonly id: string; readonly title: string }[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string; title: string }>`
    update ticket set status = 'closed', closed_by = ${by}, date_closed = now(),
      date_updated = now(), action = ${action}
    where id = any (${ids}::uuid[]) and status = 'open' returning id, title`.execute(tx);
  return rows;
}

/** A ticket that the server creates for a user. */
export interface NewTicket {
  readonly userId: string;
  readonly display: string;
  readonly title: string;
  readonly body: string;
  readonly type: TicketType;
  readonly assignees: readonly string[];
  readonly facts?: TicketFacts;
}

/** Creates a ticket and returns its id. */
export async function makeTicket(
  { userId, display, title, body, type, assignees, facts }: NewTicket,
  tx: Tx,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into ticket (user_id, user_display, title, body, type, facts)
      values (${userId}, ${display}, ${title}, ${body}, ${type},
        ${facts ? JSON.stringify(facts) : null}) returning id`.execute(tx);
  const id = rows[0]?.id ?? '';
  await sql`insert into ticket_assignees (ticket_id, user_id) select ${id}, u
    from unnest(${assignees}::uuid[]) u on conflict do nothing`.execute(tx);
  return id;
}

/** Returns the facts of a ticket that the caller may read; the screen while the command waits. */
export async function factsOf(ticketId: string, actor: Actor, db: Db): Promise<TicketFacts | null> {
  const { rows } = await sql<{ facts: TicketFacts | null; screen: string | null }>`
    select t.facts, h.screen from ticket t left join held_command h on h.ticket_id = t.id
    where t.id = ${ticketId} and ${mayRead(actor)}`.execute(db);
  const [row] = rows;
  const facts = row?.facts ?? null;
  return facts?.kind === 'held_command' && row?.screen ? { ...facts, screen: row.screen } : facts;
}

/** Locks a ticket until the transaction ends. */
export async function lockTicket(ticketId: string, tx: Tx): Promise<void> {
  await sql`select 1 from ticket where id = ${ticketId} for update`.execute(tx);
}
