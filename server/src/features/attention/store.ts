import { type AttentionKind, FAILURES_WORTH_A_LOOK, MOST_COUNTED } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { SESSION_NAME, userName } from '../../resources/relations/named-objects.ts';
import { ALERT_ATTENTION } from '../alerts/index.ts';
import { ASSET_ATTENTION, SYSTEM_USER_ATTENTION } from '../assets/index.ts';
import { userAttention } from '../identity/index.ts';
import { JOB_ATTENTION } from '../jobs/index.ts';
import { LOST_CHANGE_ATTENTION } from '../lost-changes/index.ts';
import {
  DATABASE_APP_PERMISSION_ATTENTION,
  PERMISSION_ATTENTION,
  REMOTE_APP_PERMISSION_ATTENTION,
} from '../perms/index.ts';
import { SESSION_ATTENTION } from '../sessions/index.ts';
import { TERMINAL_ATTENTION } from '../storages/index.ts';

/** Number of examples in an item. */
const EXAMPLES = 3;

export interface Example {
  readonly id: string | null;
  readonly name: string;
  readonly amount: number | null;
  readonly date: Date | null;
}

export interface Found {
  readonly count: number;
  readonly examples: readonly Example[];
}

/**
 * Selects the rows of a kind, with id, name, amount and date. `scope` is a condition on the rows
 * `t` that the caller may know of.
 */
type Search = (scope: Sql, caller: Pick<Caller, 'actor'>) => Sql;

/** Kinds that are facts instead of rows of a resource. */
export type FactKind =
  | 'directory_held'
  | 'directory_unread'
  | 'waiting_change_sets'
  | 'recordings_disk'
  | 'recordings_stopped'
  | 'recordings_on_disks'
  | 'database_stopped'
  | 'schedules_stopped'
  | 'clocks_apart'
  | 'asynchronous_standby'
  | 'standby_behind'
  | 'standby_unseen'
  | 'preset_drift'
  | 'audit_logs_broken'
  | 'audit_logs_unverified'
  | 'witness_missing'
  | 'backup_failed'
  | 'backup_old'
  | 'backup_drill_failed'
  | 'backup_drill_late';
export type RowKind = Exclude<AttentionKind, FactKind>;

const NO_DATE = sql`null::timestamptz`;

/** Searches a table with the condition of a kind, which is also a filter of the list. */
const rowsWith =
  (
    table: string,
    condition: (caller: Pick<Caller, 'actor'>) => Sql,
    { name, date = NO_DATE }: { readonly name: Sql; readonly date?: Sql },
  ): Search =>
  (scope, caller) =>
    sql`
    select t.id::text as id, ${name} as name, null::int as amount, ${date} as date
      from ${sql.table(table)} t where ${condition(caller)} and ${scope}`;

