import {
  allows,
  formatDatetime,
  type Language,
  Permission,
  type Problem,
  type StoredRowOf,
  say,
  TICKET_ACTIONS,
  ticket,
  ticketComment,
  type ValuesOf,
} from '@sallyport/contract';
import { type Actor, displayName } from '../../platform/actor.ts';
import { sql } from '../../platform/db/sql.ts';
import { Conflict, Forbidden, invalid, notFound } from '../../platform/errors.ts';
import { hooksFor, kept, type Operation, type Saved } from '../../resources/hooks.ts';
import type { LicenseService } from '../license/index.ts';
import type { TicketAnswer, TicketKinds } from './kinds.ts';
import type { TicketMails } from './mails.ts';
import { decidedFor, logDecision, type PassedStage, passStage } from './pass-stage.ts';
import {
  type Decider,
  keepDecision,
  nextReviewers,
  openStageOf,
  STAGE_COLUMNS,
  type Standing,
  stageIn,
  standingOf,
} from './stages.ts';
import {
  addComment,
  assignable,
  assigneesOf,
  awaits,
  mayKnow,
  mayRead,
  nameAnswer,
  namedBefore,
  nameRequester,
  stateOf,
  type TicketState,
} from './store.ts';

/** The hooks of comments. Readers of an open ticket can read and write them. */
export const ticketCommentHooks = hooksFor(ticketComment, {
  visible: ({ actor }) =>
    sql`exists (select 1 from ticket above where above.id = t.ticket_id
      and ${mayRead(actor, 'above')})`,
  async insert({ body = '' }, { caller, tx }) {
    const ticketId = caller.within?.[ticketComment.name];
    const state = ticketId && (await stateOf(ticketId, caller.actor.userId, tx));
    if (!ticketId || !state) throw notFound();
    assertOpen(state, caller);
    return addComment(ticketId, authorOf(caller.actor), body, tx);
  },
  describe: (row) => String(row.body).slice(0, 80),
});

type TicketRow = StoredRowOf<typeof ticket>;
type TicketValues = ValuesOf<typeof ticket>;

/** The former assignees of the tickets in a write. */
const BEFORE = kept(() => new Map<string, readonly string[]>());

const THIS_TICKET = { en: '{who} {action} this ticket', zh: '{who} {action}这个工单' };
const CLOSED = { en: 'Closed', zh: '关闭' };
const FOR = { en: '{who} for {reviewer}', zh: '{who}（代 {reviewer}）' };

/** The server also writes tickets. Only users need the right for each step. */
const isPerson = ({ session }: Actor) => session.kind !== 'system';
const isAdministrator = (actor: Actor) => allows(actor.permissions, Permission.ADMIN);
/** The author of a change as tickets name it. */
export const authorOf = (actor: Actor) => ({
  id: isPerson(actor) ? actor.userId : null,
  name: displayName(actor),
});

/** The word for the decision of an assignee. */
export function actionInWords(action: string, language: Language): string {
  const choice = action === '' ? undefined : TICKET_ACTIONS.find(({ value }) => value === action);
  return say(choice?.label ?? CLOSED, language);
}

/** Returns the answer that a body gives to an open ticket. Undefined for an edit. */
function answerOf({ action, status }: TicketValues): TicketAnswer | undefined {
  if (action === 'approve' || action === 'reject') return action;
  return status === 'closed' ? 'close' : undefined;
}

/**
 * Rejects changes of a closed ticket. The error names the user who closed it.
 * @throws Conflict
 */
export function assertOpen(
  row: TicketState,
  { language, zone }: { readonly language: Language; readonly zone: string },
): void {
  if (row.status !== 'closed') return;
  const when = row.date_closed ? formatDatetime(row.date_closed, zone) : '';
  throw new Conflict('ticket_closed', {
    who: row.closed_by,
    when,
    how: actionInWords(row.action, language),
  });
}

