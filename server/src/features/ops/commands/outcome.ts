import { type CommandHostState, type CommandStage, stageSizes } from '@sallyport/contract';
import { type Sql, sql } from '../../../platform/db/sql.ts';

/**
 * A batch command is stopped by its user, by a failure of the run as a whole, or by the limit of
 * failed hosts.
 */
export type Stop = 'canceled' | 'error' | 'limit';

/** Numbers of hosts by state. */
type HostCounts = Readonly<Partial<Record<CommandHostState, number>>>;

/**
 * The outcome of the finished command `e` from its stored hosts. The column
 * `outcome` stores it; pages, jobs, logs, files and the API read it from there.
 */
export function finalOutcome(stop: Stop | undefined): Sql<string> {
  if (stop === 'canceled') return sql`'canceled'`;
  if (stop === 'error') return sql`'failed'`;
  const hosts = sql`select 1 from command_execution_host h where h.commandexecution_id = e.id`;
  return sql`case when not exists (${hosts} and h.state <> 'succeeded') then 'succeeded'
    when exists (${hosts} and h.state = 'succeeded') and exists (${hosts} and h.state = 'failed')
      then 'partly' else 'failed' end`;
}

/**
 * The outcome of the command `t` at this moment. A canceled or lost job counts at once, before its
 * hosts have ended.
 */
export const CURRENT_OUTCOME = sql<string>`(case when t.is_finished then t.outcome else coalesce(
  (select j.state from job j where j.id = t.id and j.state in ('canceled', 'failed')),
  t.outcome) end)`;

/** The stored parts of the stages of a command. */
export type StoredStages = readonly [
  isCanary: boolean,
  total: number,
  outcome: string,
  hosts: readonly (readonly [stage: number, state: CommandHostState, amount: number])[],
];

/** The stored parts of the stages of the command `t`, with its hosts by stage and state. */
export const STAGES = (): Sql => sql`jsonb_build_array(t.is_canary, t.hosts_amount,
  ${CURRENT_OUTCOME}, (
    select coalesce(jsonb_agg(jsonb_build_array(counted.stage, counted.state, counted.amount)),
      '[]')
    from (select case when host.place = 1 then 0
        when host.place <= 1 + ceil(t.hosts_amount / 10.0) then 1 else 2 end as stage,
        host.state, count(*)::int as amount
      from (select h.state, row_number() over (order by h.position) as place
        from command_execution_host h where t.is_canary and h.commandexecution_id = t.id) host
      group by 1, 2) counted))`;

/** Combines the states of the hosts of a stage. The outcome of the run says what stopped it. */
function stageState(hosts: HostCounts, outcome: string): CommandStage['state'] {
  const has = (state: CommandHostState) => (hosts[state] ?? 0) > 0;
  const hasEnded = has('succeeded') || has('failed') || has('canceled') || has('left_out');
  if (has('running') || (has('waiting') && hasEnded)) return 'running';
  if (has('waiting')) return 'queued';
  if (has('canceled')) return 'canceled';
  if (has('failed')) return has('succeeded') ? 'partly' : 'failed';
  if (!has('left_out')) return 'succeeded';
  if (!has('succeeded')) return 'left_out';
  return outcome === 'canceled' ? 'canceled' : 'failed';
}

/** The stages of a canary run; none for other runs. */
export function stagesOf([isCanary, total, outcome, hosts]: StoredStages): readonly CommandStage[] {
  if (!isCanary) return [];
  return stageSizes(total).map((size, index) => {
    const own = hosts.filter(([stage]) => stage === index);
    const counts: HostCounts = Object.fromEntries(own.map(([, state, amount]) => [state, amount]));
    return { size, failed: counts.failed ?? 0, state: stageState(counts, outcome) };
  });
}