/** The kinds that search rows. */
export function searchesOf(settings: SettingsService): Readonly<Record<RowKind, Search>> {
  const users = userAttention(settings);
  const [user, hostname, name] = [userName('t'), sql`t.hostname`, sql`t.name`];
  return {
    changed_host_keys: rowsWith('asset', ASSET_ATTENTION.changed_host_keys, {
      name: hostname,
      date: sql`(select max(k.date_offered) from host_key k where k.asset_id = t.id
        and k.offered_public_key is not null)`,
    }),
    unreachable_assets: rowsWith('asset', ASSET_ATTENTION.unreachable_assets, {
      name: hostname,
      date: sql`t.connectivity_date`,
    }),
    failed_pushes: rowsWith('system_account', SYSTEM_USER_ATTENTION.failed_pushes, {
      name,
      date: sql`(select max(p.date_pushed) from system_user_push p where p.system_user_id = t.id
        and p.state = 'failed')`,
    }),
    failing_storages: rowsWith('terminal', TERMINAL_ATTENTION.failing_storages, { name }),
    failed_canaries: rowsWith('terminal', TERMINAL_ATTENTION.failed_canaries, {
      name,
      date: sql`t.canary_date`,
    }),
    waiting_sessions: rowsWith('session', SESSION_ATTENTION.waiting_sessions, {
      name: SESSION_NAME,
      date: sql`t.waits_since`,
    }),
    unrecorded_sessions: rowsWith('session', SESSION_ATTENTION.unrecorded_sessions, {
      name: SESSION_NAME,
      date: sql`t.date_start`,
    }),
    unrestored_recordings: rowsWith('session', SESSION_ATTENTION.unrestored_recordings, {
      name: SESSION_NAME,
      date: sql`t.date_start`,
    }),
    lost_changes: rowsWith('lost_change', LOST_CHANGE_ATTENTION.lost_changes, {
      name: sql`t.resource`,
      date: sql`t.datetime`,
    }),
    locked_users: rowsWith('account', users.locked_users, { name: user }),
    users_without_reviewers: rowsWith('account', users.users_without_reviewers, { name: user }),
    permissions_without_reviewers: rowsWith(
      'asset_permission',
      PERMISSION_ATTENTION.permissions_without_reviewers,
      { name },
    ),
    remote_app_permissions_without_reviewers: rowsWith(
      'remote_app_permission',
      REMOTE_APP_PERMISSION_ATTENTION.remote_app_permissions_without_reviewers,
      { name },
    ),
    database_app_permissions_without_reviewers: rowsWith(
      'database_app_permission',
      DATABASE_APP_PERMISSION_ATTENTION.database_app_permissions_without_reviewers,
      { name },
    ),
    users_shut: rowsWith('account', users.users_shut, {
      name: user,
      date: sql`t.date_source_state`,
    }),
    users_expiring: rowsWith('account', users.users_expiring, {
      name: user,
      date: sql`t.date_expired`,
    }),
    first_password: rowsWith('account', users.first_password, { name: user }),
    duty_holders_elsewhere: rowsWith('account', users.duty_holders_elsewhere, { name: user }),
    users_of_one_name: rowsWith('account', users.users_of_one_name, { name: user }),
    administrators_without_mfa: rowsWith('account', users.administrators_without_mfa, {
      name: user,
      date: sql`t.last_login`,
    }),
    permissions_ending: rowsWith('asset_permission', PERMISSION_ATTENTION.permissions_ending, {
      name,
      date: sql`t.date_expired`,
    }),
    remote_app_permissions_ending: rowsWith(
      'remote_app_permission',
      REMOTE_APP_PERMISSION_ATTENTION.remote_app_permissions_ending,
      {
        name,
        date: sql`t.date_expired`,
      },
    ),
    database_app_permissions_ending: rowsWith(
      'database_app_permission',
      DATABASE_APP_PERMISSION_ATTENTION.database_app_permissions_ending,
      {
        name,
        date: sql`t.date_expired`,
      },
    ),
    unused_permissions: rowsWith('asset_permission', PERMISSION_ATTENTION.unused_permissions, {
      name,
      date: sql`(select max(use.last_used) from permission_use use where use.permission_id = t.id)`,
    }),
    failed_jobs: rowsWith('job', JOB_ATTENTION.failed_jobs, { name, date: sql`t.date_finished` }),
    unseen_alerts: (scope) => sql`
      select null::text as id, t."user" as name, null::int as amount, t.datetime as date
      from alert t where ${ALERT_ATTENTION.unseen_alerts()} and ${scope}`,
    failed_sign_ins: (scope) => sql`
      select null::text as id, t.username as name, count(*)::int as amount, max(t.datetime) as date
      from login_log t where not t.status and t.datetime > now() - interval '1 day' and ${scope}
      group by t.username having count(*) >= ${FAILURES_WORTH_A_LOOK}`,
    unsettled_changes: (scope) => sql`
      select t.plan_execution_id::text as id, t.username || '@' || t.hostname as name,
        null::int as amount, t.date_finished as date
      from change_auth_subtask t where t.needs_attention and ${scope}`,
  };
}

/** A search for one caller. `soonestFirst` sorts by ascending date. */
export interface Asked {
  readonly kind: RowKind;
  readonly rows: Sql;
  readonly soonestFirst: boolean;
}

/** Selects the first rows of one kind. Each row has the total, at most {@link MOST_COUNTED}. */
function findOne({ kind, rows, soonestFirst }: Asked): Sql {
  const direction = soonestFirst ? sql`asc` : sql`desc`;
  return sql`(
    select ${kind} as kind, r.*, least(coalesce(sum(r.amount) over (), count(*) over ()),
      ${MOST_COUNTED})::int as total,
      row_number() over (order by r.amount desc nulls last, r.date ${direction} nulls last, r.name)
        as place
    from (${rows} limit ${MOST_COUNTED}) r order by place limit ${EXAMPLES})`;
}

/**
 * Runs all searches in one statement, as the database may be remote. Kinds without rows are absent.
 */
export async function findAll(
  searches: readonly Asked[],
  db: Db,
): Promise<ReadonlyMap<AttentionKind, Found>> {
  if (searches.length === 0) return new Map();
  const { rows } = await sql<Example & { kind: RowKind; total: number }>`
    select * from (${sql.join(searches.map(findOne), sql` union all `)}) found
      order by kind, place`.execute(db);
  const rowsByKind = Map.groupBy(rows, ({ kind }) => kind);
  return new Map(
    [...rowsByKind].map(([kind, examples]) => [
      kind,
      {
        count: examples[0]?.total ?? 0,
        examples: examples.map(({ id, name, amount, date }) => ({ id, name, amount, date })),
      },
    ]),
  );
}
