import type { Language, Problem } from '@sallyport/contract';
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import type { Vault } from '../crypto/vault.ts';
import type { Db, Tx } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { partOf, Work } from '../db/work.ts';
import type { Logger } from '../log.ts';
import { defineCounter } from '../metrics/open-metrics.ts';
import { traced } from '../traces/spans.ts';
import type { JobDefinition } from './definition.ts';
import { type Envelope, unwrap } from './envelope.ts';
import type { Pace } from './queue.ts';
import { createReporter, problemOf, type Reporter } from './run.ts';

/** Time that a stopping server waits for its running jobs. */
const STOP_MILLISECONDS = 10_000;
const DAY_SECONDS = 86_400;
const WEEK_SECONDS = 7 * DAY_SECONDS;
const POLICY = { allowed: 'standard', queued: 'singleton', dropped: 'exclusive' } as const;

const runs = defineCounter(
  'sallyport_job_runs_total',
  'Runs of jobs on this server: succeeded, or the code of the failure.',
);

export interface WorkersOptions {
  readonly boss: PgBoss;
  readonly db: Db;
  readonly vault: Vault;
  readonly log: Logger;
  readonly pace: Pace;
  /** Language of jobs that the server starts. */
  readonly language: () => Language;
  /** Running jobs of this server, by job id. */
  readonly reporters: Map<string, Reporter>;
}

/** Takes jobs from the queues and runs them. */
export interface Workers {
  /** Creates missing queues of these kinds of jobs and updates changed ones. */
  openQueues(definitions: readonly JobDefinition[]): Promise<void>;
  work(definition: JobDefinition): Promise<void>;
  /** Polls a queue now. */
  wake(name: string): void;
  /** Stops the workers, and waits for running jobs. */
  handOver(): Promise<void>;
  /** Stops the workers, aborts running jobs, and waits for them. */
  stop(): Promise<void>;
}

/** Marks the work of a job as committed in its transaction; returns true exactly once. */
export async function commitOnce(tx: Tx, id: string): Promise<boolean> {
  const { rowCount } = await sql`
    update job set committed = true
    where id = ${id} and state = 'running' and not committed`.execute(tx);
  return rowCount > 0;
}

/** Returns the reason if the server or a timeout stopped the run. */
function stopProblem(own: AbortSignal, queue: AbortSignal): Problem | undefined {
  if (own.aborted) return { code: 'job_interrupted' };
  return queue.aborted ? { code: 'job_timeout' } : undefined;
}

/** The workers of one kind of job on this server. */
interface Queue {
  readonly definition: JobDefinition;
  /** Ids of the open workers. */
  readonly ids: string[];
  /** Number of workers that are open or being opened. */
  opened: number;
}

class ServerWorkers implements Workers {
  readonly #options: WorkersOptions;
  readonly #running = new Set<Promise<unknown>>();
  readonly #queues = new Map<string, Queue>();
  #isStopping = false;

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  async openQueues(definitions: readonly JobDefinition[]): Promise<void> {
    const { boss } = this.#options;
    // Most starts change no queue, which a single statement finds out.
    const stored = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
    for (const definition of definitions) {
      const { name } = definition;
      const options = this.#queueOptions(definition);
      const existing = stored.get(name);
      if (!existing)
        await boss.createQueue(name, {
          ...options,
          policy: POLICY[definition.overlap ?? 'allowed'],
        });
      else if (
        Object.entries(options).some(
          ([option, value]) => existing[option as keyof typeof options] !== value,
        )
      )
        await boss.updateQueue(name, options);
    }
  }

  async work(definition: JobDefinition): Promise<void> {
    const queue: Queue = { definition, ids: [], opened: 0 };
    this.#queues.set(definition.name, queue);
    await this.#openWorker(queue);
  }

