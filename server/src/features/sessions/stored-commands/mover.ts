import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { CommandDocument, CommandIndex } from '../../../platform/elastic/command-index.ts';
import type { Logger } from '../../../platform/log.ts';
import { commandSha256, NEWEST } from '../session-digest.ts';
import { type CommandIndexes, type CommandStorageRow, commandStorageById } from './storages.ts';

export interface MoverOptions {
  readonly db: Db;
  readonly indexes: CommandIndexes;
  readonly log: Logger;
  /** Stores the problem of a storage, or '' if it works. */
  readonly report: (storageId: string, problem: string) => Promise<void>;
}

/** Commands per request, at most a few megabytes. */
const BATCH = 250;
const SESSIONS = 500;
/** Shorter than the limit of a job, so that runs never overlap. The next run continues. */
const RUN_MILLISECONDS = 120_000;
const PROBLEM_MAX = 300;

/**
 * Moves queued commands to their storages, and deletes commands there that retention removed here.
 * A command stays in the database until its storage has confirmed it. Its id makes a repeated
 * transfer idempotent. Runs never overlap.
 */
export async function moveCommands({ db, indexes, log, report }: MoverOptions): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select r.id from command_storage r where r.type = 'es' and (
      exists (select from command c where c.queued_for = r.id)
        or exists (select from command_removal x where x.storage = r.id) or r.problem <> '')
    order by r.name`.execute(db);
  for (const { id } of rows) {
    const storage = await commandStorageById(db, id);
    if (!storage) continue;
    const problem = await moveTo(db, storage, indexes.of(storage)).catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );
    if (problem)
      log.error(
        { storage: storage.name, problem },
        'commands could not be moved to their storage; they stay in the database, and the next run tries again',
      );
    await report(id, problem.slice(0, PROBLEM_MAX));
  }
}

async function moveTo(db: Db, { id }: CommandStorageRow, index: CommandIndex): Promise<string> {
  const until = Date.now() + RUN_MILLISECONDS;
  await index.prepare();
  let firstProblem = '';
  // Rejected commands wait for the next run. The commands after them continue.
  for (let after: string | undefined; Date.now() < until; ) {
    const { rows } = await sql<CommandDocument>`
      select c.id, c.org_id, c.session, c.sequence, c."user", c.asset, c."system_user", c.input,
        c.output, c.risk_level, c.is_denied,
        floor(extract(epoch from c.date))::double precision as timestamp,
          to_char(c.date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as date, c.search_text
      from command c
        where c.queued_for =
        ${id} and ${after === undefined ? sql`true` : sql`c.id > ${after}::uuid`} order by c.id
        limit ${BATCH}`.execute(db);
    const last = rows.at(-1);
    if (!last) break;
    const { kept, problem } = await index.keep(rows);
    firstProblem ||= problem;
    await sql`
      update command c set sha256 = ${commandSha256(NEWEST, sql`c.input`, sql`c.output`)},
        stored_in = c.queued_for, queued_for = null, input = '', output = ''
      where c.id = any(${kept}::uuid[]) and c.queued_for = ${id}`.execute(db);
    after = last.id;
  }
  while (Date.now() < until) {
    const { rows } = await sql<{
      session: string;
    }>`select session from command_removal where storage = ${id} limit ${SESSIONS}`.execute(db);
    if (rows.length === 0) return firstProblem;
    const sessions = rows.map(({ session }) => session);
    await index.removeSessions(sessions);
    await sql`delete from command_removal
      where storage = ${id} and session = any(${sessions}::uuid[])`.execute(db);
  }
  return firstProblem;
}
