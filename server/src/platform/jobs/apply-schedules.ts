import type { PgBoss, Schedule as StoredRow } from 'pg-boss';
import type { Vault } from '../crypto/vault.ts';
import { isDatabaseClosed } from '../db/connection.ts';
import type { Db } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { Logger } from '../log.ts';
import {
  type JobDefinition,
  type RowSchedule,
  type Schedule,
  SERVER_CALLER,
} from './definition.ts';
import { type Envelope, wrap } from './envelope.ts';
import { intervalExpression, nextOccurrence, startsTooLate } from './occurrences.ts';

/** A schedule in the format of pg-boss. */
interface StoredSchedule {
  readonly expression: string;
  readonly zone: string;
  readonly missed: 'once' | 'skip';
}

const MINUTES_OF_HOUR = 60;

/** Moments that an interval starts from. */
export interface Moments {
  /** Start of the last run. */
  readonly since: Date;
  readonly now: Date;
}

/** Translates a schedule; `zone` is for times of the day. */
export function storedSchedule(
  schedule: Schedule,
  { since, now }: Moments,
  zone: string,
): StoredSchedule {
  if ('crontab' in schedule)
    return {
      expression: schedule.crontab.trim().split(/\s+/).join(' '),
      zone,
      missed: 'skip',
    };
  if ('dailyAt' in schedule) {
    const [hour, minute] = schedule.dailyAt.split(':').map(Number);
    return {
      expression: `${minute} ${hour} * * *`,
      zone,
      missed: 'once',
    };
  }
  const every = schedule.everyMinutes;
  // Intervals that divide an hour need no start.
  if (every < MINUTES_OF_HOUR && MINUTES_OF_HOUR % every === 0)
    return {
      expression: every === 1 ? '* * * * *' : `*/${every} * * * *`,
      zone: 'UTC',
      missed: 'once',
    };
  // A run that became due while the schedule was off or no server ran starts at once. A start in
  // the future was written while the clock was ahead.
  const isDue = since.getTime() + every * 60_000 < now.getTime() || since > now;
  return interval(isDue ? now : since, every);
}

/**
 * Translates the schedule of a row. The first run is one interval after `since`, so a new schedule
 * does not run at once.
 */
export function storedRowSchedule(
  schedule: Schedule,
  { since, now }: Moments,
  zone: string,
): StoredSchedule {
  if (!('everyMinutes' in schedule)) return storedSchedule(schedule, { since, now }, zone);
  const start = Math.min(since.getTime(), now.getTime());
  const due = start + schedule.everyMinutes * 60_000;
  return interval(new Date(Math.max(due, now.getTime())), schedule.everyMinutes);
}

const interval = (start: Date, everyMinutes: number): StoredSchedule => ({
  expression: intervalExpression(start, everyMinutes),
  zone: 'UTC',
  missed: 'once',
});

/** Returns true if two expressions differ at most in the start of their interval. */
export function isSameRule(one: string, other: string): boolean {
  const rule = (text: string) => text.replace(/^DTSTART:\S+\n/, '');
  return rule(one) === rule(other);
}

interface Queue {
  readonly boss: PgBoss;
  readonly db: Db;
  readonly vault: Vault;
  readonly log: Pick<Logger, 'error'>;
  /** The time zone of crontabs and of daily jobs. */
  readonly zone: () => string;
}