  wake(name: string): void {
    for (const id of this.#queues.get(name)?.ids ?? []) this.#options.boss.notifyWorker(id);
  }

  async handOver(): Promise<void> {
    this.#isStopping = true;
    const { boss } = this.#options;
    await Promise.allSettled([...this.#queues.keys()].map((name) => boss.offWork(name)));
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  async stop(): Promise<void> {
    const { boss, reporters } = this.#options;
    this.#isStopping = true;
    for (const reporter of reporters.values()) reporter.halt('stopping');
    const deadline = new Promise((settle) => setTimeout(settle, STOP_MILLISECONDS).unref());
    // pg-boss checks only every half second whether its workers have ended.
    await Promise.race([
      Promise.allSettled([...this.#queues.keys()].map((name) => boss.offWork(name))),
      deadline,
    ]);
    await boss.stop({ graceful: false, close: false });
    await Promise.race([Promise.allSettled(this.#running), deadline]);
  }

  /**
   * Opens a further worker of a queue, within the concurrency of its kind. Each worker polls the
   * queue. A kind of job without work has one worker; a taken job opens the next one, which looks
   * for a further job.
   */
  async #openWorker(queue: Queue): Promise<void> {
    const { boss, pace } = this.#options;
    const { definition, ids } = queue;
    if (this.#isStopping || queue.opened >= (definition.concurrency ?? 1)) return;
    queue.opened += 1;
    const options = {
      includeMetadata: true,
      pollingIntervalSeconds: pace.pollSeconds,
      notifyPollingIntervalSeconds: pace.pollSeconds,
    } as const;
    const worker = await boss.work<Envelope, void, typeof options>(
      definition.name,
      options,
      async ([queued]) => {
        if (queued) await this.#take(queue, queued, () => boss.notifyWorker(worker));
      },
    );
    ids.push(worker);
  }

  /** Runs a job that a worker took. `poll` lets the worker look for the next one. */
  async #take(queue: Queue, queued: JobWithMetadata<Envelope>, poll: () => void): Promise<void> {
    const { definition } = queue;
    // The job was taken during the stop and has not started.
    if (this.#isStopping) return this.#giveBack(queued.id);
    void this.#openWorker(queue).catch((error: unknown) =>
      this.#options.log.warn(
        { job: definition.name, error: String(error) },
        'a worker did not open',
      ),
    );
    // Runs outside the work of any request, whose end would close the job's connections.
    const run = partOf(new Work(), () => this.#runOnce(definition, queued));
    this.#running.add(run);
    try {
      await run;
    } finally {
      this.#running.delete(run);
      await this.#freeKey(definition, queued);
      // A notification during this run may stand for several jobs.
      poll();
    }
  }

  /**
   * Returns a run to the queue without counting a try: pg-boss counts a retry only for a job that
   * has started. A later report of the worker finds no active job.
   */
  async #giveBack(id: string): Promise<void> {
    await sql`
      update jobs.job
      set state = 'created', started_on = null, heartbeat_on = null, start_after = now()
      where id = ${id} and state = 'active'`.execute(this.#options.db);
  }

  /**
   * Runs one try of a job. It throws only a code, because the queue stores the error and users may
   * read it.
   */
  async #runOnce(definition: JobDefinition, queued: JobWithMetadata<Envelope>): Promise<void> {
    const { db, vault, log, reporters, language } = this.#options;
    const { id, data } = queued;
    const attempt = queued.retryCount + 1;
    const reporter = createReporter({ db, id, attempt, log });
    reporters.set(id, reporter);
    const signal = AbortSignal.any([reporter.signal, queued.signal]);
    try {
      const span = { name: 'job', attributes: { 'sallyport.job': definition.name } };
      const input: Parameters<typeof definition.run>[0] = {
        id,
        attempt,
        input: unwrap(vault, definition, data),
        caller:
          data.caller.userId === undefined ? { ...data.caller, language: language() } : data.caller,
        signal,
        progress: reporter.progress,
        once: (tx) => commitOnce(tx, id),
        log: reporter.log,
      };
      const result = await traced(span, () => definition.run(input));
      await reporter.finish();
      if (result !== undefined)
        await sql`
          update job set result = ${JSON.stringify(result)}::jsonb
          where id = ${id} and attempt = ${attempt} and state = 'running'`.execute(db);
      runs.add({ job: definition.name, result: 'succeeded' });
    } catch (error) {
      await reporter.finish();
      if (reporter.signal.reason === 'stopping' && definition.repeatable) {
        await this.#giveBack(id);
        return;
      }
      const problem = stopProblem(reporter.signal, queued.signal) ?? problemOf(error);
      runs.add({ job: definition.name, result: problem.code });
      if (problem.code === 'internal')
        log.error(
          { job: definition.name, id, error: error instanceof Error ? error.stack : String(error) },
          'a job failed',
        );
      else log.warn({ job: definition.name, id, attempt, problem: problem.code }, 'a job failed');
      await sql`
        update job set problem = ${JSON.stringify(problem)}::jsonb
        where id = ${id} and attempt = ${attempt} and state = 'running'`.execute(db);
      const failure = new Error(problem.code);
      delete failure.stack;
      throw failure;
    } finally {
      reporters.delete(id);
      await reporter.finish();
    }
  }

  #queueOptions({ retries, timeoutSeconds, history }: JobDefinition) {
    return {
      retryLimit: retries.limit,
      retryDelay: retries.delaySeconds,
      retryBackoff: retries.delaySeconds > 0,
      ...(retries.delaySeconds > 0 && { retryDelayMax: retries.maximumDelaySeconds ?? 4 * 3600 }),
      expireInSeconds: timeoutSeconds,
      heartbeatSeconds: this.#options.pace.leaseSeconds,
      deleteAfterSeconds: history === 'all' ? WEEK_SECONDS : DAY_SECONDS,
      notify: true,
    };
  }

  /**
   * Lets the next run of a key start right after this one. The queue skips keys that were running
   * at its last poll; without this, the next run would wait for the next poll.
   */
  async #freeKey(
    definition: JobDefinition,
    { singletonKey }: JobWithMetadata<Envelope>,
  ): Promise<void> {
    const { boss, log } = this.#options;
    if (definition.overlap !== 'queued' || this.#isStopping) return;
    try {
      await sql`
        update jobs.queue
        set singletons_active = array_remove(singletons_active, ${singletonKey})
        where name = ${definition.name}`.execute(this.#options.db);
      // pg-boss reloads a queue only after a change of its options.
      await boss.updateQueue(definition.name, this.#queueOptions(definition));
    } catch (error) {
      log.warn(
        { job: definition.name, error: String(error) },
        'the next run of a job may begin late',
      );
    }
  }
}

/** Creates the workers of one server; they are idle until `work`. */
export const createWorkers = (options: WorkersOptions): Workers => new ServerWorkers(options);
