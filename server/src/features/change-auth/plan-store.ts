import type { Period } from '@sallyport/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { RowSchedule } from '../../platform/jobs/definition.ts';
import { scheduleOf } from '../../resources/write/period.ts';

/** `keep`: the secret is not changed. */
export type Strategy = 'keep' | 'custom' | 'random_one' | 'random_all';

/** A plan. Password and key are sealed. */
export interface Plan {
  readonly id: string;
  readonly name: string;
  readonly organization: string;
  readonly username: string;
  readonly strategy: Strategy;
  readonly length: number | null;
  readonly password: string | null;
  readonly keyStrategy: Strategy;
  readonly privateKey: string | null;
}

/** Runs a plan, or retries one server. */
export interface ChangeInput {
  readonly plan: string;
  readonly subtask?: string;
}

const PLAN = sql`p.id, p.name, p.org_id as organization, p.username,
  p.password_strategy as strategy, (p.password_rules ->> 'length')::int as length, p.password,
  p.key_strategy as "keyStrategy", p.private_key as "privateKey"`;

export const planSecret = (id: string): string => `change_auth_plan.password.${id}`;
export const planKeySecret = (id: string): string => `change_auth_plan.private_key.${id}`;

/** Reads a plan; undefined if it was deleted. */
export async function planOf(id: string, db: Db): Promise<Plan | undefined> {
  return (await sql<Plan>`select ${PLAN} from change_auth_plan p where p.id = ${id}`.execute(db))
    .rows[0];
}

/** Query for the asset ids of a plan: those it names, and those below its nodes. */
export const assetsIn = (plan: string): Sql => sql`(
  select asset_id from change_auth_plan_assets where change_auth_plan_id = ${plan}
  union
  select below.asset_id from change_auth_plan_nodes link
    join asset_ancestor below on below.node_id = link.node_id
  where link.change_auth_plan_id = ${plan})`;

/** True if an asset (alias `t`) belongs to a plan. */
export const isOfPlan = (plan: string): Sql => sql`t.id in ${assetsIn(plan)}`;

/**
 * Reads the assets that a plan names directly. Locks the plan until the transaction ends, which
 * serializes changes.
 */
export async function directAssets(plan: string, tx: Tx): Promise<readonly string[]> {
  await sql`select 1 from change_auth_plan where id = ${plan} for no key update`.execute(tx);
  const { rows } = await sql<{
    id: string;
  }>`select asset_id as id from change_auth_plan_assets
    where change_auth_plan_id = ${plan}`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Plans with a schedule. */
export async function scheduledPlans(db: Db): Promise<readonly RowSchedule<ChangeInput>[]> {
  const { rows } = await sql<
    Period & { id: string; name: string; organization: string; since: Date }
  >`
    select id, name, org_id as organization, is_periodic, crontab, interval,
      greatest(date_last_run, date_updated) as since
    from change_auth_plan where is_periodic order by id`.execute(db);
  return rows.flatMap(({ id, name, organization, since, ...period }) => {
    const schedule = scheduleOf(period);
    return schedule
      ? [{ key: id, schedule, since, input: { plan: id }, subject: name, organization }]
      : [];
  });
}

/** Returns true if a plan has a server whose platform accepts old keys only. */
export async function hasOldServer(plan: string, db: Db): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select 1 from asset a join platform p on p.name = a.platform
      where p.old_ssh and a.is_active and a.id in ${assetsIn(plan)}) as has`.execute(db);
  return rows[0]?.has === true;
}
