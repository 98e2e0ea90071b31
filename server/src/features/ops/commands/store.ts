import { type CommandHostState, type LocalText, MOST_KEPT_OUTPUT } from '@sallyport/contract';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { isRecent } from '../../../platform/db/recent.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { type JobCounts, settleCounts } from '../../../platform/jobs/run.ts';
import { finalOutcome, type Stop } from './outcome.ts';
import { worded } from './words.ts';

/** A batch command before it runs. */
export interface NewCommand {
  readonly id: string;
  readonly organization: string;
  readonly userId: string;
  readonly user: string;
  readonly remoteAddress: string;
  readonly systemUserId: string;
  readonly command: string;
  readonly isCanary: boolean;
  readonly failureLimit: number;
  readonly hosts: readonly string[];
}

/** A batch command that starts to run. */
export interface StartedCommand {
  readonly id: string;
  readonly userId: string | null;
  readonly user: string;
  readonly remoteAddress: string;
  readonly systemUserId: string;
  readonly command: string;
  readonly isCanary: boolean;
  readonly failureLimit: number;
}

/** Result of a host. */
export interface HostOutcome {
  readonly assetId: string;
  readonly state: Exclude<CommandHostState, 'waiting' | 'running'>;
  readonly rc?: number | undefined;
  readonly problem?: LocalText | undefined;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly isCut?: boolean;
  readonly milliseconds: number;
}

/** Stores a batch command that waits for its job. */
export async function addCommand(command: NewCommand, tx: Tx): Promise<void> {
  await sql`
    insert into command_execution (id, org_id, user_id, user_display, remote_addr, run_as_id,
      run_as_display, command, is_canary, failure_limit, hosts_amount)
    select ${command.id}, ${command.organization}, ${command.userId}, ${command.user},
      ${command.remoteAddress}, s.id, s.name || '(' || s.username || ')',
      ${command.command}, ${command.isCanary}, ${command.failureLimit}, ${command.hosts.length}
    from system_account s where s.id = ${command.systemUserId}`.execute(tx);
  await sql`
    insert into command_execution_host (org_id, commandexecution_id, position, asset_id, hostname,
      ip, asset_display)
    select ${command.organization}, ${command.id}, asked.position, a.id, a.hostname, a.ip,
      a.hostname || '(' || a.ip || ')'
    from unnest(${command.hosts}::uuid[]) with ordinality as asked (id, position)
      join asset a on a.id = asked.id`.execute(tx);
}

/**
 * Counts waiting and running batch commands of a user. Locks the user, so that concurrent requests
 * cannot exceed a limit together.
 */
