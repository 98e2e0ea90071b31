import {
  type CommandHost,
  type CommandHosts,
  type Language,
  type LocalText,
  say,
} from '@sallyport/contract';
import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

/** Characters per stream in lists. */
const LIST_CHARACTERS = 4_096;

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

/** Returns a page of hosts in order, with the first part of their output. */
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
      left(h.stdout, ${LIST_CHARACTERS}) as stdout, left(h.stderr, ${LIST_CHARACTERS}) as stderr,
      h.is_cut or length(h.stdout) > ${LIST_CHARACTERS}
        or length(h.stderr) > ${LIST_CHARACTERS} as is_cut,
        h.milliseconds
    from command_execution_host h where ${chosen} order by h.position
    limit ${limit} offset ${offset}`.execute(db);
  const { rows: counted } = await sql<{
    count: number;
  }>`select count(*)::int as count from command_execution_host h where ${chosen}`.execute(db);
  return { count: counted[0]?.count ?? 0, results: rows.map((row) => wire(row, language)) };
}

/** One host with all stored output. */
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

/** Yields all hosts with all stored output, for a file. */
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
