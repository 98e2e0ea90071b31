import type { DrillProblem } from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

const MOST_KEPT = 100;
const MAX_DETAIL = 1_000;

/** Counts of verified parts. */
export interface DrillFacts {
  readonly tables: number;
  readonly rows: number;
  /** Recordings whose digests were compared, and sealed values that were opened. */
  readonly recordings: number;
  readonly secrets: number;
}

/** Ends a drill with its reason. The detail is one sentence for the operator. */
export class DrillFailure extends Error {
  readonly problem: DrillProblem;

  constructor(problem: DrillProblem, detail: string) {
    super(detail);
    this.problem = problem;
  }
}

/** A new drill. */
export interface NewDrill {
  readonly folder: string;
  readonly dateBackup: Date | undefined;
  /** Display name; empty: the schedule. */
  readonly startedBy: string;
}

export interface Drill extends DrillFacts {
  readonly id: string;
  readonly date_started: Date;
  readonly date_finished: Date | null;
  readonly folder: string;
  readonly date_backup: Date | null;
  readonly problem: DrillProblem | '' | null;
  readonly detail: string;
  readonly started_by: string;
}

/** Records the start of a drill, and deletes the oldest records; returns its id. */
export async function beginDrill(
  db: Db,
  { folder, dateBackup, startedBy }: NewDrill,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into restore_drill (folder, date_backup, started_by)
    values (${folder.slice(0, 1024)}, ${dateBackup ?? null}, ${startedBy}) returning id`.execute(
    db,
  );
  await sql`
    delete from restore_drill where id not in (
      select id from restore_drill order by date_started desc limit ${MOST_KEPT})`.execute(db);
  return rows[0]?.id ?? '';
}

/** Records the end of a drill. */
export async function endDrill(
  db: Db,
  id: string,
  result: DrillFacts | DrillFailure,
): Promise<void> {
  const failure = result instanceof DrillFailure ? result : undefined;
  const facts = result instanceof DrillFailure ? undefined : result;
  await sql`
    update restore_drill set date_finished = now(), problem = ${failure?.problem ?? ''},
      detail = ${(failure?.message ?? '').slice(0, MAX_DETAIL)}, tables = ${facts?.tables ?? 0},
      rows = ${facts?.rows ?? 0}, recordings = ${facts?.recordings ?? 0},
      secrets = ${facts?.secrets ?? 0}
    where id = ${id}::uuid`.execute(db);
}

/** Ends the records of drills that a crash cut off. Call it while no drill runs. */
export async function endLostDrills(db: Db): Promise<void> {
  await sql`
    update restore_drill set date_finished = now(), problem = 'interrupted'
    where problem is null`.execute(db);
}

/** Returns the newest drills. */
export async function newestDrills(db: Db, limit: number): Promise<readonly Drill[]> {
  const { rows } = await sql<Drill>`
    select id, date_started, date_finished, folder, date_backup, problem, detail, tables, rows,
      recordings, secrets, started_by
    from restore_drill order by date_started desc, id limit ${limit}`.execute(db);
  return rows;
}

/** The state of the drills, for the start page and monitors. */
export interface DrillState {
  readonly last_started: Date | null;
  readonly last_passed: Date | null;
  /** Seconds of the last drill that passed. */
  readonly seconds: number;
  /** True if the newest finished drill did not pass. */
  readonly has_failed: boolean;
  /** The newest finished drill. */
  readonly last_finished: Date | null;
  readonly first_backup: Date | null;
}

export async function drillState(db: Db): Promise<DrillState> {
  const { rows } = await sql<DrillState>`
    select (select max(date_started) from restore_drill) as last_started,
      passed.date_finished as last_passed,
      coalesce(extract(epoch from passed.date_finished - passed.date_started), 0)::float8
        as seconds,
      coalesce(last.problem <> '', false) as has_failed, last.date_finished as last_finished,
      (select min(date_finished) from backup where state = 'complete') as first_backup
    from (select 1) one
      left join lateral (select date_started, date_finished from restore_drill
        where problem = '' order by date_started desc limit 1) passed on true
      left join lateral (select date_finished, problem from restore_drill
        where problem is not null order by date_started desc limit 1) last on true`.execute(db);
  const [state] = rows;
  if (!state) throw new Error('the state of the drills has no row');
  return state;
}

const DAY = 86_400_000;
/** A drill that failed is repeated the next night; schedules are not exact. */
const ALMOST_A_DAY = 20 * 3_600_000;
/** Intervals without a passed drill after which it is late. */
const LATE_INTERVALS = 2;

/** Returns true if the schedule should start a drill. */
export function isDrillDue(state: DrillState, days: number, now = Date.now()): boolean {
  const since = (date: Date | null) => (date ? now - date.getTime() : Number.POSITIVE_INFINITY);
  if (days === 0 || !state.first_backup || since(state.last_started) < ALMOST_A_DAY) return false;
  return since(state.last_passed) > days * DAY - (DAY - ALMOST_A_DAY);
}

/**
 * Returns true if the last passed drill is too old. Without one, the age counts from the first
 * backup.
 */
export function isDrillLate(state: DrillState, days: number, now = Date.now()): boolean {
  const since = state.last_passed ?? state.first_backup;
  return days > 0 && since !== null && now - since.getTime() > LATE_INTERVALS * days * DAY;
}
