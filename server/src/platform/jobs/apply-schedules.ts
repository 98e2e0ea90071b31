import type { PgBoss, Schedule as StoredRow } from 'pg-boss';
import type { Vault } from '../crypto/vault.ts';
import type { Db } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { Logger } from '../log.ts';
import { type JobDefinition, type RowSchedule, SERVER_CALLER } from './definition.ts';
import { type Envelope, wrap } from './envelope.ts';
import { isSameRule, storedRowSchedule, storedSchedule } from './schedule.ts';

interface Queue {
  readonly boss: PgBoss;
  readonly db: Db;
  readonly vault: Vault;
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
  { boss, db, vault }: Queue,
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
async function applyRowSchedules(definition: JobDefinition, { boss, vault }: Queue): Promise<void> {
  const stored = new Map(
    (await boss.getSchedules(definition.name)).flatMap((schedule) =>
      schedule.key ? [[schedule.key, schedule] as const] : [],
    ),
  );
  for (const row of (await definition.rows?.()) ?? []) {
    const present = stored.get(row.key);
    stored.delete(row.key);
    const { expression, zone, missed } = storedRowSchedule(row.schedule, row.since);
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
