import { type AttentionKind, FAILURES_WORTH_A_LOOK, MOST_COUNTED } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Sql } from '../../resources/hooks.ts';
import { SESSION_NAME, userName } from '../../resources/object-name.ts';
import { ASSETS_IN_NEED, SYSTEM_USERS_IN_NEED } from '../assets/attention.ts';
import { usersInNeed } from '../identity/accounts/in-need.ts';
import { JOBS_IN_NEED } from '../jobs/in-need.ts';
import {
  DATABASE_APP_PERMISSIONS_IN_NEED,
  PERMISSIONS_IN_NEED,
  REMOTE_APP_PERMISSIONS_IN_NEED,
} from '../perms/attention.ts';
import type { SettingsService } from '../settings/service.ts';
import { SESSIONS_IN_NEED } from '../terminal/in-need.ts';
import { TERMINALS_IN_NEED } from '../terminals/in-need.ts';

/** Objects named by an item. */
const EXAMPLES = 3;

export interface FoundExample {
  readonly id: string | null;
  readonly name: string;
  readonly amount: number | null;
  readonly date: Date | null;
}

export interface Found {
  readonly count: number;
  readonly examples: readonly FoundExample[];
}

/**
 * What a kind looks for; `scope` is the condition on the rows (alias `t`) that the caller may know
 * of. Rows have id, name, amount and date.
 */
type Search = (scope: Sql, caller: Pick<Caller, 'actor'>) => Sql;

/** Kinds that are facts of the installation, not rows. */
export type FactKind =
  | 'recordings_disk'
  | 'audit_logs_broken'
  | 'audit_logs_unverified'
  | 'backup_old';
export type RowKind = Exclude<AttentionKind, FactKind>;

const NO_DATE = sql`null::timestamptz`;

/** Rows of a table that fulfil the condition of a kind, which is also a filter of their list. */
const inNeed =
  (
    table: string,
    condition: (caller: Pick<Caller, 'actor'>) => Sql,
    { name, date = NO_DATE }: { readonly name: Sql; readonly date?: Sql },
  ): Search =>
  (scope, caller) =>
    sql`
    select t.id::text as id, ${name} as name, null::int as amount, ${date} as date
      from ${sql.table(table)} t where ${condition(caller)} and ${scope}`;

/** The kinds that are rows of the database. */
export function searchesOf(settings: SettingsService): Readonly<Record<RowKind, Search>> {
  const users = usersInNeed(settings);
  const [user, hostname, name] = [userName('t'), sql`t.hostname`, sql`t.name`];
  return {
    changed_host_keys: inNeed('asset', ASSETS_IN_NEED.changed_host_keys, {
      name: hostname,
      date: sql`(select max(k.date_offered) from host_key k where k.asset_id = t.id
        and k.offered_public_key is not null)`,
    }),
    unreachable_assets: inNeed('asset', ASSETS_IN_NEED.unreachable_assets, {
      name: hostname,
      date: sql`t.connectivity_date`,
    }),
    failed_pushes: inNeed('system_account', SYSTEM_USERS_IN_NEED.failed_pushes, {
      name,
      date: sql`(select max(p.date_pushed) from system_user_push p where p.system_user_id = t.id
        and p.state = 'failed')`,
    }),
    failing_storages: inNeed('terminal', TERMINALS_IN_NEED.failing_storages, { name }),
    failed_canaries: inNeed('terminal', TERMINALS_IN_NEED.failed_canaries, {
      name,
      date: sql`t.canary_date`,
    }),
    unrecorded_sessions: inNeed('session', SESSIONS_IN_NEED.unrecorded_sessions, {
      name: SESSION_NAME,
      date: sql`t.date_start`,
    }),
    locked_users: inNeed('account', users.locked_users, { name: user }),
    users_without_reviewers: inNeed('account', users.users_without_reviewers, { name: user }),
    users_expiring: inNeed('account', users.users_expiring, {
      name: user,
      date: sql`t.date_expired`,
    }),
    first_password: inNeed('account', users.first_password, { name: user }),
    administrators_without_mfa: inNeed('account', users.administrators_without_mfa, {
      name: user,
      date: sql`t.last_login`,
    }),
    permissions_ending: inNeed('asset_permission', PERMISSIONS_IN_NEED.permissions_ending, {
      name,
      date: sql`t.date_expired`,
    }),
    remote_app_permissions_ending: inNeed(
      'remote_app_permission',
      REMOTE_APP_PERMISSIONS_IN_NEED.remote_app_permissions_ending,
      {
        name,
        date: sql`t.date_expired`,
      },
    ),
    database_app_permissions_ending: inNeed(
      'database_app_permission',
      DATABASE_APP_PERMISSIONS_IN_NEED.database_app_permissions_ending,
      {
        name,
        date: sql`t.date_expired`,
      },
    ),
    unused_permissions: inNeed('asset_permission', PERMISSIONS_IN_NEED.unused_permissions, {
      name,
      date: sql`(select max(use.last_used) from permission_use use where use.permission_id = t.id)`,
    }),
    failed_jobs: inNeed('job', JOBS_IN_NEED.failed_jobs, { name, date: sql`t.date_finished` }),
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

/** A search of one caller; `soonestFirst`: of what ends, the first is the one that ends next. */
export interface Asked {
  readonly kind: RowKind;
  readonly rows: Sql;
  readonly soonestFirst: boolean;
}

/** One kind: its number of rows, at most {@link MOST_COUNTED}, in each of the first rows. */
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
 * Runs all searches in one statement, as a database may be far away. Kinds without rows are absent.
 */
export async function findAll(
  asked: readonly Asked[],
  db: Db,
): Promise<ReadonlyMap<AttentionKind, Found>> {
  if (asked.length === 0) return new Map();
  const { rows } = await sql<FoundExample & { kind: RowKind; total: number }>`
    select * from (${sql.join(asked.map(findOne), sql` union all `)}) found
      order by kind, place`.execute(db);
  const found = Map.groupBy(rows, ({ kind }) => kind);
  return new Map(
    [...found].map(([kind, examples]) => [
      kind,
      {
        count: examples[0]?.total ?? 0,
        examples: examples.map(({ id, name, amount, date }) => ({ id, name, amount, date })),
      },
    ]),
  );
}
