import type { LocalText, Period } from '@sallyport/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Vault } from '../../platform/crypto/vault.ts';
import { type Db, sqlState, type Tx } from '../../platform/db/database.ts';
import type { RowSchedule } from '../../platform/jobs/definition.ts';
import { scheduleOf } from '../../resources/period.ts';
import { words } from './words.ts';

/** `keep`: it is not changed. */
export type Strategy = 'keep' | 'custom' | 'random_one' | 'random_all';
export type SecretKind = 'password' | 'key';
export type Step = 'ready' | 'preflight' | 'change' | 'verify' | 'keep' | 'finished';

/** A plan as its run needs it. Password and key are sealed. */
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

/** The change of one account on one server. */
export interface Subtask {
  readonly id: string;
  readonly assetId: string | null;
  readonly hostname: string;
  readonly username: string;
  readonly organization: string;
  /** The new secret, sealed. */
  readonly pending: string | null;
  readonly pendingKind: SecretKind;
  /** The platform of the asset takes no keys but old ones. */
  readonly isOld: boolean;
  /** The account is the one that work on the asset is done with. */
  readonly isAdmin: boolean;
}

/** What a job works on: a plan, or one server again. */
export interface ChangeInput {
  readonly plan: string;
  readonly subtask?: string;
}

const PLAN = sql`p.id, p.name, p.org_id as organization, p.username,
  p.password_strategy as strategy, (p.password_rules ->> 'length')::int as length, p.password,
  p.key_strategy as "keyStrategy", p.private_key as "privateKey"`;
const SUBTASK = sql`t.id, t.asset_id as "assetId", t.hostname, t.username, t.org_id as organization,
  t.pending, t.pending_kind as "pendingKind",
  coalesce((select p.old_ssh from asset a join platform p on p.name = a.platform
    where a.id = t.asset_id), false) as "isOld",
  coalesce((select u.username = t.username from asset a join admin_user u on u.id = a.admin_user_id
    where a.id = t.asset_id), false) as "isAdmin"`;

export const planSecret = (id: string): string => `change_auth_plan.password.${id}`;
export const planKeySecret = (id: string): string => `change_auth_plan.private_key.${id}`;
const executionSecret = (id: string) => `change_auth_execution.password.${id}`;
const executionKeySecret = (id: string) => `change_auth_execution.private_key.${id}`;
const pendingSecret = (id: string) => `change_auth_subtask.pending.${id}`;

/** A plan; undefined when it is gone. */
export async function planOf(id: string, db: Db): Promise<Plan | undefined> {
  return (await sql<Plan>`select ${PLAN} from change_auth_plan p where p.id = ${id}`.execute(db))
    .rows[0];
}

/** The assets of a plan, as a set of ids: those that it names, and those below its nodes. */
const assetsIn = (plan: string): RawBuilder<unknown> => sql`(
  select asset_id from change_auth_plan_assets where change_auth_plan_id = ${plan}
  union
  select below.asset_id from change_auth_plan_nodes link
    join asset_ancestor below on below.node_id = link.node_id
  where link.change_auth_plan_id = ${plan})`;

/** Whether an asset (alias `t`) is one of a plan. */
export const isOfPlan = (plan: string): RawBuilder<unknown> => sql`t.id in ${assetsIn(plan)}`;

/**
 * The assets that a plan names itself. The plan is locked until the transaction ends, so that two
 * changes of them follow each other.
 */
export async function directAssets(plan: string, tx: Tx): Promise<readonly string[]> {
  await sql`select 1 from change_auth_plan where id = ${plan} for no key update`.execute(tx);
  const { rows } = await sql<{
    id: string;
  }>`select asset_id as id from change_auth_plan_assets
    where change_auth_plan_id = ${plan}`.execute(tx);
  return rows.map(({ id }) => id);
}

/** The plans that run by themselves. */
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

/** What all servers of a run get. */
export interface SharedSecrets {
  readonly password?: string | undefined;
  readonly privateKey?: string | undefined;
}

/** A run that began: how many servers it has, and what all of them get. */
export interface Begun {
  readonly total: number;
  readonly shared: SharedSecrets;
}

