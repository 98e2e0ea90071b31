import type { AgentCallState, AgentTool } from '@sallyport/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { allOf } from '../../resources/read/scope.ts';
import { endAgentSignIns } from '../identity/index.ts';
import type { LeashRow } from './leash.ts';

/** Active agents of a user. */
export const MAX_ACTIVE = 20;
/** Commands of one agent that run at a time. */
export const MAX_RUNNING = 64;
/** Longest command, in seconds. */
export const MAX_SECONDS = 600;
/** Maximum output of one command. */
export const MAX_OUTPUT = 64 * 1024;
/** Minutes for which the result of a call can be read again. */
const RESULT_MINUTES = 60;

/** True for an agent (alias `t`) whose token has ended before its time. */
export const HAS_ENDED: Sql = sql`(t.date_ended is not null or (t.date_expired > now()
  and not exists (select from web_session s where s.id = t.sign_in_id)))`;

/** The state of an agent (alias `t`). */
export const STATE: Sql = sql`case when ${HAS_ENDED} then 'ended'
  when t.date_expired <= now() then 'expired'
  when t.used_commands >= t.max_commands or t.used_bytes >= t.max_kib::bigint * 1024 then 'used_up'
  else 'active' end`;

/** An agent with a valid token. */
export interface LiveAgent extends LeashRow {
  readonly id: string;
  readonly name: string;
  readonly client: string;
  readonly task: string;
  readonly date_expired: Date;
}

/** Returns the agent of a token's sign-in; undefined if it has ended. */
export async function agentOfSignIn(signInId: string, db: Db): Promise<LiveAgent | undefined> {
  const { rows } = await sql<LiveAgent>`
    select id, name, client, task, hosts, accounts, command_mode, commands, denied, files,
      databases, statements, date_expired
    from agent
    where sign_in_id = ${signInId}::uuid and date_ended is null and date_expired > now()`.execute(
    db,
  );
  return rows[0];
}

/** A call that may start. */
export interface NewCall {
  readonly tool: AgentTool;
  readonly agentId: string;
  readonly host: string;
  readonly account: string;
  readonly input: string;
  readonly reason: string;
  readonly key: string | undefined;
  /** Rows of a database that the call may read; 0 for other calls. */
  readonly rows: number;
}

export type Reserved =
  | { readonly id: string; readonly room: number; readonly rows: number }
  | { readonly refusal: 'agent_over' | 'agent_busy' }
  | {
      readonly refusal: 'agent_budget';
      readonly used: number;
      readonly max: number;
      readonly bytes: number;
      readonly rows: number;
    };

/** Takes a command, and room for its output and rows, from the budget. Stores the call. */
export async function reserveCall(call: NewCall, tx: Tx): Promise<Reserved> {
  const { rows } = await sql<{
    user_id: string;
    used_commands: number;
    max_commands: number;
    used_bytes: number;
    used_rows: number;
    room: number;
    rows: number;
    running: number;
  }>`
    select user_id, used_commands, max_commands, used_bytes::float8 as used_bytes,
      used_rows::float8 as used_rows,
      least(${MAX_OUTPUT}, max_kib::bigint * 1024 - used_bytes)::integer as room,
      least(${call.rows}::integer, max_rows - used_rows)::integer as rows,
      (select count(*) from agent_call c
        where c.agent_id = agent.id and c.state = 'running')::integer as running
    from agent where id = ${call.agentId} and date_ended is null and date_expired > now()
    for update`.execute(tx);
  const [agent] = rows;
  if (!agent) return { refusal: 'agent_over' };
  const { used_commands: used, max_commands: max, used_bytes: bytes, room, rows: few } = agent;
  if (used >= max || room <= 0 || (call.rows > 0 && few <= 0))
    return { refusal: 'agent_budget', used, max, bytes, rows: agent.used_rows };
  if (agent.running >= MAX_RUNNING) return { refusal: 'agent_busy' };
  await sql`update agent set used_commands = used_commands + 1, used_bytes = used_bytes + ${room},
    used_rows = used_rows + ${few}, date_last_used = now() where id = ${call.agentId}`.execute(tx);
  const added = await sql<{ id: string }>`
    insert into agent_call (agent_id, user_id, tool, host, account, input, reason, request_key)
    values (${call.agentId}, ${agent.user_id}, ${call.tool}, ${call.host}, ${call.account},
      ${call.input}, ${call.reason}, ${call.key ?? null})
    returning id`.execute(tx);
  return { id: added.rows[0]?.id ?? '', room, rows: few };
}

