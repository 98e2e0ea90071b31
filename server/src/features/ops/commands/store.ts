import {
  type CommandHost,
  type CommandHostState,
  type CommandHosts,
  type Language,
  type LocalText,
  MOST_KEPT_OUTPUT,
  say,
} from '@sallyport/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';

/** Characters of each stream that lists show. */
const SHOWN = 4_096;

/** What is known of a batch command before it runs. */
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

/** A batch command that begins to run. */
export interface BegunCommand {
  readonly id: string;
  readonly userId: string | null;
  readonly user: string;
  readonly remoteAddress: string;
  readonly systemUserId: string;
  readonly command: string;
  readonly isCanary: boolean;
  readonly failureLimit: number;
}

/** What became of a host. */
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

/** Writes the rows of a batch command that waits for its job. */
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
 * How many batch commands of a user wait or run. Counted one after the other, so that many requests
 * at once do not pass a limit together.
 */
export async function unfinishedOf(userId: string, tx: Tx): Promise<number> {
  await sql`select 1 from account where id = ${userId} for update`.execute(tx);
  const { rows } = await sql<{
    count: number;
  }>`select count(*)::int as count from command_execution
    where user_id = ${userId} and not is_finished`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Takes a batch command for its one run; undefined when it has begun already, or is over. */
export async function beginCommand(id: string, db: Db): Promise<BegunCommand | undefined> {
  const { rows } = await sql<BegunCommand>`
    update command_execution set is_begun = true, date_start = now()
    where id = ${id} and not is_begun and not is_finished
    returning id, user_id as "userId", user_display as "user", remote_addr as "remoteAddress",
      run_as_id as "systemUserId", command, is_canary as "isCanary",
      failure_limit as "failureLimit"`.execute(db);
  return rows[0];
}

/** The assets of a batch command, in their order. */
export async function assetsOf(
  id: string,
  db: Db,
): Promise<readonly { readonly assetId: string; readonly hostname: string }[]> {
  const { rows } = await sql<{ assetId: string; hostname: string }>`
    select asset_id as "assetId", hostname from command_execution_host
    where commandexecution_id = ${id} order by position`.execute(db);
  return rows;
}

/** What a host printed so far. */
export interface PartialOutput {
  readonly assetId: string;
  readonly stdout: string;
  readonly stderr: string;
}

const OPEN = sql`('waiting', 'running')`;
const kept = (text: string) =>
  text.replaceAll('\u0000', '').toWellFormed().slice(0, MOST_KEPT_OUTPUT);

/** Writes what hosts printed so far; they run from now on. One that is over keeps what it has. */
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
    set state = 'running', stdout = heard.stdout, stderr = heard.stderr, is_cut = heard.is_cut
    from unnest(${column(({ assetId }) => assetId)}::uuid[],
      ${column(({ stdout }) => kept(stdout))}::text[],
      ${column(({ stderr }) => kept(stderr))}::text[],
      ${isCut}::boolean[]) as heard (asset_id, stdout, stderr, is_cut)
    where h.commandexecution_id = ${id} and h.asset_id = heard.asset_id
      and h.state in ${OPEN}`.execute(db);
}

/** Writes what became of a host. */
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
    set done_amount = done_amount + 1,
      failed_amount = failed_amount + ${outcome.state === 'failed' ? 1 : 0}
    where id = ${id} and exists (select 1 from host)`.execute(db);
}

/**
 * Ends a batch command: hosts that still wait are left out, those on which it ran have failed, with
 * the reason. Does nothing to one that is over.
 */
export async function endCommand(
  id: string,
  problem: LocalText | undefined,
  db: Db,
): Promise<void> {
  await db.transaction().execute((tx) => endWhere(sql`e.id = ${id}`, problem, tx));
}

/** Ends a batch command that has not begun; from then on it does not. */
export async function endWaiting(id: string, problem: LocalText, db: Db): Promise<void> {
  await db
    .transaction()
    .execute((tx) => endWhere(sql`e.id = ${id} and not e.is_begun`, problem, tx));
}

/** Ends those whose job is over, or is gone: canceled while it waited, or lost with its server. */
export async function endAbandoned(problem: LocalText, db: Db): Promise<void> {
  const abandoned = sql`e.date_created < now() - interval '1 minute'
    and not exists (select 1 from job j where j.id = e.id and j.state in ('queued', 'running'))`;
  await db.transaction().execute((tx) => endWhere(abandoned, problem, tx));
}

