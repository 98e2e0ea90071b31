import {
  actionMask,
  DEFAULT_ORGANIZATION_NAME,
  type RequestAssignees,
  type RequestTarget,
} from '@sallyport/contract';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { invalid } from '../../../platform/errors.ts';
import { IS_VALID_USER } from '../../perms/index.ts';
import { isAssigned, mayKnow } from '../store.ts';

/** The decisions of an assignee about a request. */
export interface Confirmed {
  readonly confirmed_assets?: readonly string[];
  readonly confirmed_database_apps?: readonly string[];
  readonly confirmed_remote_apps?: readonly string[];
  readonly confirmed_system_user?: readonly string[];
  readonly is_read_only?: boolean;
  readonly actions?: readonly string[];
  readonly date_start?: Date;
  readonly date_expired?: Date;
}

/** The fields of a new request. */
export interface Asked
  extends Required<Pick<Confirmed, 'actions' | 'is_read_only' | 'date_start' | 'date_expired'>> {
  readonly org_id: string;
  readonly target: RequestTarget;
  readonly application: string;
  readonly ips: readonly string[];
  readonly hostname: string;
  readonly system_user: string;
}

/** A request with its ticket. */
export interface StoredRequest {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly status: 'open' | 'closed';
  readonly action: '' | 'approve' | 'reject';
  readonly user: string | null;
  readonly user_display: string;
  readonly assignees: readonly string[];
  readonly assignees_display: string;
  readonly assignee: string | null;
  readonly assignee_display: string;
  readonly org_id: string;
  readonly org_name: string | null;
  readonly ips: readonly string[];
  readonly hostname: string;
  readonly system_user: string;
  readonly target: RequestTarget;
  readonly application: string;
  readonly is_read_only: boolean;
  readonly mask: number;
  readonly date_start: Date;
  readonly date_expired: Date;
  readonly confirmed_assets: readonly string[];
  readonly confirmed_apps: readonly string[];
  readonly confirmed_system_user: readonly string[];
  readonly permission: string | null;
  readonly date_created: Date;
}

const COLUMNS = sql`t.id, t.title, t.body, t.status, t.action, t.user_id as "user", t.user_display,
  t.assignee_id as assignee, t.assignee_display, t.date_created,
  array(select link.user_id from ticket_assignees link where link.ticket_id = t.id
    order by link.user_id) as assignees,
  coalesce((select string_agg(u.name || '(' || u.username || ')', ', ' order by u.name, u.id)
    from ticket_assignees link join account u on u.id = link.user_id
    where link.ticket_id = t.id), '') as assignees_display,
  r.org_id, case when r.org_id = '' then ${DEFAULT_ORGANIZATION_NAME} else (select o.name
    from organization o where o.id::text = r.org_id) end as org_name,
  r.ips, r.hostname, r."system_user", r.actions as mask, r.date_start, r.date_expired,
    r.confirmed_assets, r.confirmed_apps, r.confirmed_system_user,
  r.target, r.application, r.is_read_only, coalesce(r.permission_id, r.database_permission_id,
    r.remote_permission_id) as permission`;
const FROM = sql`from ticket t join ticket_asset_request r on r.ticket_id = t.id`;

/** Returns a request if the user may know of it. */
export async function requestFor(
  ticketId: string,
  userId: string,
  on: Db | Tx,
): Promise<StoredRequest | undefined> {
  const { rows } = await sql<StoredRequest>`select ${COLUMNS} ${FROM} where t.id =
      ${ticketId} and ${mayKnow(userId)}`.execute(on);
  return rows[0];
}

/** The requests that a user may know of, newest first. */
export async function requestsFor(
  userId: string,
  which: 'all' | 'assigned' | 'own',
  { limit, offset }: { readonly limit: number; readonly offset: number },
  db: Db,
): Promise<{ readonly rows: readonly StoredRequest[]; readonly count: number }> {
  const narrowed = {
    all: sql`true`,
    assigned: isAssigned(userId),
    own: sql`t.user_id = ${userId}::uuid`,
  }[which];
  const matching = sql`${FROM} where ${mayKnow(userId)} and ${narrowed}`;
  const { rows } =
    await sql<StoredRequest>`select ${COLUMNS} ${matching} order by t.date_created desc, t.id
      limit ${limit} offset ${offset}`.execute(db);
  const counted = await sql<{ count: number }>`select count(*)::int as count ${matching}`.execute(
    db,
  );
  return { rows, count: counted.rows[0]?.count ?? 0 };
}

/** Returns the request of a ticket, locked until the transaction ends. */
export async function lockRequest(ticketId: string, tx: Tx): Promise<StoredRequest | undefined> {
  const { rows } =
    await sql<StoredRequest>`select ${COLUMNS} ${FROM} where t.id = ${ticketId} for update of
      r`.execute(tx);
  return rows[0];
}

/** Inserts the request of a ticket. */
export async function keepRequest(ticketId: string, asked: Asked, tx: Tx): Promise<void> {
  const {
    org_id,
    target,
    application,
    is_read_only,
    ips,
    hostname,
    system_user,
    actions,
    date_start,
    date_expired,
  } = asked;
  await sql`
    insert into ticket_asset_request (ticket_id, org_id, target, application, is_read_only, ips,
      hostname, "system_user", actions, date_start, date_expired)
    values (${ticketId}, ${org_id}, ${target}, ${application}, ${is_read_only}, ${ips}, ${hostname},
      ${system_user}, ${actionMask(actions)}, ${date_start}, ${date_expired})`.execute(tx);
}

