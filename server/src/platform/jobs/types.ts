import type { Language, Problem } from '@sallyport/contract';
import type pg from 'pg';
import type { Bus } from '../bus/bus.ts';
import type { Vault } from '../crypto/vault.ts';
import type { Db } from '../db/database.ts';
import type { Logger } from '../log.ts';
import type { AttachedJob, AttachedRun } from './attach.ts';
import type { EnqueueOptions, JobDefinition, JobRequester, Schedule } from './definition.ts';
import type { Pace } from './queue.ts';

/** A row of the table `job`. */
export interface JobRow<Result = unknown> {
  readonly id: string;
  readonly name: string;
  readonly state: 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled';
  readonly done: number;
  readonly total: number;
  readonly problem: Problem | null;
  readonly result: Result | null;
  /** Absent if it was sealed or has been deleted. */
  readonly input: unknown;
  readonly date_created: Date;
  readonly date_started: Date | null;
  readonly date_finished: Date | null;
}

/** Language of jobs that the server starts, and the time zone of their schedules. */
export interface JobsLocale {
  readonly language: () => Language;
  readonly zone: () => string;
}

/** Queue, scheduler and runner of background work. Servers that share a database share the work. */
export interface Jobs {
  /** Registers kinds of jobs; call before `start`. */
  define(...definitions: readonly JobDefinition[]): void;
  definitionOf(name: string): JobDefinition | undefined;
  /** Sets what jobs that the server starts speak, and by which clock they start. */
  useLocale(locale: JobsLocale): void;
  /** Opens the queue, applies the schedules and starts the workers. */
  start(): Promise<void>;
  /** Takes no further jobs, and waits for the running ones. */
  handOver(): Promise<void>;
  /** Stops the workers, aborts running jobs and waits for them. */
  stop(): Promise<void>;
  /**
   * Queues a run and returns its id. Returns undefined if a run of the same key is queued or
   * running and the definition drops further ones.
   * @throws Forbidden if the caller lacks permission
   */
  enqueue<Input>(
    definition: JobDefinition<Input>,
    input: Input,
    options?: EnqueueOptions,
  ): Promise<string | undefined>;
  /**
   * Runs work of a request as a job that users can watch and cancel, but not retry. The client
   * chooses `id`.
   * @throws Conflict if the id is in use
   */
  attach<T>(
    kind: AttachedJob,
    id: string,
    caller: JobRequester,
    run: (job: AttachedRun) => Promise<T>,
  ): Promise<T>;
  /** Registers kinds of jobs that requests attach. */
  describe(...kinds: readonly AttachedJob[]): void;
  /** Returns title and access of a kind of job. */
  kindOf(name: string): Pick<JobDefinition, 'title' | 'access'> | undefined;
  /**
   * Calls `changed` whenever a job may have changed.
   * @returns a function that stops watching
   */
  watch(id: string, changed: () => void): () => void;
  /** Waits until a job ends and returns its row. */
  finished<Result>(id: string): Promise<JobRow<Result> | undefined>;
  /**
   * Cancels a queued or running job.
   * @returns true if it was canceled
   */
  cancel(id: string): Promise<boolean>;
  /**
   * Queues a failed or canceled job again.
   * @returns true if it was queued
   */
  retry(id: string): Promise<boolean>;
  /** Returns the newest job of a kind. */
  latest<Result>(
    definition: JobDefinition<never, Result> | { readonly name: string },
  ): Promise<JobRow<Result> | undefined>;
  /**
   * Deletes jobs that ended at least `days` ago, except the newest of each kind.
   * @returns the number of deleted jobs
   */
  forget(days: number): Promise<number>;
  /** Applies the schedules again after a change of settings. */
  reschedule(): Promise<void>;
  /** The time zone of crontabs and of daily jobs. */
  zone(): string;
  /** Returns the next runs of a row schedule that starts now. */
  preview(schedule: Schedule, count: number): readonly Date[];
}

export interface JobsOptions {
  readonly pool: pg.Pool;
  readonly db: Db;
  readonly bus: Bus;
  readonly vault: Vault;
  readonly log: Logger;
  readonly pace?: Pace;
}
