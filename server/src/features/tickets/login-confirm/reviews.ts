import { formatDatetime, say } from '@sallyport/contract';
import { displayName, systemCaller } from '../../../platform/actor.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { Conflict } from '../../../platform/errors.ts';
import { type SettingsService, serverZone } from '../../../platform/settings/service.ts';
import { writeOperateLog } from '../../audits/index.ts';
import type { Reviews } from '../../identity/index.ts';
import type { TicketKind } from '../kinds.ts';
import type { TicketMails } from '../mails.ts';
import { keepStages, withDeputies } from '../stages.ts';
import { closeTickets, makeTicket } from '../store.ts';
import { isAwaited, needsReview, olderAttempts, reviewersOf, reviewOf } from './store.ts';

/** Maximum waiting attempts of one user. */
const MOST_ATTEMPTS = 5;

const TITLE = { en: 'Sign-in confirmation: {user}', zh: '登录复核：{user}' };
const BODY = {
  en: 'User: {user}\nIP: {address}\nTime: {when}',
  zh: '用户：{user}\nIP：{address}\n时间：{when}',
};

interface ReviewOptions {
  readonly settings: Pick<SettingsService, 'get'>;
  readonly mails: Pick<TicketMails, 'asked'>;
}

/** Asks reviewers for confirmation by tickets. */
export function createReviews({ settings, mails }: ReviewOptions): Reviews {
  /** Closes tickets as the server, with entries in the operate log. */
  async function withdraw(ticketIds: readonly string[], tx: Tx): Promise<void> {
    const caller = systemCaller('System');
    const closed = await closeTickets(ticketIds, displayName(caller.actor), tx);
    const changes = { status: ['open', 'closed'] as const };
    await writeOperateLog(
      tx,
      caller,
      ...closed.map(({ id, title }) => ({
        action: 'update' as const,
        resourceType: 'ticket',
        resource: title,
        resourceId: id,
        changes,
      })),
    );
  }
  return {
    areDemanded: async (userId, on) =>
      settings.get('LOGIN_CONFIRM_ENABLE') && (await needsReview(userId, on)),
    canBeAsked: async (userId, on) => (await reviewersOf(userId, on)).length > 0,
    async ask(account, remoteAddress, tx) {
      const caller = systemCaller('System', remoteAddress);
      // The sign-in has no language and no zone yet.
      const language = settings.get('SERVER_LANGUAGE');
      const zone = serverZone(settings);
      const display = displayName(account);
      const title = say(TITLE, language, { user: display });
      const body = say(BODY, language, {
        user: display,
        address: remoteAddress,
        when: formatDatetime(new Date(), zone),
      });
      const reviewers = await reviewersOf(account.id, tx);
      const reviewed = { organizationId: '', userId: account.id };
      const assignees = await withDeputies(reviewers, reviewed, tx);
      const id = await makeTicket(
        { userId: account.id, display, title, body, type: 'login_confirm', assignees },
        tx,
      );
      await keepStages(
        {
          ticketId: id,
          organizationId: '',
          stages: [{ users: reviewers, groups: [] }],
          asked: assignees,
        },
        tx,
      );
      await writeOperateLog(tx, caller, {
        action: 'create',
        resourceType: 'ticket',
        resource: title,
        resourceId: id,
      });
      await mails.asked(
        id,
        [],
        { ...caller, language, zone, actor: { ...caller.actor, name: display } },
        tx,
      );
      await withdraw(await olderAttempts(account.id, MOST_ATTEMPTS, tx), tx);
      return id;
    },
    reviewOf,
    withdraw,
  };
}

/** The kind of tickets that confirm sign-ins. An expired attempt cannot be approved. */
export const loginConfirmKind: TicketKind = {
  async ended(ticketId, answer, { tx }) {
    if (answer === 'approve' && !(await isAwaited(ticketId, tx)))
      throw new Conflict('ticket_attempt_over');
  },
};