const CONFIRMED_TABLES = {
  confirmed_assets: sql`asset`,
  confirmed_database_apps: sql`database_app`,
  confirmed_remote_apps: sql`remote_app`,
  confirmed_system_user: sql`system_account`,
} as const;

/** Rejects objects of other organizations than that of the request. @throws Invalid */
async function assertHere(
  ticketId: string,
  field: keyof typeof CONFIRMED_TABLES,
  ids: readonly string[] | undefined,
  tx: Tx,
): Promise<void> {
  if (!ids || ids.length === 0) return;
  const table = CONFIRMED_TABLES[field];
  const { rows } = await sql<{ id: string }>`
    select wanted.id from unnest(${ids}::uuid[]) wanted (id)
    where not exists (select 1 from ${table} o
      join ticket_asset_request r on r.ticket_id = ${ticketId} where o.id = wanted.id
      and o.org_id = r.org_id) limit 1`.execute(tx);
  if (rows[0]) throw invalid(field, 'unknown_object', { value: rows[0].id });
}

/** Stores the decisions of an assignee. */
export async function keepConfirmed(ticketId: string, confirmed: Confirmed, tx: Tx): Promise<void> {
  const {
    confirmed_assets: assets,
    confirmed_system_user: accounts,
    actions,
    date_start: start,
    date_expired: end,
  } = confirmed;
  const {
    confirmed_database_apps: databases,
    confirmed_remote_apps: programs,
    is_read_only: isReadOnly,
  } = confirmed;
  await assertHere(ticketId, 'confirmed_assets', assets, tx);
  await assertHere(ticketId, 'confirmed_database_apps', databases, tx);
  await assertHere(ticketId, 'confirmed_remote_apps', programs, tx);
  await assertHere(ticketId, 'confirmed_system_user', accounts, tx);
  const changes = [
    ...(assets ? [sql`confirmed_assets = ${assets}::uuid[]`] : []),
    ...(databases
      ? [
          sql`confirmed_apps = case when target = 'database_app' then ${databases}::uuid[]
            else confirmed_apps end`,
        ]
      : []),
    ...(programs
      ? [
          sql`confirmed_apps = case when target = 'remote_app' then ${programs}::uuid[]
            else confirmed_apps end`,
        ]
      : []),
    ...(isReadOnly === undefined ? [] : [sql`is_read_only = ${isReadOnly}`]),
    ...(accounts ? [sql`confirmed_system_user = ${accounts}::uuid[]`] : []),
    ...(actions ? [sql`actions = ${actionMask(actions)}`] : []),
    ...(start ? [sql`date_start = ${start}`] : []),
    ...(end ? [sql`date_expired = ${end}`] : []),
  ];
  if (changes.length > 0)
    await sql`update ticket_asset_request
      set ${sql.join(changes)} where ticket_id = ${ticketId}`.execute(tx);
}

const PERMISSION_COLUMN = {
  asset: sql`permission_id`,
  database_app: sql`database_permission_id`,
  remote_app: sql`remote_permission_id`,
} as const;

/** Stores the permission that a request created. */
export async function keepPermission(
  ticketId: string,
  target: RequestTarget,
  permissionId: string,
  tx: Tx,
): Promise<void> {
  await sql`update ticket_asset_request
    set ${PERMISSION_COLUMN[target]} = ${permissionId} where ticket_id = ${ticketId}`.execute(tx);
}

/** Answers whose median is the usual time. */
const RECENT = '90 days';
const MOST_ANSWERS = 20;

/**
 * Users who can grant access in the organizations of a user, without that user. In an organization
 * without administrators, those of the installation.
 */
export async function assigneesFor(
  userId: string,
  db: Db | Tx,
): Promise<readonly RequestAssignees[]> {
  const { rows } = await sql<RequestAssignees>`
    with place as (
      select '' as id, 'Superuser' as name
      union all
      select o.id::text, o.name from organization o
        where o.id in (select m.organization_id from organization_member m
        where m.user_id = ${userId})
    ), super as (
      select u.id, u.name, u.username from account u where u.role = 'Admin'
        and u.id <> ${userId} and ${IS_VALID_USER}
    ), own as (
      select distinct m.organization_id::text as org_id, u.id, u.name, u.username
        from organization_member m join account u on u.id = m.user_id
      where m.role = 'Admin' and u.id <> ${userId} and ${IS_VALID_USER}
    )
    select place.id as org_id, place.name as org_name, coalesce((
      select jsonb_agg(jsonb_build_object('id', who.id, 'name', who.name, 'username', who.username)
        order by who.name, who.id) from (
        select id, name, username from own where own.org_id = place.id
        union all
        select id, name, username from super
          where not exists (select 1 from own where own.org_id = place.id)
      ) who), '[]') as org_admins,
      (select ceil(percentile_cont(0.5) within group (order by extract(epoch from answered.took))
          / 60)::int
        from (select t.date_closed - t.date_created as took from ticket t
          join ticket_asset_request r on r.ticket_id = t.id
          where r.org_id = place.id and t.action <> ''
            and t.date_closed > now() - ${RECENT}::interval
          order by t.date_closed desc limit ${MOST_ANSWERS}) answered) as usual_minutes
    from place order by place.id <> '', place.name`.execute(db);
  return rows;
}