/** Prepares a new ticket. @throws Forbidden, Invalid */
function begin(
  values: TicketValues,
  license: Pick<LicenseService, 'isLicensed'>,
  { caller: { actor } }: Operation,
): void {
  if (isPerson(actor) && !license.isLicensed()) throw new Forbidden('license_required');
  values.status = 'open';
  values.action = '';
  if (!isPerson(actor)) return;
  if (values.user && values.user !== actor.userId && !isAdministrator(actor))
    throw invalid('user', 'ticket_for_others');
  values.user ??= actor.userId;
}

/** The tickets in a write whose approval opens another stage. */
const PASSED = kept(() => new Map<string, PassedStage>());

/** The standing of the reviewers who decide in a write, by ticket. */
const STANDINGS = kept(() => new Map<string, Standing>());

/** The author of a decision. Names the reviewer of a deputy. */
function deciderOf(ticketId: string, operation: Operation): Decider {
  const { caller } = operation;
  const { id, name } = authorOf(caller.actor);
  const { deputyOf } = operation.get(STANDINGS).get(ticketId) ?? {};
  if (!deputyOf) return { id, name };
  const both = say(FOR, caller.language, { who: name, reviewer: deputyOf.name });
  return { id, name: both, deputyOf };
}

/** Checks and stores the answer to a ticket. @throws Forbidden, Invalid, Conflict */
async function answer(
  values: TicketValues,
  row: TicketRow,
  { decision, seenStage }: { readonly decision: TicketAnswer; readonly seenStage?: number },
  operation: Operation,
): Promise<void> {
  const { caller, tx } = operation;
  const { actor } = caller;
  const open = await openStageOf(row.id, row.user, tx);
  if (isPerson(actor)) {
    const isAssignee = (await assigneesOf(row.id, tx)).includes(actor.userId);
    const isOwn = row.user === actor.userId;
    const standing = isAssignee && (open ? await standingOf(open, actor.userId, tx) : {});
    const isReviewer = Boolean(standing);
    if (standing) operation.get(STANDINGS).set(row.id, standing);
    if (decision === 'close' && !isReviewer && !isOwn) throw new Forbidden('ticket_fixed');
    if (decision !== 'close' && !isAssignee) throw invalid('action', 'ticket_not_assignee');
    if (decision !== 'close' && isOwn) throw invalid('action', 'ticket_own');
    if (decision !== 'close' && !isReviewer) throw invalid('action', 'ticket_not_reviewer');
  }
  if (open && seenStage !== undefined && seenStage !== open.stage)
    throw new Conflict('ticket_stage_over');
  for (const name of Object.keys(values) as (keyof TicketValues)[]) delete values[name];
  const next =
    open && decision === 'approve'
      ? await nextReviewers(open, actor.userId, operation.get(STANDINGS).get(row.id) ?? {}, tx)
      : undefined;
  if (open && next) {
    operation.get(PASSED).set(row.id, { open, next });
    values.status = 'open';
    return;
  }
  values.status = 'closed';
  values.action = decision === 'close' ? '' : decision;
}

/** Checks an edit of an open ticket. @throws Forbidden */
async function edit(values: TicketValues, row: TicketRow, operation: Operation): Promise<void> {
  const { actor } = operation.caller;
  const before = await assigneesOf(row.id, operation.tx);
  operation.get(BEFORE).set(row.id, before);
  delete values.user;
  const differs = (['title', 'body'] as const).some(
    (name) => values[name] !== undefined && values[name] !== row[name],
  );
  const hands =
    values.assignees !== undefined &&
    (values.assignees.length !== before.length ||
      values.assignees.some((id) => !before.includes(id)));
  if (!isPerson(actor)) return;
  if ((differs || hands) && row.type !== 'general') throw new Forbidden('ticket_made_by_server');
  // Assignees can hand the ticket over, but cannot edit its text.
  if (differs && row.user !== actor.userId) throw new Forbidden('ticket_fixed');
}

/** Keeps the user who answered a ticket, with a comment about a decision. */
export async function recordAnswer(
  ticketId: string,
  decision: TicketAnswer,
  by: ReturnType<typeof authorOf>,
  { caller: { language }, tx }: Pick<Operation, 'caller' | 'tx'>,
): Promise<void> {
  await nameAnswer(ticketId, decision, by, tx);
  if (decision === 'close') return;
  const action = actionInWords(decision, language);
  await addComment(ticketId, by, say(THIS_TICKET, language, { who: by.name, action }), tx);
}

