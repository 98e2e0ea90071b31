import type { PgBoss, Schedule as StoredRow } from 'pg-boss';
import type { Vault } from '../crypto/vault.ts';
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

/** A schedule in the format of pg-boss. */
interface StoredSchedule {
  readonly expression: string;
  readonly zone: string;
  readonly missed: 'once' | 'skip';
}

const MINUTES_OF_HOUR = 60;

/** Formats a date for a recurrence rule, such as `20260131T083000Z`. */
function ruleDate(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}

/**
 * Translates a schedule. An interval counts from `anchor`, the start of the last run; `zone` is for
 * times of the day.
 */
export function storedSchedule(schedule: Schedule, anchor: Date, zone: string): StoredSchedule {
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
  // A run that became due while the schedule was off or no server ran starts at once.
  const first = anchor.getTime() + every * 60_000 < Date.now() ? new Date() : anchor;
  return {
    expression: `DTSTART:${ruleDate(first)}\nRRULE:FREQ=MINUTELY;INTERVAL=${every}`,
    zone: 'UTC',
    missed: 'once',
  };
}

/**
 * Translates the schedule of a row. The first run is one interval after `since`, so a new schedule
 * does not run at once.
 */
export function storedRowSchedule(schedule: Schedule, since: Date, zone: string): StoredSchedule {
  if (!('everyMinutes' in schedule)) return storedSchedule(schedule, since, zone);
  const due = since.getTime() + schedule.everyMinutes * 60_000;
  const first = new Date(Math.max(due, Date.now()));
  return {
    expression: `DTSTART:${ruleDate(first)}\nRRULE:FREQ=MINUTELY;INTERVAL=${schedule.everyMinutes}`,
    zone: 'UTC',
    missed: 'once',
  };
}

/** Returns true if two expressions differ at most in the start of their interval. */
export function isSameRule(one: string, other: string): boolean {
  const rule = (text: string) => text.replace(/^DTSTART:\S+\n/, '');
  return rule(one) === rule(other);
}

interface Queue {
  readonly boss: PgBoss;
  readonly db: Db;
  readonly vault: Vault;
  /** The time zone of crontabs and of daily jobs. */
  readonly zone: () => string;
}

/** The schedules of the defined jobs. Changes are applied one after the other. */
export class Schedules {
  readonly #definitions: ReadonlyMap<string, JobDefinition>;
  readonly #queue: Queue;
  readonly #log: Logger;
  /** The change that is being applied; it never rejects. */
  #applying: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(definitions: ReadonlyMap<string, JobDefinition>, queue: Queue, log: Logger) {
    this.#definitions = definitions;
    this.#queue = queue;
    this.#log = log;
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
      this.#log.error({ error: String(error) }, 'the schedules of rows could not be applied'),
    );
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

/** Synchronizes the queue's schedules with the definitions. */
async function applySchedules(
  definitions: Iterable<JobDefinition>,
  { boss, db, vault, zone: zoneOf }: Queue,
): Promise<void> {
  const stored = new Map(
    (await boss.getSchedules())
      .filter(({ key }) => !key)
      .map((schedule) => [schedule.name, schedule]),
  );
  const { rows } = await sql<{ name: string; last: Date | null }>`
    select name, max(date_started) as last from job group by name`.execute(db);
  const lastRuns = new Map(rows.map(({ name, last }) => [name, last]));
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
    const { expression, zone, missed } = storedSchedule(
      schedule,
      lastRuns.get(definition.name) ?? new Date(),
      zoneOf(),
    );
    // An unchanged interval continues counting.
    if (present && isSameRule(present.cron, expression) && present.timezone === zone) continue;
    await boss.schedule(definition.name, expression, wrap(vault, definition, { input: null }), {
      tz: zone,
      missed,
      ...(definition.overlap === 'dropped' && { singletonKey: definition.name }),
    });
  }
  for (const name of stored.keys()) await boss.unschedule(name);
  for (const { name, key } of await boss.getSchedules())
    if (key && !known.has(name)) await boss.unschedule(name, key);
}

/** Synchronizes the queue's row schedules of one kind of job with its table. */
async function applyRowSchedules(
  definition: JobDefinition,
  { boss, vault, zone: zoneOf }: Queue,
): Promise<void> {
  const stored = new Map(
    (await boss.getSchedules(definition.name)).flatMap((schedule) =>
      schedule.key ? [[schedule.key, schedule] as const] : [],
    ),
  );
  for (const row of (await definition.rows?.()) ?? []) {
    const present = stored.get(row.key);
    stored.delete(row.key);
    const { expression, zone, missed } = storedRowSchedule(row.schedule, row.since, zoneOf());
    if (
      present &&
      isSameRule(present.cron, expression) &&
      present.timezone === zone &&
      isAbout(present, row)
    )
      continue;
    const { input, subject, organization } = row;
    await boss.schedule(
      definition.name,
      expression,
      wrap(vault, definition, { input, subject, caller: { ...SERVER_CALLER, organization } }),
      {
        key: row.key,
        tz: zone,
        missed,
        ...(definition.key && { singletonKey: definition.key(row.input) }),
      },
    );
  }
  for (const key of stored.keys()) await boss.unschedule(definition.name, key);
}

/** Returns true if a stored schedule has the row's current name and organization. */
function isAbout({ data }: StoredRow, { subject, organization }: RowSchedule): boolean {
  const envelope = data as Partial<Envelope> | undefined;
  return envelope?.subject === subject && envelope.caller?.organization === organization;
}
