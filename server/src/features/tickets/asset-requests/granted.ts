import {
  assetPermission,
  databaseAppPermission,
  formatDatetime,
  type GrantedAccess,
  type RequestTarget,
  remoteAppPermission,
  say,
  ticket,
} from '@sallyport/contract';
import type { Context } from '../../../http/context.ts';
import { displayName, systemCaller } from '../../../platform/actor.ts';
import { writeByTicket } from '../../../platform/change-gate.ts';
import { type Db, type Tx, transact } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { Forbidden } from '../../../platform/errors.ts';
import { engineOf } from '../../../resources/engines.ts';
import { notifyUsers } from '../../notifications/index.ts';
import { authorOf } from '../hooks.ts';
import { addComment, lockTicket } from '../store.ts';
import { requestIn } from './answer-request.ts';
import type { AssetRequestOptions } from './create-request.ts';
import { mayGrant } from './kind.ts';
import type { StoredRequest } from './store.ts';

/** The permission of each kind of target. */
export const PERMISSIONS = {
  asset: assetPermission,
  database_app: databaseAppPermission,
  remote_app: remoteAppPermission,
} as const;

const ENDED = { en: '{who} ended the access', zh: '{who} 已结束此访问' };

interface Grant {
  readonly things: readonly string[];
  readonly accounts: readonly string[];
  readonly date_start: Date;
  readonly date_expired: Date;
  readonly is_active: boolean;
}

/** Reads the permission of a request with the names of its targets and system users. */
async function readGrant(
  target: RequestTarget,
  permission: string,
  db: Db,
): Promise<Grant | undefined> {
  const read = {
    asset: () =>
      sql<Grant>`
        select p.date_start, p.date_expired, p.is_active,
          array(select o.hostname from asset_permission_assets l join asset o on o.id = l.asset_id
            where l.asset_permission_id = p.id order by o.hostname) as things,
          array(select s.name from asset_permission_system_users l
            join system_account s on s.id = l.system_user_id
            where l.asset_permission_id = p.id order by s.name) as accounts
        from asset_permission p where p.id = ${permission}`.execute(db),
    database_app: () =>
      sql<Grant>`
        select p.date_start, p.date_expired, p.is_active,
          array(select o.name from database_app_permission_database_apps l
            join database_app o on o.id = l.database_app_id
            where l.database_app_permission_id = p.id order by o.name) as things,
          array(select s.name from database_app_permission_system_users l
            join system_account s on s.id = l.system_user_id
            where l.database_app_permission_id = p.id order by s.name) as accounts
        from database_app_permission p where p.id = ${permission}`.execute(db),
    remote_app: () =>
      sql<Grant>`
        select p.date_start, p.date_expired, p.is_active,
          array(select o.name from remote_app_permission_remote_apps l
            join remote_app o on o.id = l.remote_app_id
            where l.remote_app_permission_id = p.id order by o.name) as things,
          array(select s.name from remote_app_permission_system_users l
            join system_account s on s.id = l.system_user_id
            where l.remote_app_permission_id = p.id order by s.name) as accounts
        from remote_app_permission p where p.id = ${permission}`.execute(db),
  };
  return (await read[target]()).rows[0];
}

/** Requesters can give up their access, and assignees who can grant it can end it. */
const mayEnd = (request: StoredRequest, context: Context): boolean =>
  request.user === context.actor.userId ||
  (request.assignees.includes(context.actor.userId) && mayGrant(request, context));

/** The access that a request gave; null without a permission. */
export async function grantedOf(
  request: StoredRequest,
  context: Context,
  db: Db,
): Promise<GrantedAccess | null> {
  if (!request.permission) return null;
  const grant = await readGrant(request.target, request.permission, db);
  return grant
    ? {
        ...grant,
        date_start: formatDatetime(grant.date_start, context.zone),
        date_expired: formatDatetime(grant.date_expired, context.zone),
        can_end: mayEnd(request, context),
      }
    : null;
}

/** Ends the access that a request gave, with its sessions. @throws Forbidden, NotFound */
export async function endAccess({ db, engines }: AssetRequestOptions, context: Context) {
  const request = await requestIn(context, db);
  const { actor, language } = context;
  if (!mayEnd(request, context)) throw new Forbidden('ticket_not_assignee');
  const { id, permission, target } = request;
  if (permission) {
    const organization = { id: request.org_id, name: request.org_name ?? request.org_id };
    // Requesters have no right to change permissions.
    const caller = {
      ...systemCaller('System', actor.remoteAddress, organization),
      requestedBy: { ...actor, organization },
    };
    await transact(db, async (tx) => {
      await lockTicket(id, tx);
      const { writer } = engineOf(engines, PERMISSIONS[target]);
      await writeByTicket(id, tx);
      await writer.change(permission, { is_active: false }, caller, { tx });
      await addComment(id, authorOf(actor), say(ENDED, language, { who: displayName(actor) }), tx);
      await keepTold(id, tx);
      if (request.user && request.user !== actor.userId)
        await notifyUsers(
          {
            kind: 'access_ended',
            users: [request.user],
            subject: request.title,
            by: displayName(actor),
            resource: ticket.name,
            resourceId: id,
          },
          tx,
        );
    });
  }
  return { detail: 'Succeed' };
}

/** A granted permission that ends soon or has ended, with its requester. */
export interface EndingGrant {
  readonly ticketId: string;
  readonly userId: string;
  readonly title: string;
}

/**
 * Marks the grants of requests that end within a day as reminded, and returns them. Excludes grants
 * of a day or less, whose end the requester chose.
 */
export async function takeEnding(tx: Tx): Promise<readonly EndingGrant[]> {
  const { rows } = await sql<EndingGrant>`
    update ticket_asset_request r set date_reminded = now() from ticket t, (
      select id, is_active, date_start, date_expired from asset_permission
      union all select id, is_active, date_start, date_expired from database_app_permission
      union all select id, is_active, date_start, date_expired from remote_app_permission) p
    where t.id = r.ticket_id and p.id = coalesce(r.permission_id, r.database_permission_id,
      r.remote_permission_id) and r.date_reminded is null and t.user_id is not null and p.is_active
      and p.date_expired between now() and now() + interval '1 day'
        and p.date_expired - p.date_start > interval '1 day'
    returning t.id as "ticketId", t.user_id as "userId", t.title`.execute(tx);
  return rows;
}

/** Marks grants of requests that have expired as told, and returns them. */
export async function takeEnded(tx: Tx): Promise<readonly EndingGrant[]> {
  const { rows } = await sql<EndingGrant>`
    update ticket_asset_request r set date_told = now() from ticket t, (
      select id, is_active, date_expired from asset_permission
      union all select id, is_active, date_expired from database_app_permission
      union all select id, is_active, date_expired from remote_app_permission) p
    where t.id = r.ticket_id and p.id = coalesce(r.permission_id, r.database_permission_id,
      r.remote_permission_id) and r.date_told is null and t.user_id is not null and p.is_active
      and p.date_expired <= now()
    returning t.id as "ticketId", t.user_id as "userId", t.title`.execute(tx);
  return rows;
}

/** Stores that the requester knows of the end of a grant. */
async function keepTold(ticketId: string, tx: Tx): Promise<void> {
  await sql`update ticket_asset_request set date_told = now()
    where ticket_id = ${ticketId}`.execute(tx);
}