/** Whether a server of a plan has a platform that takes no keys but old ones. */
export async function hasOldServer(plan: string, db: Db): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select 1 from asset a join platform p on p.name = a.platform
      where p.old_ssh and a.is_active and a.id in ${assetsIn(plan)}) as has`.execute(db);
  return rows[0]?.has === true;
}

/**
 * Begins a run: a subtask for each active asset of the plan. One that was interrupted goes on with
 * its own.
 */
export async function beginExecution(
  id: string,
  plan: Plan,
  shared: SharedSecrets,
  vault: Vault,
  db: Db,
): Promise<Begun> {
  const sealed = (secret: string | undefined, context: string) =>
    secret === undefined ? null : vault.seal(secret, context);
  return db.transaction().execute(async (tx) => {
    await sql`
      insert into change_auth_execution (id, org_id, plan_id, username, password_strategy, password,
        key_strategy, private_key, assets_amount, nodes_amount)
      select ${id}, ${plan.organization}, ${plan.id}, ${plan.username}, ${plan.strategy},
        ${sealed(shared.password, executionSecret(id))},
        ${plan.keyStrategy}, ${sealed(shared.privateKey, executionKeySecret(id))},
        (select count(*) from change_auth_plan_assets where change_auth_plan_id = ${plan.id}),
        (select count(*) from change_auth_plan_nodes where change_auth_plan_id = ${plan.id})
      on conflict (id) do nothing`.execute(tx);
    await sql`
      insert into change_auth_subtask (org_id, plan_execution_id, asset_id, hostname, ip, username,
        job_id)
      select ${plan.organization}, ${id}, a.id, a.hostname, a.ip, ${plan.username}, ${id}
      from asset a
      where a.is_active and a.id in ${assetsIn(plan.id)}
      on conflict (plan_execution_id, asset_id) do nothing`.execute(tx);
    await sql`update change_auth_plan set date_last_run = now() where id = ${plan.id}`.execute(tx);
    const { rows } = await sql<{
      total: number;
      password: string | null;
      private_key: string | null;
    }>`
      select (select count(*)::int from change_auth_subtask
        where plan_execution_id = e.id) as total, e.password, e.private_key
      from change_auth_execution e where e.id = ${id}`.execute(tx);
    const { total = 0, password = null, private_key: key = null } = rows[0] ?? {};
    return {
      total,
      shared: {
        ...(password !== null && { password: vault.open(password, executionSecret(id)) }),
        ...(key !== null && { privateKey: vault.open(key, executionKeySecret(id)) }),
      },
    };
  });
}

/** Ends a run, however it went. */
export async function endExecution(id: string, db: Db): Promise<void> {
  await sql`
    update change_auth_subtask
    set is_success = false, reason = ${JSON.stringify(words.notBegun)}::jsonb, date_finished = now()
    where plan_execution_id = ${id} and is_success is null and pending is null`.execute(db);
  await sql`update change_auth_execution
    set is_finished = true, password = null, private_key = null, date_finished = now()
    where id = ${id}`.execute(db);
}

/** The subtasks of a run that are not over. */
export async function openSubtasks(execution: string, db: Db): Promise<readonly Subtask[]> {
  return (
    await sql<Subtask>`select ${SUBTASK} from change_auth_subtask t
      where t.plan_execution_id = ${execution} and t.is_success is null order by t.id`.execute(db)
  ).rows;
}

/** One subtask, which a job begins again. */
export async function takeSubtask(id: string, job: string, db: Db): Promise<Subtask | undefined> {
  await sql`update change_auth_subtask
    set job_id = ${job}, is_success = null, reason = null, date_finished = null
    where id = ${id} and is_success is not true`.execute(db);
  return (
    await sql<Subtask>`select ${SUBTASK} from change_auth_subtask t
      where t.id = ${id} and t.is_success is null`.execute(db)
  ).rows[0];
}

/** Executions that are removed at a time. */
const BATCH = 500;

/**
 * Removes executions, with their subtasks, that ended so many days ago. One stays while it is not
 * known which password is in force on one of its servers: its subtask may be the only place that
 * knows the new one. @returns how many executions are gone
 */
export async function forgetExecutions(days: number, db: Db): Promise<number> {
  for (let removed = 0; ; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from change_auth_execution where id in (
        select e.id from change_auth_execution e
        where e.is_finished and e.date_finished < now() - make_interval(days => ${days})
          and not exists (
          select 1 from change_auth_subtask s where s.plan_execution_id = e.id
            and (s.pending is not null or s.needs_attention or s.is_success is null))
        order by e.date_finished limit ${BATCH})`.execute(db);
    removed += Number(numAffectedRows);
    if (numAffectedRows < BATCH) return removed;
  }
}

/**
 * Subtasks whose job is over and that have a password about which nothing is known yet. Those that
 * wait for a person are not among them, unless their asset is gone.
 */
export async function leftSubtasks(db: Db): Promise<readonly Subtask[]> {
  const { rows } = await sql<Subtask>`
    select ${SUBTASK} from change_auth_subtask t left join job j on j.id = t.job_id
    where t.pending is not null and (not t.needs_attention or t.asset_id is null)
      and (j.id is null or j.state not in ('queued', 'running')) order by t.id limit 500`.execute(
    db,
  );
  return rows;
}

export async function setStep(id: string, step: Step, db: Db): Promise<void> {
  await sql`update change_auth_subtask set step = ${step}, date_start = coalesce(date_start, now())
    where id = ${id}`.execute(db);
}

/**
 * Keeps the new secret, sealed, before the server is changed.
 * @returns false while another change of the account is not settled
 */
export async function keepPending(
  { id }: Subtask,
  kind: SecretKind,
  secret: string,
  vault: Vault,
  db: Db,
): Promise<boolean> {
  try {
    await sql`update change_auth_subtask
      set pending = ${vault.seal(secret, pendingSecret(id))}, pending_kind = ${kind},
      step = 'change' where id = ${id}`.execute(db);
    return true;
  } catch (error) {
    if (sqlState(error)?.code === '23505') return false;
    throw error;
  }
}

export const openPending = (
  { id, pending }: { readonly id: string; readonly pending: string },
  vault: Vault,
): string => vault.open(pending, pendingSecret(id));

/** One secret of a subtask is in force; another one follows. */
export async function endPending(id: string, tx: Tx): Promise<void> {
  await sql`update change_auth_subtask set pending = null where id = ${id}`.execute(tx);
}

/**
 * How a subtask ended. `isSettled`: it is known which password is in force, and the new one is
 * forgotten here.
 */
export interface Outcome {
  readonly isSuccess: boolean;
  readonly isSettled: boolean;
  readonly needsAttention?: boolean;
  readonly reason?: LocalText;
}

export async function endSubtask(
  id: string,
  { isSuccess, isSettled, needsAttention = false, reason }: Outcome,
  db: Db | Tx,
): Promise<void> {
  await sql`
    update change_auth_subtask
    set is_success = ${isSuccess}, needs_attention = ${needsAttention},
      reason = ${reason ? JSON.stringify(reason) : null}::jsonb,
      step = case when ${isSuccess} then 'finished' else step end, pending = case
        when ${isSettled} then null else pending end, date_finished = now()
    where id = ${id}`.execute(db);
}
