import type { LocalText } from '@sallyport/contract';
import type { Vault } from '../../platform/crypto/vault.ts';
import { type Db, sqlState, type Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { assetsIn, type Plan } from './plan-store.ts';
import { words } from './words.ts';

export type SecretKind = 'password' | 'key';
export type Step = 'ready' | 'preflight' | 'change' | 'verify' | 'keep' | 'finished';

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
  /** True if the platform of the asset accepts old keys only. */
  readonly isOld: boolean;
  /** True if the account is the admin user of the asset. */
  readonly isAdmin: boolean;
}

/** A new secret and its kind. */
export interface Secret {
  readonly kind: SecretKind;
  readonly text: string;
}

const SUBTASK = sql`t.id, t.asset_id as "assetId", t.hostname, t.username, t.org_id as organization,
  t.pending, t.pending_kind as "pendingKind",
  coalesce((select p.old_ssh from asset a join platform p on p.name = a.platform
    where a.id = t.asset_id), false) as "isOld",
  coalesce((select u.username = t.username from asset a join admin_user u on u.id = a.admin_user_id
    where a.id = t.asset_id), false) as "isAdmin"`;

const executionSecret = (id: string) => `change_auth_execution.password.${id}`;
const executionKeySecret = (id: string) => `change_auth_execution.private_key.${id}`;
const pendingSecret = (id: string) => `change_auth_subtask.pending.${id}`;

/** Secrets that all servers of a run share. */
export interface SharedSecrets {
  readonly password?: string | undefined;
  readonly privateKey?: string | undefined;
}

/** A started run. */
export interface StartedExecution {
  readonly total: number;
  readonly shared: SharedSecrets;
}

/** Starts a run with a subtask per active asset of the plan. A restarted run keeps its subtasks. */
export async function beginExecution(
  id: string,
  plan: Plan,
  shared: SharedSecrets,
  { vault, db }: { readonly vault: Vault; readonly db: Db },
): Promise<StartedExecution> {
  const sealed = (secret: string | undefined, context: string) =>
    secret === undefined ? null : vault.seal(secret, context);
  return db.transaction(async (tx) => {
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

/** Ends a run. Subtasks that have not started fail. */
export async function endExecution(id: string, db: Db): Promise<void> {
  await sql`
    update change_auth_subtask
    set is_success = false, reason = ${JSON.stringify(words.notBegun)}::jsonb, date_finished = now()
    where plan_execution_id = ${id} and is_success is null and pending is null`.execute(db);
  await sql`update change_auth_execution
    set is_finished = true, password = null, private_key = null, date_finished = now()
    where id = ${id}`.execute(db);
}

/** Unfinished subtasks of a run. */
export async function openSubtasks(execution: string, db: Db): Promise<readonly Subtask[]> {
  return (
    await sql<Subtask>`select ${SUBTASK} from change_auth_subtask t
      where t.plan_execution_id = ${execution} and t.is_success is null order by t.id`.execute(db)
  ).rows;
}

/** Reopens a subtask for a job; undefined if it has succeeded. */
export async function takeSubtask(id: string, job: string, db: Db): Promise<Subtask | undefined> {
  await sql`update change_auth_subtask
    set job_id = ${job}, is_success = null, reason = null, date_finished = null
    where id = ${id} and is_success is not true`.execute(db);
  return (
    await sql<Subtask>`select ${SUBTASK} from change_auth_subtask t
      where t.id = ${id} and t.is_success is null`.execute(db)
  ).rows[0];
}

/** Executions per delete statement. */
const BATCH = 500;

/**
 * Deletes executions that ended this many days ago, with their subtasks. Keeps those with unsettled
 * subtasks, which may hold the only copy of a password in force.
 * @returns the number of deleted executions
 */
export async function forgetExecutions(days: number, db: Db): Promise<number> {
  for (let removed = 0; ; ) {
    const { rowCount } = await sql`
      delete from change_auth_execution where id in (
        select e.id from change_auth_execution e
        where e.is_finished and e.date_finished < now() - make_interval(days => ${days})
          and not exists (
          select 1 from change_auth_subtask s where s.plan_execution_id = e.id
            and (s.pending is not null or s.needs_attention or s.is_success is null))
        order by e.date_finished limit ${BATCH})`.execute(db);
    removed += rowCount;
    if (rowCount < BATCH) return removed;
  }
}

/**
 * Unsettled subtasks whose job has ended. Omits those that need a user's attention, unless their
 * asset was deleted.
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
 * Stores the new secret, sealed, before the server is changed.
 * @returns false while another change of the account is unsettled
 */
export async function keepPending(
  { id }: Subtask,
  { kind, text }: Secret,
  vault: Vault,
  db: Db,
): Promise<boolean> {
  try {
    await sql`update change_auth_subtask
      set pending = ${vault.seal(text, pendingSecret(id))}, pending_kind = ${kind},
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

/** Clears the pending secret once it is in force; another change follows. */
export async function endPending(id: string, tx: Tx): Promise<void> {
  await sql`update change_auth_subtask set pending = null where id = ${id}`.execute(tx);
}

/**
 * Result of a subtask. `isSettled`: the secret in force is known, so the pending one is cleared.
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
