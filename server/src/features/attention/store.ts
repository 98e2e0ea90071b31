import { type AttentionKind, FAILURES_WORTH_A_LOOK, MOST_COUNTED } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { Sql } from '../../resources/hooks.ts';
import { SESSION_NAME, userName } from '../../resources/object-name.ts';
import { isUnused } from '../perms/unused/store.ts';

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

/** What a kind looks for; `scope` is the condition on the rows (alias `t`) that the caller, `userId`, may know of. Rows have id, name, amount and date. */
type Search = (scope: Sql, userId: string) => Sql;

/** Kinds that are facts of the installation, not rows. */
export type FactKind = 'recordings_disk' | 'audit_logs_broken' | 'audit_logs_unverified';
export type RowKind = Exclude<AttentionKind, FactKind>;

/** The kinds that are rows of the database. `isLocked` is the condition on a locked account (alias `t`). */
export function searchesOf(isLocked: () => Sql): Readonly<Record<RowKind, Search>> {
  return {
    changed_host_keys: (scope) => sql`
      select t.id::text as id, t.hostname as name, null::int as amount, k.date_offered as date
      from host_key k join asset t on t.id = k.asset_id where k.offered_public_key is not null and ${scope}`,
    unrecorded_sessions: (scope) => sql`
      select t.id::text as id, ${SESSION_NAME} as name, null::int as amount, t.date_start as date
      from session t where t.is_finished and t.is_success and t.replay_state in ('none', 'failed') and t.date_start > now() - interval '7 days' and ${scope}`,
    locked_users: (scope) => sql`
      select t.id::text as id, ${userName('t')} as name, null::int as amount, null::timestamptz as date
      from account t where ${scope} and ${isLocked()}`,
    failed_sign_ins: (scope) => sql`
      select null::text as id, t.username as name, count(*)::int as amount, max(t.datetime) as date
      from login_log t where not t.status and t.datetime > now() - interval '1 day' and ${scope}
      group by t.username having count(*) >= ${FAILURES_WORTH_A_LOOK}`,
    first_password: (scope, userId) => sql`
      select t.id::text as id, ${userName('t')} as name, null::int as amount, null::timestamptz as date
      from account t where t.password_generated and t.id = ${userId} and ${scope}`,
    administrators_without_mfa: (scope) => sql`
      select t.id::text as id, ${userName('t')} as name, null::int as amount, t.last_login as date
      from account t where t.role = 'Admin' and t.is_active and t.mfa_level = 0 and ${scope}`,
    permissions_ending: (scope) => sql`
      select t.id::text as id, t.name, null::int as amount, t.date_expired as date
      from asset_permission t where t.is_active and t.date_expired between now() and now() + interval '7 days' and ${scope}`,
    unused_permissions: (scope) => sql`
      select t.id::text as id, t.name, null::int as amount, (select max(use.last_used) from permission_use use where use.permission_id = t.id) as date
      from asset_permission t where ${scope} and t.id in (select p.id from asset_permission p where ${isUnused()})`,
    failed_jobs: (scope) => sql`
      select t.id::text as id, t.name, null::int as amount, t.date_finished as date
      from job t where t.state = 'failed' and t.date_created > now() - interval '1 day' and ${scope}`,
  };
}

/** How many rows a search has, at most {@link MOST_COUNTED}, and the first of them: what ends soonest, or happened last. */
export async function find(rows: Sql, soonestFirst: boolean, db: Db): Promise<Found> {
  const direction = soonestFirst ? sql`asc` : sql`desc`;
  const { rows: found } = await sql<FoundExample & { total: number }>`
    select r.*, count(*) over ()::int as total from (${rows} limit ${MOST_COUNTED}) r
    order by r.amount desc nulls last, r.date ${direction} nulls last, r.name limit ${EXAMPLES}`.execute(db);
  return { count: found[0]?.total ?? 0, examples: found.map(({ id, name, amount, date }) => ({ id, name, amount, date })) };
}
