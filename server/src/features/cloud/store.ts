import type { CloudProvider, LocalText, Period, SyncSummary } from '@sallyport/contract';
import type { CloudAccess, Instance } from '../../platform/cloud/cloud.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { isRecent } from '../../platform/db/recent.ts';
import { sql } from '../../platform/db/sql.ts';
import type { RowSchedule } from '../../platform/jobs/definition.ts';
import { scheduleOf } from '../../resources/write/period.ts';
import { words } from './words.ts';

/** Naming scheme of assets. */
type HostnameStrategy = 'instance_name_partial_ip' | 'instance_name';

/** Maximum characters of the instance name within a hostname. An address or id follows. */
const NAME_MAX = 80;

/** The address of an instance, private before public. Empty without an address. */
export const addressOf = ({ privateIp, publicIp }: Instance): string => privateIp || publicIp;

/** The last two parts of an address. */
function partOf(ip: string): string {
  const sign = ip.includes(':') ? ':' : '.';
  return ip.split(sign).slice(-2).join(sign);
}

/**
 * Candidates for the hostname of an asset, preferred one first. The last one contains the unique
 * instance id.
 */
export function hostnamesOf(instance: Instance, strategy: HostnameStrategy): readonly string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes control characters
  const plain = instance.name.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  const name = plain.slice(0, NAME_MAX).trim() || instance.id.slice(0, NAME_MAX);
  const ip = addressOf(instance);
  const all = [
    ...(strategy === 'instance_name' ? [name] : []),
    ...(ip ? [`${name}-${partOf(ip)}`, `${name}-${ip}`] : []),
    `${name}-${instance.id}`,
  ];
  return [...new Set(all)].map((one) => one.slice(0, 128));
}

/** The task of a run. */
export interface SyncInput {
  readonly task: string;
}

/** The columns of a task that its run needs. */
export interface SyncTask {
  readonly id: string;
  readonly name: string;
  readonly organization: string;
  readonly account: string;
  readonly provider: CloudProvider;
  readonly regions: readonly string[];
  readonly strategy: HostnameStrategy;
  readonly node: string;
  readonly adminUser: string | null;
  readonly isAlwaysUpdate: boolean;
}

/** Runs kept per task. */
const KEPT_EXECUTIONS = 50;

const asJson = (text: LocalText | undefined): string | null => (text ? JSON.stringify(text) : null);

/** Returns the access to the provider of an account. Undefined if the account was deleted. */
export async function accessOf(id: string, vault: Vault, db: Db): Promise<CloudAccess | undefined> {
  const { rows } = await sql<Omit<CloudAccess, 'secret'> & { readonly sealed: string | null }>`
    select provider, access_key_id as "keyId", access_key_secret as sealed, endpoint,
      ca_certificate as certificate from cloud_account where id = ${id}`.execute(db);
  const [row] = rows;
  if (!row) return undefined;
  const { sealed, ...access } = row;
  return {
    ...access,
    secret: sealed === null ? '' : vault.open(sealed, `cloud_account.access_key_secret.${id}`),
  };
}

/** Stores whether an account works, and its problem. */
export async function setValidity(
  id: string,
  problem: LocalText | undefined,
  db: Db,
): Promise<void> {
  await sql`
    update cloud_account set validity = ${problem === undefined},
      problem = ${asJson(problem)}::jsonb, date_tested = now() where id = ${id}`.execute(db);
}

/** Returns a task. Undefined if it was deleted. */
export async function taskOf(id: string, db: Db): Promise<SyncTask | undefined> {
  const { rows } = await sql<SyncTask>`
    select t.id, t.name, t.org_id as organization, t.account_id as account, a.provider, t.regions,
      t.hostname_strategy as strategy, t.node_id as node,
      t.admin_user_id as "adminUser", t.is_always_update as "isAlwaysUpdate"
    from cloud_sync_task t join cloud_account a on a.id = t.account_id where t.id = ${id}`.execute(
    db,
  );
  return rows[0];
}

/** The tasks with a schedule. */
export async function scheduledTasks(db: Db): Promise<readonly RowSchedule<SyncInput>[]> {
  const { rows } = await sql<
    Period & { id: string; name: string; organization: string; since: Date }
  >`
    select id, name, org_id as organization, is_periodic, crontab, interval,
      greatest(date_last_sync, date_updated) as since
    from cloud_sync_task where is_periodic order by id`.execute(db);
  return rows.flatMap(({ id, name, organization, since, ...period }) => {
    const schedule = scheduleOf(period);
    return schedule
      ? [{ key: id, schedule, since, input: { task: id }, subject: name, organization }]
      : [];
  });
}

/**
 * Starts a run, or continues an interrupted one. Ends older runs that a lost server left as
 * running.
 */