async function endWhere(
  condition: RawBuilder<unknown>,
  problem: LocalText | undefined,
  tx: Tx,
): Promise<void> {
  const reason = problem ? JSON.stringify(problem) : null;
  const { rows } = await sql<{
    id: string;
  }>`select e.id from command_execution e where not e.is_finished
    and ${condition} for update`.execute(tx);
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await sql`
    with host as (
      update command_execution_host set state = case state when 'running' then 'failed'
        else 'left_out' end, problem = ${reason}::jsonb, date_finished = now()
      where commandexecution_id = any(${ids}::uuid[]) and state in ${OPEN}
      returning commandexecution_id as id, state),
    cut as (select id, count(*)::int as amount from host where state = 'failed' group by id)
    update command_execution e
    set done_amount = done_amount + cut.amount, failed_amount = failed_amount + cut.amount from cut
    where e.id = cut.id`.execute(tx);
  await sql`
    update command_execution e
    set is_finished = true, date_finished = now(), problem = ${reason}::jsonb,
      is_success = ${problem === undefined} and not exists (
        select 1 from command_execution_host h where h.commandexecution_id = e.id
          and h.state <> 'succeeded')
    where e.id = any(${ids}::uuid[])`.execute(tx);
}

/** Removes what was finished so many days ago. */
export async function forgetCommands(days: number, db: Db): Promise<void> {
  await sql`delete from command_execution where is_finished
    and date_created < now() - make_interval(days => ${days})`.execute(db);
}

/** Which hosts are asked for. */
export interface HostQuery {
  readonly state: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

type HostRow = Omit<CommandHost, 'reason'> & { readonly problem: LocalText | null };

const wire = ({ problem, ...row }: HostRow, language: Language): CommandHost => ({
  ...row,
  reason: problem ? say(problem, language) : '',
});

/** A page of the hosts of a batch command, in their order, with the beginnings of their output. */
export async function hostsOf(
  id: string,
  { state, limit, offset }: HostQuery,
  language: Language,
  db: Db,
): Promise<CommandHosts> {
  const chosen = sql`h.commandexecution_id = ${id}
    and ${state === undefined ? sql`true` : sql`h.state = ${state}`}`;
  const { rows } = await sql<HostRow>`
    select h.id, h.asset_id as asset, h.hostname, h.ip, h.state, h.rc, h.problem,
      left(h.stdout, ${SHOWN}) as stdout, left(h.stderr, ${SHOWN}) as stderr,
      h.is_cut or length(h.stdout) > ${SHOWN} or length(h.stderr) > ${SHOWN} as is_cut,
        h.milliseconds
    from command_execution_host h where ${chosen} order by h.position
    limit ${limit} offset ${offset}`.execute(db);
  const { rows: counted } = await sql<{
    count: number;
  }>`select count(*)::int as count from command_execution_host h where ${chosen}`.execute(db);
  return { count: counted[0]?.count ?? 0, results: rows.map((row) => wire(row, language)) };
}

/** One host with all of its output that is kept. */
export async function hostOf(
  id: string,
  host: string,
  language: Language,
  db: Db,
): Promise<CommandHost | undefined> {
  const { rows } = await sql<HostRow>`
    select h.id, h.asset_id as asset, h.hostname, h.ip, h.state, h.rc, h.problem, h.stdout,
      h.stderr, h.is_cut, h.milliseconds
    from command_execution_host h where h.commandexecution_id = ${id} and h.id = ${host}`.execute(
    db,
  );
  return rows[0] && wire(rows[0], language);
}

/** All hosts with all of their output, one after the other, for a file. */
export async function* everyHost(
  id: string,
  language: Language,
  db: Db,
): AsyncGenerator<CommandHost> {
  for (let last = 0; ; ) {
    const { rows } = await sql<HostRow & { position: number }>`
      select h.position, h.id, h.asset_id as asset, h.hostname, h.ip, h.state, h.rc, h.problem,
        h.stdout, h.stderr, h.is_cut, h.milliseconds
      from command_execution_host h where h.commandexecution_id = ${id} and h.position > ${last}
      order by h.position limit 50`.execute(db);
    for (const { position, ...row } of rows) {
      last = position;
      yield wire(row, language);
    }
    if (rows.length < 50) return;
  }
}

/** Facts about a system user that decide whether commands run with it. */
export async function accountOf(
  id: string,
  db: Db,
): Promise<
  | {
      readonly organization: string;
      readonly protocol: string;
      readonly loginMode: 'auto' | 'manual';
    }
  | undefined
> {
  const { rows } = await sql<{
    organization: string;
    protocol: string;
    loginMode: 'auto' | 'manual';
  }>`
    select org_id as organization, protocol, login_mode as "loginMode" from system_account
    where id = ${id}`.execute(db);
  return rows[0];
}
