import { actionNames, assetPermission, formatDatetime, say, ticket } from '@sallyport/contract';
import type { Context } from '../../http/context.ts';
import { DEFAULT_ZONE, displayName, systemCaller } from '../../platform/actor.ts';
import { writeByTicket } from '../../platform/change-gate.ts';
import { databaseClock } from '../../platform/clock.ts';
import { type Db, transact } from '../../platform/db/database.ts';
import { Conflict, invalid } from '../../platform/errors.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import { makeTicket, type TicketMails } from '../tickets/index.ts';
import { keepActivation, lockReached, openOf, reviewersFor } from './store.ts';

const MINUTE = 60_000;
/** Maximum open activations of a user. */
const MOST_OPEN = 10;
/** Maximum characters of the name of a permission. */
const MOST_NAME = 128;

const TITLE = { en: 'Emergency access of {user} to {asset}', zh: '{user} 紧急访问 {asset}' };

export interface OpenServices {
  readonly db: Db;
  readonly engines: Engines;
  readonly audit: AuditWriter;
  readonly settings: Pick<SettingsService, 'get'>;
  readonly mails: Pick<TicketMails, 'alarmed'>;
}

/** The request to open emergency access. */
export interface Opening {
  readonly rule: string;
  readonly asset: string;
  readonly minutes: number;
  readonly reason: string;
}

/**
 * Opens emergency access in one transaction: a permission with an end, a ticket for the reviewers,
 * and their notification.
 * @throws Invalid, Conflict
 */
export async function openAccess(
  { rule, asset, minutes, reason }: Opening,
  context: Context,
  services: OpenServices,
): Promise<{ ticket: string; end: Date }> {
  const { actor } = context;
  const { db, engines, audit, settings, mails } = services;
  return transact(db, async (tx) => {
    const reached = await lockReached(actor.userId, rule, asset, tx);
    // The error does not reveal assets that the user may not open.
    if (!reached) throw invalid('asset', 'unknown_object', { value: asset });
    if (minutes > reached.max_minutes)
      throw invalid('minutes', 'emergency_too_long', { max: reached.max_minutes });
    if (reached.active_until)
      throw new Conflict('emergency_active', {
        until: formatDatetime(reached.active_until, context.zone),
      });
    if ((await openOf(actor.userId, tx)) >= MOST_OPEN)
      throw new Conflict('emergency_too_many', { max: MOST_OPEN });
    const reviewers = await reviewersFor(reached, actor.userId, tx);
    if (reviewers.length === 0) throw new Conflict('emergency_no_reviewer');

    const organization = { id: reached.org_id, name: reached.org_name };
    const requestedBy = { ...actor, organization };
    const language = settings.get('SERVER_LANGUAGE');
    const title = say(TITLE, language, { user: displayName(actor), asset: reached.hostname }).slice(
      0,
      ticket.fields.title.max,
    );
    const id = await makeTicket(
      {
        userId: actor.userId,
        display: displayName(actor),
        title,
        body: reason,
        type: 'emergency',
        assignees: reviewers,
      },
      tx,
    );

    await writeByTicket(id, tx);
    // Permissions have whole seconds.
    const start = new Date(Math.floor(databaseClock.now() / 1_000) * 1_000);
    const end = new Date(start.getTime() + minutes * MINUTE);
    const suffix = ` (${id.slice(0, 8)})`;
    const permission = await engineOf(engines, assetPermission).writer.create(
      {
        name: `Emergency access: ${reached.hostname}`.slice(0, MOST_NAME - suffix.length) + suffix,
        users: [actor.userId],
        assets: [reached.asset],
        system_users: reached.accounts.map((account) => account.id),
        actions: actionNames(reached.mask),
        date_start: formatDatetime(start, DEFAULT_ZONE),
        date_expired: formatDatetime(end, DEFAULT_ZONE),
        comment: `/ui/${ticket.path}/${id}`,
      },
      { ...systemCaller('System', actor.remoteAddress, organization), requestedBy },
      { tx },
    );
    await keepActivation(
      {
        ticketId: id,
        userId: actor.userId,
        reached: reached,
        permissionId: String(permission.id),
        minutes,
        start,
        end,
      },
      tx,
    );
    await audit(
      tx,
      { actor: requestedBy },
      {
        action: 'create',
        resourceType: 'ticket',
        resource: title,
        resourceId: id,
        changes: { reason: [null, reason], minutes: [null, minutes] },
      },
    );
    await mails.alarmed(id, context, tx);
    return { ticket: id, end };
  });
}