export async function beginExecution(id: string, task: SyncTask, db: Db): Promise<void> {
  await db.transaction(async (tx) => {
    await sql`
      update cloud_sync_execution
        set status = 0, reason = ${JSON.stringify(words.interrupted)}::jsonb, date_finished = now()
      where task_id = ${task.id} and status = 2 and id <> ${id}`.execute(tx);
    await sql`
      insert into cloud_sync_execution (id, org_id, task_id)
        values (${id}, ${task.organization}, ${task.id})
      on conflict (id) do update set status = 2, reason = null, date_finished = null`.execute(tx);
    await sql`update cloud_sync_task set date_last_sync = now() where id = ${task.id}`.execute(tx);
    await sql`
      delete from cloud_sync_execution where task_id = ${task.id} and id not in (
        select id from cloud_sync_execution where task_id = ${task.id} order by date_sync desc
          limit ${KEPT_EXECUTIONS})`.execute(tx);
  });
}

/**
 * Marks instances that are missing at the provider as released, in completely read regions. Deletes
 * instances without an asset.
 */
export async function releaseMissing(
  execution: string,
  task: SyncTask,
  regions: readonly string[],
  db: Db,
): Promise<void> {
  await db.transaction(async (tx) => {
    const missing = sql`task_id = ${task.id} and account_id = ${task.account} and region =
      any (${regions}::text[]) and seen_by is distinct from ${execution}::uuid`;
    await sql`delete from cloud_instance where ${missing} and asset_id is null`.execute(tx);
    await sql`update cloud_instance set status = 3, reason = null, released_by = ${execution},
      date_sync = now() where ${missing} and status <> 3`.execute(tx);
  });
}

/** Ends a run and returns its summary. A reason marks it as failed. */
export async function endExecution(
  id: string,
  task: SyncTask,
  reason: LocalText | undefined,
  db: Db,
): Promise<SyncSummary> {
  const { rows } = await sql<SyncSummary>`
    update cloud_sync_execution e set status = ${reason ? 0 : 1}, reason = ${asJson(reason)}::jsonb,
      date_finished = now(),
      made = found.made, unsync = found.unsync, sync = found.sync, released = found.released
    from (
      select (count(*) filter (where seen_by = ${id} and status = 1))::int as made,
        (count(*) filter (where seen_by = ${id} and status = 0))::int as unsync,
        (count(*) filter (where seen_by = ${id} and status = 2))::int as sync,
          (count(*) filter (where released_by = ${id}))::int as released
      from cloud_instance where task_id = ${task.id}) found
    where e.id = ${id} returning e.made as new, e.unsync, e.sync, e.released`.execute(db);
  return rows[0] ?? { new: 0, unsync: 0, sync: 0, released: 0 };
}

/** Ends runs whose job has ended or was lost. */
export async function endAbandoned(db: Db): Promise<void> {
  await sql`
    update cloud_sync_execution e
      set status = 0, reason = ${JSON.stringify(words.interrupted)}::jsonb, date_finished = now()
    where e.status = 2 and not ${isRecent(sql`e.date_sync`, 1)}
      and not exists (select 1 from job j where j.id = e.id
        and j.state in ('queued', 'running'))`.execute(db);
}

/**
 * Lets any task create the asset of an instance again. Returns true if the instance was excluded.
 */
export async function takeAgain(task: string, instance: string, db: Db): Promise<boolean> {
  const { rowCount } = await sql`
    update cloud_instance i set is_left_out = false from cloud_instance asked
    where asked.id = ${instance} and asked.task_id = ${task} and i.org_id = asked.org_id
      and i.provider = asked.provider
      and i.instance_id = asked.instance_id and i.is_left_out`.execute(db);
  return rowCount > 0;
}

/**
 * Locks and returns the released assets of a task. Excludes assets that another task still finds.
 */
export async function releasedAssets(
  task: string,
  most: number,
  tx: Tx,
): Promise<readonly { readonly id: string; readonly hasSessions: boolean }[]> {
  const { rows } = await sql<{ id: string; hasSessions: boolean }>`
    select a.id, exists (select 1 from session s where s.asset_id = a.id::text) as "hasSessions"
      from asset a
    where exists (select 1 from cloud_instance i where i.asset_id = a.id
      and i.task_id = ${task} and i.status = 3)
      and not exists (select 1 from cloud_instance other where other.asset_id = a.id
        and other.status <> 3)
      and (a.is_active or not exists (select 1 from session s where s.asset_id = a.id::text))
    order by a.id limit ${most} for update of a`.execute(tx);
  return rows;
}

/** Deletes released instances of a task without an asset. */
export async function forgetReleased(task: string, tx: Tx): Promise<void> {
  await sql`delete from cloud_instance where task_id = ${task} and status = 3
    and asset_id is null`.execute(tx);
}
