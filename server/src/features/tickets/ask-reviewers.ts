import type { Language } from '@sallyport/contract';
import { type Caller, systemCaller } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { writeOperateLog } from '../audits/index.ts';
import { IS_VALID_USER } from '../perms/index.ts';
import type { TicketMails } from './mails.ts';
import { administers, makeTicket, type NewTicket } from './store.ts';
import type { TicketWording } from './wording.ts';

const MAX_TITLE = 256;
const MAX_BODY = 10_000;
const MOST_REVIEWERS = 50;

/** Services that ask reviewers by tickets. */
export interface AskingParts {
  readonly wording: TicketWording;
  readonly mails: Pick<TicketMails, 'asked'>;
}

/** A user who waits for reviewers. */
export interface WaitingPerson {
  readonly userId: string;
  readonly display: string;
  readonly remoteAddr: string | null;
}

interface Question {
  readonly person: WaitingPerson;
  readonly organizationId: string;
  /** Users who decide before the administrators of the organization. */
  readonly named?: readonly string[];
  readonly type: NewTicket['type'];
  /** Writes the ticket. Longer texts are cut. */
  readonly write: (language: Language, zone: string) => Pick<NewTicket, 'title' | 'body'>;
}

/**
 * Creates, logs and mails a ticket for a user who waits. Returns its id, or undefined if no user
 * may decide.
 */
export async function askReviewers(
  { wording, mails }: AskingParts,
  { person, organizationId, named = [], type, write }: Question,
  tx: Tx,
): Promise<string | undefined> {
  const assignees = await reviewersOf({ organizationId, userId: person.userId, named }, tx);
  if (assignees.length === 0) return undefined;
  const { language, zone } = wording();
  const { title, body } = write(language, zone);
  const ticket = { title: title.slice(0, MAX_TITLE), body: body.slice(0, MAX_BODY) };
  const { userId, display } = person;
  const id = await makeTicket({ userId, display, ...ticket, type, assignees }, tx);
  const caller = serverIn(organizationId, person.remoteAddr ?? '');
  await writeOperateLog(tx, caller, {
    action: 'create',
    resourceType: 'ticket',
    resource: ticket.title,
    resourceId: id,
  });
  const actor = { ...caller.actor, name: display };
  await mails.asked(id, [], { ...caller, language, zone, actor }, tx);
  return id;
}

/** The server as the author of a log entry that an organization sees. */
export function serverIn(organizationId: string, address = ''): Caller {
  const caller = systemCaller('System', address);
  const organization = { ...caller.actor.organization, id: organizationId };
  return { ...caller, actor: { ...caller.actor, organization } };
}

interface Reviewing {
  readonly organizationId: string;
  /** The user whose act is reviewed. */
  readonly userId: string;
  /** Users who review before the administrators of the organization. */
  readonly named: readonly string[];
  /** Another condition on account `u`. */
  readonly also?: Sql;
  /** A user who is not left out if there are too many. */
  readonly first?: string | undefined;
}

/**
 * Users who may review for a user: those among `named` who can sign in, else the administrators of
 * the organization. Excludes the user.
 */
export async function reviewersOf(
  { organizationId, userId, named, also = sql`true`, first }: Reviewing,
  on: Db | Tx,
): Promise<readonly string[]> {
  // A named user who has left the organization decides no longer.
  const isNamed = sql`(u.id = any (${named}::uuid[]) and (${organizationId} = '' or exists (
    select 1 from organization_member m where m.user_id = u.id
      and m.organization_id::text = ${organizationId})))`;
  const { rows } = await sql<{ id: string; is_named: boolean }>`
    select u.id, ${isNamed} as is_named from account u
    where u.id <> ${userId}::uuid and ${IS_VALID_USER} and ${also}
      and (${isNamed} or ${administers(organizationId)})
    order by is_named desc, u.id is not distinct from ${first ?? null}::uuid desc, u.date_joined,
      u.id limit ${MOST_REVIEWERS}`.execute(on);
  const own = rows.filter((row) => row.is_named);
  return (own.length > 0 ? own : rows).map(({ id }) => id);
}