export async function unfinishedOf(userId: string, tx: Tx): Promise<number> {
  await sql`select 1 from account where id = ${userId} for update`.execute(tx);
  const { rows } = await sql<{
    count: number;
  }>`select count(*)::int as count from command_execution
    where user_id = ${userId} and not is_finished`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Marks a batch command as started; undefined if it has started or ended before. */
export async function beginCommand(id: string, db: Db): Promise<StartedCommand | undefined> {
  const { rows } = await sql<StartedCommand>`
    update command_execution set is_begun = true, outcome = 'running', date_start = now()
    where id = ${id} and not is_begun and not is_finished
    returning id, user_id as "userId", user_display as "user", remote_addr as "remoteAddress",
      run_as_id as "systemUserId", command, is_canary as "isCanary",
      failure_limit as "failureLimit"`.execute(db);
  return rows[0];
}

/** Assets of a batch command, in order. */
export async function assetsOf(
  id: string,
  db: Db,
): Promise<readonly { readonly assetId: string; readonly hostname: string }[]> {
  const { rows } = await sql<{ assetId: string; hostname: string }>`
    select asset_id as "assetId", hostname from command_execution_host
    where commandexecution_id = ${id} order by position`.execute(db);
  return rows;
}

/** Output of a host so far. */
export interface PartialOutput {
  readonly assetId: string;
  readonly stdout: string;
  readonly stderr: string;
}

const OPEN = sql`('waiting', 'running')`;
const kept = (text: string) =>
  text.replaceAll('\u0000', '').toWellFormed().slice(0, MOST_KEPT_OUTPUT);

/** Stores output of running hosts, and marks them as running. Finished hosts are left unchanged. */
export async function keepPartial(
  id: string,
  hosts: readonly PartialOutput[],
  db: Db,
): Promise<void> {
  const column = (of: (host: PartialOutput) => string) => hosts.map(of);
  const isCut = hosts.map(
    ({ stdout, stderr }) => stdout.length > MOST_KEPT_OUTPUT || stderr.length > MOST_KEPT_OUTPUT,
  );
  await sql`
    update command_execution_host h
    set state = 'running', stdout = partial.stdout, stderr = partial.stderr, is_cut = partial.is_cut
    from unnest(${column(({ assetId }) => assetId)}::uuid[],
      ${column(({ stdout }) => kept(stdout))}::text[],
      ${column(({ stderr }) => kept(stderr))}::text[],
      ${isCut}::boolean[]) as partial (asset_id, stdout, stderr, is_cut)
    where h.commandexecution_id = ${id} and h.asset_id = partial.asset_id
      and h.state in ${OPEN}`.execute(db);
}

/** Stores the result of a host. */
export async function keepOutcome(id: string, outcome: HostOutcome, db: Db): Promise<void> {
  const { stdout = '', stderr = '', isCut = false, problem, rc } = outcome;
  await sql`
    with host as (
      update command_execution_host
      set state = ${outcome.state}, rc = ${rc ?? null},
        problem = ${problem ? JSON.stringify(problem) : null}::jsonb,
        stdout = ${kept(stdout)}, stderr = ${kept(stderr)},
          is_cut = ${isCut || stdout.length > MOST_KEPT_OUTPUT || stderr.length > MOST_KEPT_OUTPUT},
        milliseconds = ${outcome.milliseconds}, date_finished = now()
      where commandexecution_id = ${id} and asset_id = ${outcome.assetId} and state in ${OPEN}
      returning state)
    update command_execution
    set done_amount = done_amount + ${outcome.state === 'canceled' ? 0 : 1},
      failed_amount = failed_amount + ${outcome.state === 'failed' ? 1 : 0},
      canceled_amount = canceled_amount + ${outcome.state === 'canceled' ? 1 : 0}
    where id = ${id} and exists (select 1 from host)`.execute(db);
}

/** Reason why a batch command ended before all of its hosts had. */
export interface Ending {
  readonly stop: Stop;
  readonly problem: LocalText;
}

/**
 * Ends a batch command. Waiting hosts are skipped; running hosts are canceled with the command, or
 * fail with its reason. No-op for an ended command. Returns the final numbers of hosts.
 */
export async function endCommand(
  id: string,
  ending: Ending | undefined,
  db: Db,
): Promise<JobCounts | undefined> {
  const [counts] = await db.transaction((tx) => endWhere(sql`e.id = ${id}`, ending, tx));
  return counts;
}

/** Ends a canceled batch command that has not started; it cannot start afterwards. */
export async function endWaiting(id: string, db: Db): Promise<void> {
  await db.transaction((tx) => endWhere(sql`e.id = ${id} and not e.is_begun`, INTERRUPTED, tx));
}

/** Ends commands whose job has ended or was lost with its server. */
export async function endAbandoned(db: Db): Promise<void> {
  const abandoned = sql`not ${isRecent(sql`e.date_created`, 1)}
    and not exists (select 1 from job j where j.id = e.id and j.state in ('queued', 'running'))`;
  await db.transaction((tx) => endWhere(abandoned, INTERRUPTED, tx));
}

const CANCELED: Ending = { stop: 'canceled', problem: worded('command_canceled') };
const INTERRUPTED: Ending = { stop: 'error', problem: worded('command_interrupted') };

/** Ends the commands; those whose job was canceled are canceled, whatever else stopped them. */
async function endWhere(
  condition: Sql,
  ending: Ending | undefined,
  tx: Tx,
): Promise<readonly JobCounts[]> {
  const { rows } = await sql<{
    id: string;
  }>`select e.id from command_execution e where not e.is_finished
    and ${condition} for update`.execute(tx);
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  // Waits for a cancellation that is being written; a later one meets an ended command.
  const { rows: jobs } = await sql<{ id: string; state: string }>`
    select id, state from job where id = any(${ids}::uuid[]) for share`.execute(tx);
  const canceled = jobs.filter(({ state }) => state === 'canceled').map(({ id }) => id);
  await end(canceled, CANCELED, tx);
  await end(
    ids.filter((id) => !canceled.includes(id)),
    ending,
    tx,
  );
  const { rows: counts } = await sql<JobCounts>`
    select id, done_amount as done, hosts_amount as total, failed_amount as failed
    from command_execution where id = any(${ids}::uuid[])`.execute(tx);
  await settleCounts(counts, tx);
  return counts;
}

/** Writes the end of commands and of their hosts. */
async function end(
  ids: readonly string[],
  { stop, problem }: Partial<Ending> = {},
  tx: Tx,
): Promise<void> {
  if (ids.length === 0) return;
  const reason = problem ? JSON.stringify(problem) : null;
  const ended = stop === 'canceled' ? 'canceled' : 'failed';
  await sql`
    with host as (
      update command_execution_host set state = case state when 'running' then ${ended}::text
        else 'left_out' end, problem = ${reason}::jsonb, date_finished = now()
      where commandexecution_id = any(${ids}::uuid[]) and state in ${OPEN}
      returning commandexecution_id as id, state),
    cut as (select id, count(*) filter (where state = 'failed') as failed,
      count(*) filter (where state = 'canceled') as canceled from host group by id)
    update command_execution e
    set done_amount = done_amount + cut.failed, failed_amount = failed_amount + cut.failed,
      canceled_amount = canceled_amount + cut.canceled
    from cut where e.id = cut.id`.execute(tx);
  await sql`
    update command_execution e
    set is_finished = true, date_finished = now(), problem = ${reason}::jsonb,
      outcome = ${finalOutcome(stop)}
    where e.id = any(${ids}::uuid[])`.execute(tx);
  await sql`
    update command_execution set is_success = outcome = 'succeeded'
    where id = any(${ids}::uuid[])`.execute(tx);
}

/** Deletes finished commands older than this many days. */
export async function forgetCommands(days: number, db: Db): Promise<void> {
  await sql`delete from command_execution where is_finished
    and date_created < now() - make_interval(days => ${days})`.execute(db);
}

/** Properties of a system user that decide if it can run commands. */
export async function accountOf(
  id: string,
  db: Db,
): Promise<
  | {
      readonly organization: string;
      readonly protocol: string;
      readonly loginMode: 'auto' | 'manual' | 'certificate';
    }
  | undefined
> {
  const { rows } = await sql<{
    organization: string;
    protocol: string;
    loginMode: 'auto' | 'manual' | 'certificate';
  }>`
    select org_id as organization, protocol, login_mode as "loginMode" from system_account
    where id = ${id}`.execute(db);
  return rows[0];
}
