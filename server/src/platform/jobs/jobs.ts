import { randomUUID } from 'node:crypto';
import { allows } from '@sallyport/contract';
import type { PgBoss } from 'pg-boss';
import { sqlState } from '../db/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import { Forbidden } from '../errors.ts';
import { Schedules } from './apply-schedules.ts';
import {
  ATTACHED_LEASE_SECONDS,
  type AttachedJob,
  type AttachedRun,
  attach,
  cancelAttached,
  endLostAttached,
} from './attach.ts';
import {
  type EnqueueOptions,
  type JobDefinition,
  type JobRequester,
  keyOf,
  ROW_SCHEDULES_CHANNEL,
  type Schedule,
  SERVER_CALLER,
} from './definition.ts';
import { type Envelope, unwrap, wrap } from './envelope.ts';
import { pullBackTimes } from './future-times.ts';
import { createBoss, inTransaction, JobWatchers, mirrorQueue, PACE, QUEUE } from './queue.ts';
import type { Reporter } from './run.ts';
import { ScheduleRunner } from './run-schedules.ts';
import type { JobRow, Jobs, JobsLocale, JobsOptions } from './types.ts';
import { createWorkers, type Workers } from './workers.ts';

export type { JobRow, Jobs } from './types.ts';

/** Denies by default: without declared permission bits only the server starts a job. */
function assertMayStart(
  { access }: Pick<JobDefinition, 'access'>,
  { permissions }: JobRequester,
): void {
  if (access === 'server' || !allows(permissions, access)) throw new Forbidden('job_access');
}

class ServerJobs implements Jobs {
  readonly #options: JobsOptions;
  readonly #boss: PgBoss;
  readonly #workers: Workers;
  readonly #schedules: Schedules;
  readonly #runner: ScheduleRunner;
  readonly #watchers = new JobWatchers();
  readonly #definitions = new Map<string, JobDefinition>();
  readonly #attachedKinds = new Map<string, AttachedJob>();
  /** Running jobs of this server, by job id. */
  readonly #reporters = new Map<string, Reporter>();
  #locale: JobsLocale = { language: () => SERVER_CALLER.language, zone: () => 'UTC' };
  #sweeper: NodeJS.Timeout | undefined;

