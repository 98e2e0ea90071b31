import type { Language, TicketFacts } from '@sallyport/contract';
import { type Caller, systemCaller } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { writeOperateLog } from '../audits/index.ts';
import type { Approvers } from '../perms/index.ts';
import type { TicketMails } from './mails.ts';
import { keepStages, reviewersOfStages, withDeputies } from './stages.ts';
import { makeTicket, type NewTicket } from './store.ts';
import type { TicketWording } from './wording.ts';

const MAX_TITLE = 256;
const MAX_BODY = 10_000;
/** The stages of a question to administrators. */
const BY_ADMINISTRATORS: readonly Approvers[] = [{ users: [], groups: [] }];

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
  /** Reviewers before the administrators of the organization, by stage. */
  readonly stages?: readonly Approvers[];
  readonly type: NewTicket['type'];
  /** Writes the ticket for mails and other clients. Longer texts are cut. */
  readonly write: (language: Language, zone: string) => Pick<NewTicket, 'title' | 'body'>;
  /** The same for the console. */
  readonly facts: TicketFacts;
}

/**
 * Creates, logs and mails a ticket for a user who waits. Returns its id, or undefined if no users
 * may decide all stages.
 */
export async function askReviewers(
  { wording, mails }: AskingParts,
  { person, organizationId, stages = BY_ADMINISTRATORS, type, write, facts }: Question,
  tx: Tx,
): Promise<string | undefined> {
  const reviewed = { organizationId, userId: person.userId };
  const [first] = (await reviewersOfStages(reviewed, stages, tx)) ?? [];
  if (!first) return undefined;
  const assignees = await withDeputies(first, reviewed, tx);
  const { language, zone } = wording();
  const { title, body } = write(language, zone);
  const ticket = { title: title.slice(0, MAX_TITLE), body: body.slice(0, MAX_BODY) };
  const { userId, display } = person;
  const id = await makeTicket({ userId, display, ...ticket, type, assignees, facts }, tx);
  await keepStages({ ticketId: id, organizationId, stages, asked: assignees }, tx);
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
