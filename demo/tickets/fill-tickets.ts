import { actionMask } from '@sallyport/contract';
import { displayName } from '../../server/src/platform/actor.ts';
import type { Tx } from '../../server/src/platform/db/database.ts';
import { sql } from '../../server/src/platform/db/sql.ts';
import { daysBefore } from '../calendar.ts';
import type { Random } from '../random.ts';
import { insertRows } from '../rows.ts';
import { TICKETS } from './sample-tickets.ts';
import { openScene, type TicketScene, type TicketSources } from './ticket-scene.ts';

const MINUTE = 60_000;
const RULE = 'Night shift · 夜间值班';
const NAMES = Object.keys(TICKETS) as (keyof typeof TICKETS)[];

/**
 * Inserts tickets of each type, some open for the administrator, and a used emergency access that
 * waits for review.
 */
export async function fillTickets(
  tx: Tx,
  random: Random,
  now: Date,
  sources: TicketSources,
): Promise<void> {
  const scene = await openScene(tx, random, now, sources);
  await insertTickets(scene);
  await insertComments(scene);
  await insertRequests(scene);
  await insertEmergencyAccess(scene);
}

async function insertTickets(scene: TicketScene): Promise<void> {
  const { tx, now, tickets, idOf, personOf, requesterOf } = scene;
  await insertRows(
    tx,
    'ticket',
    NAMES.map((name) => {
      const ticket = tickets[name];
      const { id: userId, display } = requesterOf(ticket);
      const by = ticket.ended && personOf(ticket.ended.by);
      const closer = by ? displayName(by) : '';
      const created = daysBefore(now, ticket.days);
      return {
        id: idOf(name),
        user_id: userId,
        user_display: display,
        title: ticket.title,
        body: ticket.body,
        type: ticket.type,
        status: ticket.ended ? 'closed' : 'open',
        action: ticket.ended?.action ?? '',
        assignee_id: by?.id ?? null,
        assignee_display: closer,
        closed_by: closer,
        date_closed: ticket.ended ? new Date(created.getTime() + 40 * MINUTE) : null,
        date_created: created,
        date_updated: created,
      };
    }),
  );
  await insertRows(
    tx,
    'ticket_assignees',
    NAMES.flatMap((name) =>
      tickets[name].assignees.map((one) => ({ ticket_id: idOf(name), user_id: personOf(one).id })),
    ),
  );
}

async function insertComments(scene: TicketScene): Promise<void> {
  const { tx, random, now, tickets, idOf, personOf } = scene;
  const commentsOn = (name: keyof typeof TICKETS) => {
    const { comments = [], days } = tickets[name];
    return comments.map(({ who, body }, index) => {
      const date = new Date(daysBefore(now, days).getTime() + (index + 1) * 5 * MINUTE);
      return {
        id: random.uuid(),
        ticket_id: idOf(name),
        user_id: personOf(who).id,
        user_display: displayName(personOf(who)),
        body,
        date_created: date,
        date_updated: date,
      };
    });
  };
  await insertRows(tx, 'ticket_comment', NAMES.flatMap(commentsOn));
}

/** Inserts what the tickets request: an asset, granted and waiting, and a database. */
async function insertRequests(scene: TicketScene): Promise<void> {
  const { tx, now, tickets, idOf, personOf, web, reader, database } = scene;
  const start = daysBefore(now, tickets.granted.days);
  const end = daysBefore(now, -4);
  const permissionId = await insertPermission(scene, {
    name: `From request ticket: sh-web-01 (${idOf('granted').slice(0, 8)})`,
    userId: personOf('liuyang').id,
    assetId: web.id,
    systemUserId: reader,
    start,
    end,
    ticketId: idOf('granted'),
  });
  const common = {
    org_id: '',
    ips: [],
    hostname: 'sh-web-01',
    system_user: 'readonly',
    actions: actionMask(['connect']),
  };
  await insertRows(tx, 'ticket_asset_request', [
    {
      ticket_id: idOf('granted'),
      ...common,
      date_start: start,
      date_expired: end,
      confirmed_assets: [web.id],
      confirmed_system_user: [reader],
      permission_id: permissionId,
    },
    {
      ticket_id: idOf('waiting'),
      ...common,
      date_start: now,
      date_expired: new Date(now.getTime() + 120 * MINUTE),
      confirmed_assets: [],
      confirmed_system_user: [],
      permission_id: null,
    },
  ]);
  await insertRows(tx, 'ticket_asset_request', [
    {
      ticket_id: idOf('reports'),
      ...common,
      hostname: '',
      target: 'database_app',
      application: database,
      is_read_only: true,
      date_start: now,
      date_expired: daysBefore(now, -2),
    },
  ]);
}