  constructor(options: JobsOptions) {
    const { pool, db, bus, vault, log, pace = PACE } = options;
    const boss = createBoss(pool, bus, log, pace);
    this.#options = options;
    this.#boss = boss;
    const zone = () => this.zone();
    this.#schedules = new Schedules(this.#definitions, { boss, db, vault, log, zone });
    this.#runner = new ScheduleRunner({ boss, db, log, everySeconds: pace.superviseSeconds });
    this.#workers = createWorkers({
      boss,
      db,
      vault,
      log,
      pace,
      reporters: this.#reporters,
      language: () => this.#locale.language(),
    });
  }

  define(...definitions: readonly JobDefinition[]): void {
    for (const definition of definitions) {
      if (this.#definitions.has(definition.name))
        throw new Error(`two jobs are called ${definition.name}`);
      this.#definitions.set(definition.name, definition);
    }
  }

  describe(...kinds: readonly AttachedJob[]): void {
    for (const kind of kinds) this.#attachedKinds.set(kind.name, kind);
  }

  useLocale(locale: JobsLocale): void {
    this.#locale = locale;
  }

  definitionOf(name: string): JobDefinition | undefined {
    return this.#definitions.get(name);
  }

  kindOf(name: string): Pick<JobDefinition, 'title' | 'access'> | undefined {
    return this.#definitions.get(name) ?? this.#attachedKinds.get(name);
  }

  async start(): Promise<void> {
    const { pool, bus } = this.#options;
    const definitions = [...this.#definitions.values()];
    await pullBackTimes(this.#options);
    await this.#boss.start();
    await mirrorQueue(pool);
    await this.#workers.openQueues(definitions);
    await bus.subscribe(
      'job',
      (payload) => this.#onMessage(payload),
      () => {
        this.#watchers.notifyAll();
        for (const reporter of this.#reporters.values()) reporter.check();
      },
    );
    // Subscribe before reading the tables, so that no change in between is lost.
    await bus.subscribe(
      ROW_SCHEDULES_CHANNEL,
      (name) => this.#schedules.rowsChanged(name),
      () => this.#schedules.rowsChanged(),
    );
    await this.#takeRequests();
    await this.reschedule();
    await Promise.all(definitions.map((kind) => this.#workers.work(kind)));
    const sweep = async () => {
      if (await pullBackTimes(this.#options)) this.#schedules.clocksChanged();
      await endLostAttached(this.#options);
    };
    await sweep();
    this.#sweeper = setInterval(() => void sweep(), ATTACHED_LEASE_SECONDS * 1_000).unref();
    this.#runner.start();
  }

  async handOver(): Promise<void> {
    await this.#runner.stop();
    await this.#schedules.stop();
    await this.#workers.handOver();
  }

  async stop(): Promise<void> {
    clearInterval(this.#sweeper);
    await this.#runner.stop();
    await this.#schedules.stop();
    await this.#workers.stop();
  }

  async enqueue<Input>(
    definition: JobDefinition<Input>,
    input: Input,
    { caller, subject = '', ...options }: EnqueueOptions = {},
  ): Promise<string | undefined> {
    if (caller) assertMayStart(definition, caller);
    const { vault } = this.#options;
    const envelope = wrap(vault, definition, { input, caller, subject });
    return this.#send(definition, input, envelope, options);
  }

  async attach<T>(
    kind: AttachedJob,
    id: string,
    caller: JobRequester,
    run: (job: AttachedRun) => Promise<T>,
  ): Promise<T> {
    assertMayStart(kind, caller);
    return attach(kind, { id, caller }, run, { ...this.#options, reporters: this.#reporters });
  }

  watch(id: string, changed: () => void): () => void {
    return this.#watchers.watch(id, changed);
  }

  async finished<Result>(id: string): Promise<JobRow<Result> | undefined> {
    for (;;) {
      const changed = this.#watchers.nextChange(id);
      const row = await this.#find<Result>(sql`j.id = ${id}`);
      if (!row || (row.state !== 'queued' && row.state !== 'running')) return row;
      await changed;
    }
  }

  async cancel(id: string): Promise<boolean> {
    const { rows } = await sql<{ name: string; attached: boolean }>`
      select name, attached from job where id = ${id} and state in ('queued', 'running')`.execute(
      this.#options.db,
    );
    const [row] = rows;
    if (!row) return false;
    if (row.attached) return cancelAttached(id, this.#options);
    await this.#boss.cancel(row.name, id);
    return true;
  }

  async retry(id: string): Promise<boolean> {
    const { rows } = await sql<{ name: string; state: string }>`
      select j.name, j.state from job j join ${QUEUE} q on q.name = j.name and q.id = j.id
      where j.id = ${id} and j.state in ('failed', 'canceled')`.execute(this.#options.db);
    const [row] = rows;
    if (!row) return false;
    const definition = this.#definitions.get(row.name);
    if (!definition || definition.isRunOnce) return false;
    try {
      await (row.state === 'failed'
        ? this.#boss.retry(row.name, id)
        : this.#boss.resume(row.name, id));
    } catch (error) {
      // A job of the same key is queued or running.
      if (sqlState(error)?.code === '23505') return false;
      throw error;
    }
    this.#workers.wake(row.name);
    return true;
  }

  latest<Result>({ name }: { readonly name: string }): Promise<JobRow<Result> | undefined> {
    return this.#find<Result>(sql`j.name = ${name}`);
  }

  reschedule(): Promise<void> {
    return this.#schedules.applyAll();
  }

  zone(): string {
    return this.#locale.zone();
  }

  preview(schedule: Schedule, count: number): readonly Date[] {
    return this.#schedules.preview(schedule, count);
  }

  async forget(days: number): Promise<number> {
    const { rowCount } = await sql`
      delete from job where date_finished < now() - make_interval(days => ${days})
        and id not in (
          select distinct on (name) id from job order by name, date_created desc)`.execute(
      this.#options.db,
    );
    return rowCount;
  }

  async #find<Result>(where: Sql): Promise<JobRow<Result> | undefined> {
    const { rows } = await sql<JobRow<Result>>`
      select j.id, j.name, j.state, j.done, j.total, j.problem, j.result,
        q.data -> 'input' as input, j.date_created, j.date_started, j.date_finished
      from job j left join ${QUEUE} q on q.name = j.name and q.id = j.id
      where ${where} order by j.date_created desc, j.id limit 1`.execute(this.#options.db);
    return rows[0];
  }

  /** Queues jobs that migrations or a restored backup requested. The latter keep their envelope. */
  async #takeRequests(): Promise<void> {
    const { db, vault } = this.#options;
    await db.transaction(async (tx) => {
      const { rows } = await sql<{
        id: string;
        name: string;
        input: unknown;
        envelope: Envelope | null;
        start_after: Date;
      }>`
        delete from job_request returning id, name, input, envelope, start_after`.execute(tx);
      for (const { id, name, input, envelope, start_after: startAfter } of rows) {
        const definition = this.#definitions.get(name);
        if (!definition) continue;
        if (envelope) {
          const stored = unwrap(vault, definition, envelope);
          await this.#send(definition, stored, envelope, { id, tx, startAfter });
        } else await this.enqueue(definition, input, { tx, startAfter });
      }
    });
  }

  async #send<Input>(
    definition: JobDefinition<Input>,
    input: Input,
    envelope: Envelope,
    { id, tx, startAfter }: Pick<EnqueueOptions, 'id' | 'tx' | 'startAfter'>,
  ): Promise<string | undefined> {
    const key = keyOf(definition, input);
    const sent = await this.#boss.send(definition.name, envelope, {
      ...(id !== undefined && { id }),
      ...(key !== undefined && { singletonKey: key }),
      ...(startAfter && { startAfter }),
      ...(tx && { db: inTransaction(tx) }),
    });
    return sent ?? undefined;
  }

  /** Handles a message of the channel `job`: the id, and `progress` if the run itself sent it. */
  #onMessage(payload: string): void {
    const [id = '', isProgress] = payload.split(' ');
    this.#watchers.notify(id);
    if (!isProgress) this.#reporters.get(id)?.check();
  }
}

/** Creates the job runner; it is idle until `start`. */
export const createJobs = (options: JobsOptions): Jobs => new ServerJobs(options);

/** Returns a new id for a job that a request attaches. */
export const newJobId = (): string => randomUUID();
