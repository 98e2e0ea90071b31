import type { Problem } from '@sallyport/contract';
import type { Db, Tx } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { partOf, Work } from '../db/work.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../log.ts';

/** Maximum log lines per job; older ones are deleted. */
export const MAXIMUM_LINES = 1_000;
const MAXIMUM_LINE_LENGTH = 1_000;
/** Minimum interval between writes of progress and log lines. */
const FLUSH_MILLISECONDS = 250;
/** Interval of heartbeats, which also tell whether the job was canceled. */
const ALIVE_MILLISECONDS = 5_000;

/** Reasons to stop a run. */
export type Halt = 'canceled' | 'stopping';

/**
 * Writes progress and log lines of one run, and aborts it when the job is canceled or taken over.
 */
export interface Reporter {
  readonly signal: AbortSignal;
  progress(done: number, total: number, failed?: number, skipped?: number): void;
  log(line: string): void;
  /** Checks now whether the job was canceled. */
  check(): void;
  halt(reason: Halt): void;
  /** Writes pending data and stops the heartbeat. */
  finish(): Promise<void>;
}

/** Final numbers of the objects of a job. */
export interface JobCounts {
  readonly id: string;
  readonly done: number;
  readonly total: number;
  readonly failed: number;
}

/** Writes the final counts of jobs whose run was lost or canceled and cannot report them. */
export async function settleCounts(counts: readonly JobCounts[], tx: Tx): Promise<void> {
  const ids = counts.map(({ id }) => id);
  const column = (name: 'done' | 'total' | 'failed') => counts.map((row) => row[name]);
  await sql`
    update job j set done = c.done, total = c.total, failed = c.failed
    from unnest(${ids}::uuid[], ${column('done')}::integer[], ${column('total')}::integer[],
      ${column('failed')}::integer[]) as c (id, done, total, failed)
    where j.id = c.id`.execute(tx);
  await sql`
    select pg_notify('job', c.id || ' progress')
    from unnest(${ids}::text[]) as c (id)`.execute(tx);
}

/**
 * Creates the reporter of a run. `attempt` distinguishes this run from later ones of the same job.
 */
export function createReporter({
  db,
  id,
  attempt,
  log,
}: {
  db: Db;
  id: string;
  attempt: number;
  log: Logger;
}): Reporter {
  const abort = new AbortController();
  let lines: string[] = [];
  let progress: { done: number; total: number; failed: number; skipped: number } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    const batch = lines;
    const reached = progress;
    lines = [];
    progress = undefined;
    // A canceled run reports until it has ended, so its counts are those of its objects.
    const { rows } = await sql<{ last_line: number; state: string }>`
      update job set date_alive = now(), last_line = last_line + ${batch.length},
        done = ${reached ? reached.done : sql`done`},
        total = ${reached ? reached.total : sql`total`},
        failed = ${reached ? reached.failed : sql`failed`},
        skipped = ${reached ? reached.skipped : sql`skipped`}
      where id = ${id} and state in ('running', 'canceled') and attempt = ${attempt}
      returning last_line, state`.execute(db);
    const [row] = rows;
    if (row?.state !== 'running') halt('canceled');
    if (!row) return;
    if (batch.length > 0) {
      const first = row.last_line - batch.length;
      await sql`
        insert into job_log (job_id, line, text)
        select ${id}::uuid, ${first} + l.line::integer, l.text
        from unnest(${batch}::text[]) with ordinality as l (text, line)`.execute(db);
      await sql`
        delete from job_log
        where job_id = ${id} and line <= ${row.last_line - MAXIMUM_LINES}`.execute(db);
    }
    if (batch.length > 0 || reached)
      await sql`select pg_notify('job', ${`${id} progress`})`.execute(db);
  };

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    // Runs outside the work of the request that started the job.
    writing = writing
      .then(() => partOf(new Work(), write))
      .catch((error: unknown) =>
        log.warn({ job: id, error: String(error) }, 'the progress of a job could not be written'),
      );
    return writing;
  };
  const soon = () => {
    timer ??= setTimeout(() => void flush(), FLUSH_MILLISECONDS);
  };
  const alive = setInterval(() => void flush(), ALIVE_MILLISECONDS);
  alive.unref();

  function halt(reason: Halt): void {
    if (!abort.signal.aborted) abort.abort(reason);
  }

  return {
    signal: abort.signal,
    progress(done, total, failed = 0, skipped = 0) {
      const whole = (value: number) => Math.max(0, Math.trunc(value));
      progress = {
        done: whole(done),
        total: whole(total),
        failed: whole(failed),
        skipped: whole(skipped),
      };
      soon();
    },
    log(line) {
      // Drop lines that the limit would delete anyway.
      if (lines.length >= MAXIMUM_LINES) lines.shift();
      lines.push(line.replaceAll('\u0000', '').slice(0, MAXIMUM_LINE_LENGTH));
      soon();
    },
    check: () => void flush(),
    halt,
    async finish() {
      clearInterval(alive);
      await flush();
    },
  };
}

/**
 * Returns the reason of a failure for users. Unexpected errors are defects: their text stays in the
 * server log.
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof AppError)
    return Object.keys(error.params).length > 0
      ? { code: error.code, params: error.params }
      : { code: error.code };
  return { code: 'internal' };
}
