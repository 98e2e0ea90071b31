import { isDeclined } from '@sallyport/contract';
import type { CommandRecord } from '../../platform/command-record.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql, writePrepared } from '../../platform/db/sql.ts';
import { isCounted, NO_OTHERS, type OtherWrites } from './other-writes.ts';
import { storageOf } from './stored-commands/storages.ts';

export interface SessionCommand {
  readonly session: string;
  readonly command: CommandRecord;
}

/** Maximum characters of the names of the users who typed a command. */
const MOST_TYPISTS = 1024;
/** Maximum characters of the error of a statement. */
const MOST_ERROR = 1024;
/** The risk level of rejected commands and of statements that affect every row. */
const DANGEROUS = 5;

/**
 * Inserts commands of sessions that `holder` carries, in order, and counts them in the session
 * rows, in one statement with `others`. Skips commands that were already inserted. Returns the
 * number of rows of `counted`.
 */
export async function writeCommands(
  commands: readonly SessionCommand[],
  holder: string,
  db: Db | Tx,
  { others, counted }: OtherWrites = NO_OTHERS,
): Promise<number> {
  const query = sql`
    with ${others} ${addedCommands(commands, holder, isCounted({ counted }))},
      ${countedCommands(commands)}
    select from ${counted} counted`;
  return writePrepared(query, db);
}

const idsOf = (commands: readonly SessionCommand[]): Sql =>
  // The planner expects a hundred rows in JSON. The ids keep it from reading the whole table.
  sql`any (${[...new Set(commands.map(({ session }) => session))]}::uuid[])`;

/**
 * The `with` queries that insert commands if `condition` holds: `added` returns the rows, `sums`
 * the counts.
 */
export function addedCommands(
  commands: readonly SessionCommand[],
  holder: string,
  condition: Sql,
): Sql {
  const rows = JSON.stringify(
    commands.map(({ session, command }, number) => ({ number, session, ...columnsOf(command) })),
  );
  // The storage of the server is part of the statement: nearly all servers keep their commands.
  return sql`storage as materialized (${storageOf(holder)}),
    typed as materialized (
      select * from json_to_recordset(${rows}::json) as c (number integer, session uuid,
        sequence integer, input text, output text, at integer, risk integer, denied boolean,
        verdict text, row_count bigint, duration_ms integer, error text,
        by_key_tree boolean, typed_by text) where ${condition}),
    added as (
      insert into command (org_id, session, sequence, "user", asset, "system_user", input, output,
        offset_ms, risk_level, is_denied, verdict, row_count, duration_ms, error, is_failed,
        is_by_key_tree, typed_by, date, queued_for)
      select s.org_id, s.id, c.sequence, left(s."user", 64), s.asset, left(s."system_user", 64),
        c.input, c.output, c.at, c.risk, c.denied, c.verdict, c.row_count, c.duration_ms, c.error,
        c.error is not null, c.by_key_tree, c.typed_by,
        s.date_start + make_interval(secs => c.at / 1000.0),
        (select id from storage where type = 'es')
      from typed c join session s on s.id = c.session and s.id = ${idsOf(commands)}
      where not exists (select from storage where type = 'null') order by c.number
        on conflict do nothing returning *),
    sums as (
      select session, count(*) as kept, 0 as dropped, count(*) filter (where is_denied) as denied,
        max(risk_level) as risk from added group by session
      union all
      select session, 0, count(*), count(*) filter (where denied), max(risk) from typed
        where exists (select from storage where type = 'null') group by session)`;
}

/** Assignments that count the commands of `sums c` in a session `s`. */
export const COMMAND_COUNTS = sql`command_amount = command_amount + coalesce(c.kept, 0),
  commands_not_kept = commands_not_kept + coalesce(c.dropped, 0),
  commands_denied = commands_denied + coalesce(c.denied, 0),
  risk_level = greatest(s.risk_level, c.risk)`;

/** The `with` query that counts added commands in the rows of sessions for which `where` holds. */
export const countedCommands = (
  commands: readonly SessionCommand[],
  where: Sql = sql`true`,
): Sql => sql`updated as (
  update session s set ${COMMAND_COUNTS}
  from sums c where s.id = c.session and s.id = ${idsOf(commands)} and ${where})`;

const columnsOf = ({
  sequence,
  input,
  output,
  at,
  isRefused,
  verdict = 'none',
  isDangerous,
  typedBy,
  isByKeyTree,
  rows,
  milliseconds,
  error,
}: CommandRecord) => ({
  sequence,
  input: clean(input),
  output: clean(output),
  at: Math.round(at),
  // A command that its user declined did not run, but the server did not deny it.
  risk: (isRefused && !isDeclined(verdict)) || isDangerous ? DANGEROUS : 0,
  denied: isRefused === true && !isDeclined(verdict),
  verdict,
  row_count: rows ?? null,
  duration_ms: milliseconds === undefined ? null : Math.round(milliseconds),
  error: error === undefined ? null : clean(error).slice(0, MOST_ERROR),
  by_key_tree: isByKeyTree === true,
  typed_by: typedBy === undefined ? null : clean(typedBy).slice(0, MOST_TYPISTS),
});

/** PostgreSQL rejects NUL characters in text. */
function clean(text: string): string {
  return text.replaceAll('\u0000', '');
}