/** Inserts a rule for emergency access, and its use by the session of the scene. */
async function insertEmergencyAccess(scene: TicketScene): Promise<void> {
  const { tx, now, idOf, session } = scene;
  const rule = await insertEmergencyRule(scene);
  const start = new Date(session.start.getTime() - 2 * MINUTE);
  const end = new Date(session.end.getTime() + 20 * MINUTE);
  const permissionId = await insertPermission(scene, {
    name: `Emergency access: ${session.asset} (${idOf('emergency').slice(0, 8)})`,
    userId: session.user_id,
    assetId: session.asset_id,
    systemUserId: session.system_user_id,
    start,
    // The access must have ended: it waits for review.
    end: end < now ? end : new Date(now.getTime() - MINUTE),
    ticketId: idOf('emergency'),
  });
  await insertRows(tx, 'emergency_activation', [
    {
      ticket_id: idOf('emergency'),
      org_id: '',
      emergency_access_id: rule,
      rule_name: RULE,
      user_id: session.user_id,
      asset_id: session.asset_id,
      asset_display: session.asset,
      permission_id: permissionId,
      minutes: Math.min(60, Math.max(1, Math.round((end.getTime() - start.getTime()) / MINUTE))),
      date_start: start,
      date_expired: end,
    },
  ]);
  await sql`update session set is_emergency = true where id = ${session.id}`.execute(tx);
  await insertRows(tx, 'session_request', [
    { session_id: session.id, ticket_id: idOf('emergency') },
  ]);
}

/** Inserts the rule for emergency access; returns its id. */
async function insertEmergencyRule(scene: TicketScene): Promise<string> {
  const { tx, random, now, personOf, session, playground, guest, ops } = scene;
  const id = random.uuid();
  await insertRows(tx, 'emergency_access', [
    {
      id,
      name: RULE,
      is_active: true,
      actions: actionMask(['connect']),
      max_minutes: 60,
      comment: '夜间无人审批时使用，次日复核录像',
      created_by: '林晓峰',
      date_created: daysBefore(now, 60),
      date_updated: daysBefore(now, 60),
    },
  ]);
  const link = (what: string, column: string, others: ReadonlySet<string>) =>
    insertRows(
      tx,
      `emergency_access_${what}`,
      [...others].map((other) => ({ emergency_access_id: id, [column]: other })),
    );
  await link('users', 'user_id', new Set([personOf('demo').id, session.user_id]));
  await link('assets', 'asset_id', new Set([playground.id, session.asset_id]));
  await link('system_users', 'system_user_id', new Set([guest, ops, session.system_user_id]));
  await link('reviewers', 'user_id', new Set([personOf('admin').id, personOf('auditor').id]));
  return id;
}

interface TicketPermission {
  readonly name: string;
  readonly userId: string;
  readonly assetId: string;
  readonly systemUserId: string;
  readonly start: Date;
  readonly end: Date;
  readonly ticketId: string;
}

/** Inserts the permission that a ticket granted; returns its id. */
async function insertPermission(
  { tx, random }: TicketScene,
  { name, userId, assetId, systemUserId, start, end, ticketId }: TicketPermission,
): Promise<string> {
  const id = random.uuid();
  await insertRows(tx, 'asset_permission', [
    {
      id,
      name,
      is_active: true,
      actions: actionMask(['connect']),
      date_start: start,
      date_expired: end,
      created_by: 'System',
      date_created: start,
      comment: `/ui/tickets/tickets/${ticketId}`,
    },
  ]);
  for (const [table, column, other] of [
    ['users', 'user_id', userId],
    ['assets', 'asset_id', assetId],
    ['system_users', 'system_user_id', systemUserId],
  ] as const)
    await insertRows(tx, `asset_permission_${table}`, [
      { asset_permission_id: id, [column]: other },
    ]);
  return id;
}