/** The end of a call. */
export interface CallEnd {
  readonly state: Exclude<AgentCallState, 'running'>;
  readonly detail: string;
  readonly account: string;
  readonly exitCode: number | null;
  readonly bytes: number;
  /** Room that was reserved for the output. */
  readonly room: number;
  /** Reserved rows that were not read. */
  readonly rows: number;
  /** The sealed result; null if the detail says everything. */
  readonly result: string | null;
}

/** Stores the end of a call, and gives the unused room back. */
export async function finishCall(id: string, end: CallEnd, db: Db): Promise<void> {
  await sql`
    with done as (
      update agent_call set state = ${end.state}, detail = ${end.detail}, account = ${end.account},
        exit_code = ${end.exitCode}::integer, output_bytes = ${end.bytes}, result = ${end.result},
        date_end = now()
      where id = ${id} and state = 'running' returning agent_id)
    update agent set used_bytes = used_bytes - ${end.room - end.bytes},
      used_rows = used_rows - ${end.rows}
    from done where agent.id = done.agent_id`.execute(db);
}

/** Lets an agent repeat a failed call under its key. */
export async function freeKey(id: string, db: Db): Promise<void> {
  await sql`update agent_call set request_key = null where id = ${id}`.execute(db);
}

/** Stores the session that records a call, before its command starts. */
export async function noteSession(id: string, sessionId: string, db: Db): Promise<void> {
  await sql`update agent_call set session_id = ${sessionId} where id = ${id}`.execute(db);
}

/** A stored call. */
export interface StoredCall {
  readonly id: string;
  readonly tool: AgentTool;
  readonly host: string;
  readonly account: string;
  readonly input: string;
  readonly state: AgentCallState;
  readonly detail: string;
  readonly exit_code: number | null;
  readonly result: string | null;
}

/** Finds a call of an agent by its id or by its key. */
export async function findCall(
  agentId: string,
  by: { readonly id: string } | { readonly key: string },
  on: Db | Tx,
): Promise<StoredCall | undefined> {
  const which = 'id' in by ? sql`id = ${by.id}::uuid` : sql`request_key = ${by.key}`;
  const { rows } = await sql<StoredCall>`
    select id, tool, host, account, input, state, detail, exit_code, result from agent_call
    where agent_id = ${agentId} and ${which}`.execute(on);
  return rows[0];
}

/** Condition on the agents (alias `t`) that end; only those of `within` if it is given. */
export const whichAgents = (
  { agent, owner }: { readonly agent: string; readonly owner: string },
  within: string | undefined,
): Sql =>
  allOf([
    agent === '' ? undefined : sql`t.id = ${agent}::uuid`,
    owner === '' ? undefined : sql`t.user_id = ${owner}::uuid`,
    within === undefined ? undefined : sql`t.user_id = ${within}::uuid`,
  ]);

export interface EndedAgent {
  readonly id: string;
  readonly name: string;
  readonly user_id: string;
}

/** Ends active agents (alias `t`) and their calls. Returns them. */
export async function endAgents(which: Sql, by: string, tx: Tx): Promise<readonly EndedAgent[]> {
  const { rows } = await sql<EndedAgent & { sign_in_id: string }>`
    update agent t set date_ended = now(), ended_by = ${by}
    where t.date_ended is null and t.date_expired > now() and ${which}
    returning t.id, t.name, t.user_id, t.sign_in_id`.execute(tx);
  await endAgentSignIns(
    tx,
    rows.map(({ sign_in_id: id }) => id),
  );
  return rows;
}

/**
 * Returns the first call with a key. Parallel calls wait for each other here, so one of them is
 * first.
 */
export async function firstWithKey(
  agentId: string,
  key: string,
  tx: Tx,
): Promise<StoredCall | undefined> {
  await sql`select 1 from agent where id = ${agentId} for update`.execute(tx);
  return findCall(agentId, { key }, tx);
}

/** Deletes agents that ended this many days ago, with their calls. Returns their number. */
export async function forgetAgents(days: number, db: Db): Promise<number> {
  const { rowCount } = await sql`delete from agent
    where date_expired < now() - make_interval(days => ${days})`.execute(db);
  return rowCount ?? 0;
}

/** Deletes old results, and closes calls whose server stopped. Called periodically. */
export async function clearCalls(db: Db): Promise<void> {
  await sql`update agent_call set result = null
    where result is not null and date_end < now() - make_interval(mins => ${RESULT_MINUTES})`.execute(
    db,
  );
  await sql`update agent_call set state = 'failed', date_end = now()
    where state = 'running' and date_start < now() - make_interval(secs => ${2 * MAX_SECONDS})`.execute(
    db,
  );
}