/** The hooks of tickets: permitted assignees, and one answer per ticket. */
export function createTicketHooks({
  license,
  kinds,
  mails,
}: {
  license: Pick<LicenseService, 'isLicensed'>;
  kinds: TicketKinds;
  mails: TicketMails;
}) {
  async function end(
    { id, previous }: Saved<typeof ticket>,
    decision: TicketAnswer,
    operation: Operation,
  ): Promise<void> {
    const { caller, tx } = operation;
    const by = deciderOf(id, operation);
    const open = await openStageOf(id, previous?.user ?? null, tx);
    if (open && decision !== 'close') await keepDecision(id, open.stage, by, tx);
    await recordAnswer(id, decision, by, operation);
    await logDecision({ id, title: previous?.title ?? '' }, decidedFor(by), operation);
    await kinds.of(previous?.type ?? 'general').ended?.(id, decision, operation);
    await mails.answered(id, decision, caller, tx);
  }

  return hooksFor(ticket, {
    wholeLinks: ['user', 'assignees', 'assignee'],
    visible: ({ actor }) => (isPerson(actor) ? mayRead(actor) : undefined),
    visibleInList: ({ actor }) => (isPerson(actor) ? mayKnow(actor.userId) : undefined),
    columns: {
      // Lists sort by the type. The text is added later.
      type_display: () => sql`t.type`,
      assignees_display: () => sql`coalesce((
        select string_agg(u.name || '(' || u.username || ')', ', ' order by u.name, u.id)
          from ticket_assignees link join account u on u.id = link.user_id
        where link.ticket_id = t.id), '')`,
      ...STAGE_COLUMNS,
    },
    filters: {
      assign: (value, { actor }) =>
        value === '1' ? awaits(actor.userId) : sql`t.user_id = ${actor.userId}::uuid`,
    },
    async refuseLinks(field, ids, { caller: { actor }, tx }) {
      const refused = new Map<string, Problem>();
      if (!isPerson(actor)) return refused;
      // Users can always name themselves: an edit sends their name back with those of the others.
      // As assignees they still cannot answer, see `ticket_own`.
      const others = ids.filter((id) => id !== actor.userId);
      const known = new Set([
        ...(await assignable(others, actor, isAdministrator(actor), tx)),
        ...(await namedBefore(field, others, actor.userId, tx)),
      ]);
      for (const id of others)
        if (!known.has(id)) refused.set(id, { code: 'unknown_object', params: { value: id } });
      return refused;
    },
    async beforeSave(values, previous, operation, body) {
      if (!previous) return begin(values, license, operation);
      assertOpen(previous, operation.caller);
      const decision = answerOf(values);
      return decision
        ? answer(values, previous, { decision, ...stageIn(body) }, operation)
        : edit(values, previous, operation);
    },
    async afterSave(saved, operation) {
      const { caller, tx } = operation;
      for (const item of saved) {
        const { id, values, previous } = item;
        if (!previous) {
          await nameRequester(id, tx);
          await mails.asked(id, [], caller, tx);
          continue;
        }
        const passed = operation.get(PASSED).get(id);
        if (passed) {
          const kind = kinds.of(previous.type);
          await passStage(item, passed, { by: deciderOf(id, operation), kind, mails }, operation);
        } else if (values.status === 'closed')
          await end(item, answerOf(values) ?? 'close', operation);
        else if (values.assignees)
          await mails.asked(id, operation.get(BEFORE).get(id) ?? [], caller, tx);
      }
    },
    beforeDelete(row, { caller: { actor } }) {
      if (row.user !== actor.userId) throw new Forbidden('ticket_fixed');
      if (row.type !== 'general') throw new Forbidden('ticket_made_by_server');
      if (row.status === 'closed') throw new Forbidden('ticket_kept');
    },
  });
}
