import { actionMask } from '@sallyport/contract';
import { displayName } from '../../server/src/platform/actor.ts';
import type { Tx } from '../../server/src/platform/db/database.ts';
import { sql } from '../../server/src/platform/db/sql.ts';
import { daysBefore } from '../calendar.ts';
import { type FilledAccounts, PLAYGROUND_ACCOUNT } from '../estate/fill-accounts.ts';
import type { SampleAsset } from '../estate/fill-assets.ts';
import type { FilledPeople } from '../people/fill-people.ts';
import type { Random } from '../random.ts';
import { insertRows } from '../rows.ts';
import { type SampleTicket, TICKETS } from './sample-tickets.ts';

const MINUTE = 60_000;

/** Objects of the sample tickets. */
export interface TicketSources {
  readonly people: FilledPeople;
  readonly assets: readonly SampleAsset[];
  readonly accounts: FilledAccounts;
}

const RULE = 'Night shift · 夜间值班';

/**
 * Inserts tickets of each type, some open for the administrator, and a used emergency access that
 * waits for review.
 */
export async function fillTickets(
  tx: Tx,
  random: Random,
  now: Date,
  { people, assets, accounts }: TicketSources,
): Promise<void> {
  const admin = (
    await sql<{
      id: string;
      name: string;
      username: string;
    }>`select id, name, username from account where username = 'admin'`.execute(tx)
  ).rows[0];
  const personOf = (username: string) => {
    const person = username === 'admin' ? admin : people.accounts.get(username);
    if (!person) throw new Error(`the sample tickets name the unknown user ${username}`);
    return person;
  };
  const web = assets.find(({ hostname }) => hostname === 'sh-web-01');
  const playground = assets.find(({ hostname }) => hostname === 'demo-db-01');
  const guest = accounts.systemUsers.get(PLAYGROUND_ACCOUNT)?.id;
  const reader = accounts.systemUsers.get('只读 readonly')?.id;
  // The newest recorded session of a suitable user.
  const { rows: used } = await sql<{
    id: string;
    user_id: string;
    user: string;
    asset_id: string;
    asset: string;
    system_user_id: string;
    start: Date;
    end: Date;
  }>`
    select id, user_id, "user", asset_id, asset, system_user_id,
      date_start as start, date_end as "end"
    from session
    where date_end is not null and has_replay and org_id = '' and "user" not like '%demo%'
    order by command_amount desc, date_start desc limit 1`.execute(tx);
  const [session] = used;
  const { rows: databases } = await sql<{
    name: string;
  }>`select name from database_app where type = 'mysql' order by name limit 1`.execute(tx);
  if (!web || !playground || !guest || !reader || !session)
    throw new Error('sample data for the tickets is missing');

  const emergency: SampleTicket = {
    ...TICKETS.emergency,
    who: session.user_id,
    title: `${session.user} 紧急访问 ${session.asset}`,
    days: Math.max(0, (now.getTime() - session.start.getTime()) / 86_400_000),
  };
  const all = { ...TICKETS, emergency } as Readonly<Record<keyof typeof TICKETS, SampleTicket>>;
  const requester = ({ who }: SampleTicket) =>
    who === session.user_id
      ? { id: who, display: session.user }
      : { id: personOf(who).id, display: displayName(personOf(who)) };
  const ids = new Map(Object.keys(all).map((name) => [name, random.uuid()]));
  const idOf = (name: keyof typeof TICKETS) => ids.get(name) ?? '';
  const entries = Object.entries(all);
  await insertRows(
    tx,
    'ticket',
    entries.map(([name, ticket]) => {
      const by = ticket.ended && displayName(personOf(ticket.ended.by));
      const created = daysBefore(now, ticket.days);
      return {
        id: ids.get(name),
        user_id: requester(ticket).id,
        user_display: requester(ticket).display,
        title: ticket.title,
        body: ticket.body,
        type: ticket.type,
        status: ticket.ended ? 'closed' : 'open',
        action: ticket.ended?.action ?? '',
        assignee_id: ticket.ended ? personOf(ticket.ended.by).id : null,
        assignee_display: by ?? '',
        closed_by: by ?? '',
        date_closed: ticket.ended ? new Date(created.getTime() + 40 * MINUTE) : null,
        date_created: created,
        date_updated: created,
      };
    }),
  );
  await insertRows(
    tx,
    'ticket_assignees',
    entries.flatMap(([name, { assignees }]) =>
      assignees.map((one) => ({ ticket_id: ids.get(name), user_id: personOf(one).id })),
    ),
  );
  await insertRows(
    tx,
    'ticket_comment',
    entries.flatMap(([name, { comments = [], days }]) =>
      comments.map(({ who, body }, index) => {
        const date = new Date(daysBefore(now, days).getTime() + (index + 1) * 5 * MINUTE);
        return {
          id: random.uuid(),
          ticket_id: ids.get(name),
          user_id: personOf(who).id,
          user_display: displayName(personOf(who)),
          body,
          date_created: date,
          date_updated: date,
        };
      }),
    ),
  );

  const granted = daysBefore(now, all.granted.days);
  const permissionId = await insertPermission(tx, random, {
    name: `From request ticket: sh-web-01 (${idOf('granted').slice(0, 8)})`,
    userId: personOf('liuyang').id,
    assetId: web.id,
    systemUserId: reader,
    start: granted,
    end: daysBefore(now, -4),
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
      date_start: granted,
      date_expired: daysBefore(now, -4),
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
      ...{ ...common, hostname: '' },
      ...{ target: 'database_app', application: databases[0]?.name, is_read_only: true },
      date_start: now,
      date_expired: daysBefore(now, -2),
    },
  ]);

  const rule = random.uuid();
  await insertRows(tx, 'emergency_access', [
    {
      id: rule,
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
  const links = (what: string, column: string, others: readonly string[]) =>
    insertRows(
      tx,
      `emergency_access_${what}`,
      others.map((other) => ({ emergency_access_id: rule, [column]: other })),
    );
  await links('users', 'user_id', [personOf('demo').id, session.user_id]);
  await links('assets', 'asset_id', [...new Set([playground.id, session.asset_id])]);
  await links('system_users', 'system_user_id', [...new Set([guest, session.system_user_id])]);
  await links('reviewers', 'user_id', [personOf('admin').id, personOf('auditor').id]);
  const [start, end] = [
    new Date(session.start.getTime() - 2 * MINUTE),
    new Date(session.end.getTime() + 20 * MINUTE),
  ];
  const opened = await insertPermission(tx, random, {
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
      permission_id: opened,
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
  tx: Tx,
  random: Random,
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