/** The schedules of the defined jobs. Changes are applied one after the other. */
export class Schedules {
  readonly #definitions: ReadonlyMap<string, JobDefinition>;
  readonly #queue: Queue;
  /** The change that is being applied; it never rejects. */
  #applying: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(definitions: ReadonlyMap<string, JobDefinition>, queue: Queue) {
    this.#definitions = definitions;
    this.#queue = queue;
  }

  /** Applies the schedules of all kinds of jobs and of their rows. */
  async applyAll(): Promise<void> {
    await this.#inTurn(() => applySchedules(this.#definitions.values(), this.#queue));
    await this.#applyRows([...this.#definitions.values()]);
  }

  /** Applies the row schedules of one kind of job, or of all, in the background. */
  rowsChanged(name?: string): void {
    if (this.#isStopping) return;
    const kinds = [...this.#definitions.values()].filter(
      (kind) => name === undefined || kind.name === name,
    );
    this.#applyRows(kinds).catch((error: unknown) =>
      this.#queue.log.error({ error: String(error) }, 'the schedules of rows could not be applied'),
    );
  }

  /** Applies all schedules again in the background: intervals may begin too late. */
  clocksChanged(): void {
    if (this.#isStopping) return;
    this.applyAll().catch((error: unknown) =>
      this.#queue.log.error({ error: String(error) }, 'the schedules could not be applied'),
    );
  }

  /** Returns the next runs of a row schedule that starts now. */
  preview(schedule: Schedule, count: number): readonly Date[] {
    const now = new Date();
    const { expression, zone } = storedRowSchedule(
      schedule,
      { since: now, now },
      this.#queue.zone(),
    );
    const times: Date[] = [];
    while (times.length < count) {
      const next = nextOccurrence(expression, zone, times.at(-1) ?? now);
      if (!next) break;
      times.push(next);
    }
    return times;
  }

  /** Ignores further changes and waits for the current one. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#applying;
  }

  #applyRows(kinds: readonly JobDefinition[]): Promise<void> {
    return this.#inTurn(async () => {
      for (const kind of kinds) if (kind.rows) await applyRowSchedules(kind, this.#queue);
    });
  }

  #inTurn(apply: () => Promise<void>): Promise<void> {
    const next = this.#applying.then(apply);
    this.#applying = next.catch(() => undefined);
    return next;
  }
}

/** Stores one schedule. The log names one that cannot be stored; the others are stored. */
async function store(
  { boss, log }: Queue,
  name: string,
  { expression, zone, missed }: StoredSchedule,
  { data, ...options }: { data: Envelope; key?: string; singletonKey?: string },
): Promise<void> {
  try {
    await boss.schedule(name, expression, data, { ...options, tz: zone, missed });
  } catch (error) {
    // A start that failed, or a stop: the next start stores it.
    if (isDatabaseClosed(error)) return;
    const { key } = options;
    log.error({ job: name, key, error: String(error) }, 'a schedule could not be stored');
  }
}

/** Returns true if a stored schedule stays as it is. An unchanged interval continues counting. */
const isUnchanged = (present: StoredRow, { expression, zone }: StoredSchedule, now: Date) =>
  isSameRule(present.cron, expression) &&
  present.timezone === zone &&
  !startsTooLate(present.cron, now);

/** Synchronizes the queue's schedules with the definitions. */
async function applySchedules(definitions: Iterable<JobDefinition>, queue: Queue): Promise<void> {
  const { boss, db, vault, zone: zoneOf } = queue;
  const stored = new Map(
    (await boss.getSchedules())
      .filter(({ key }) => !key)
      .map((schedule) => [schedule.name, schedule]),
  );
  const { rows } = await sql<{ name: string; last: Date | null }>`
    select name, max(date_started) as last from job group by name`.execute(db);
  const lastRuns = new Map(rows.map(({ name, last }) => [name, last]));
  const now = await databaseTime(db);
  const known = new Set<string>();
  for (const definition of definitions) {
    known.add(definition.name);
    const schedule = definition.schedule?.();
    const present = stored.get(definition.name);
    stored.delete(definition.name);
    if (!schedule) {
      if (present) await boss.unschedule(definition.name);
      continue;
    }
    const since = lastRuns.get(definition.name) ?? now;
    const next = storedSchedule(schedule, { since, now }, zoneOf());
    if (present && isUnchanged(present, next, now)) continue;
    await store(queue, definition.name, next, {
      data: wrap(vault, definition, { input: null }),
      ...(definition.overlap === 'dropped' && { singletonKey: definition.name }),
    });
  }
  for (const name of stored.keys()) await boss.unschedule(name);
  for (const { name, key } of await boss.getSchedules())
    if (key && !known.has(name)) await boss.unschedule(name, key);
}

/** Synchronizes the queue's row schedules of one kind of job with its table. */
async function applyRowSchedules(definition: JobDefinition, queue: Queue): Promise<void> {
  const { boss, db, vault, zone: zoneOf } = queue;
  const stored = new Map(
    (await boss.getSchedules(definition.name)).flatMap((schedule) =>
      schedule.key ? [[schedule.key, schedule] as const] : [],
    ),
  );
  const now = await databaseTime(db);
  for (const row of (await definition.rows?.()) ?? []) {
    const present = stored.get(row.key);
    stored.delete(row.key);
    const next = storedRowSchedule(row.schedule, { since: row.since, now }, zoneOf());
    if (present && isUnchanged(present, next, now) && isAbout(present, row)) continue;
    const { input, subject, organization } = row;
    await store(queue, definition.name, next, {
      data: wrap(vault, definition, {
        input,
        subject,
        caller: { ...SERVER_CALLER, organization },
      }),
      key: row.key,
      ...(definition.key && { singletonKey: definition.key(row.input) }),
    });
  }
  for (const key of stored.keys()) await boss.unschedule(definition.name, key);
}

async function databaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db);
  return rows[0]?.now ?? new Date();
}

/** Returns true if a stored schedule has the row's current name and organization. */
function isAbout({ data }: StoredRow, { subject, organization }: RowSchedule): boolean {
  const envelope = data as Partial<Envelope> | undefined;
  return envelope?.subject === subject && envelope.caller?.organization === organization;
}
