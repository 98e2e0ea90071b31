import { isUuid, type Language, type LocalText } from '@sallyport/contract';
import type { Db, Tx } from '../db/database.ts';

/** The starter of a job. A job of the server itself has no account. */
export interface JobCaller {
  readonly userId: string | undefined;
  /** Display name, such as `Li Wei(li.wei)`. */
  readonly name: string;
  /** Id of the job's organization; '' is the default one. */
  readonly organization: string;
  readonly language: Language;
  /** IANA time zone of dates in texts. */
  readonly zone: string;
}

/** A user who requests a job. The permissions are checked at the request and not stored. */
export interface JobRequester extends JobCaller {
  readonly permissions: number;
}

/** The caller of jobs that the server starts. They run in the language of the installation. */
export const SERVER_CALLER: JobCaller = {
  userId: undefined,
  name: '',
  organization: '',
  language: 'zh',
  zone: 'UTC',
};

/** Time of automatic runs. */
export type Schedule =
  /**
   * Five fields: minute, hour, day of month, month, day of week. Times without a running server are
   * skipped. When clocks change, each local day and time runs once; every hour goes by real time.
   */
  | { readonly crontab: string }
  /** Interval from the last run. A missed run starts as soon as a server runs. */
  | { readonly everyMinutes: number }
  /** Daily at this time, `HH:MM`. A missed run starts as soon as a server runs. */
  | { readonly dailyAt: string };

/** Schedule of one row of a table, such as a plan. */
export interface RowSchedule<Input = unknown> {
  /** Id of the row. */
  readonly key: string;
  readonly schedule: Schedule;
  /** Start of the interval: the last run, or the change of the schedule. */
  readonly since: Date;
  readonly input: Input;
  readonly subject: string;
  /** Id of the row's organization; '' is the default one. */
  readonly organization: string;
}

/** Channel for changed row schedules; the payload is the name of the job kind. */
export const ROW_SCHEDULES_CHANNEL = 'row_schedules';

export interface Retries {
  /** Retries after the first failure. */
  readonly limit: number;
  /** Seconds before the first retry; doubles with each further retry. */
  readonly delaySeconds: number;
  readonly maximumDelaySeconds?: number;
}

/** A job while it runs. */
export interface RunningJob<Input> {
  readonly id: string;
  /** 1 for the first try. */
  readonly attempt: number;
  readonly input: Input;
  readonly caller: JobCaller;
  /** Aborted when the job is canceled, times out or loses its lease, or when the server stops. */
  readonly signal: AbortSignal;
  /**
   * Reports processed objects, and how many of them failed or were skipped. Written at most a few
   * times a second.
   */
  progress(done: number, total: number, failed?: number, skipped?: number): void;
  /**
   * Guards work that must not happen twice. Returns true exactly once in the life of a job,
   * provided that this transaction commits. A job that runs again after the loss of its server gets
   * false.
   */
  once(tx: Tx): Promise<boolean>;
  /** Adds a log line for users. Never log a secret. Only the newest lines are kept. */
  log(line: string): void;
}

/** One kind of background work. */
export interface JobDefinition<Input = unknown, Result = unknown> {
  /** Letters, digits and hyphens; also the name of its queue. */
  readonly name: string;
  readonly title: LocalText;
  /**
   * Parses queued input, possibly of an older version.
   * @throws if it is invalid
   */
  readonly input: (value: unknown) => Input;
  /** Evaluated again by `reschedule`. Undefined: the job runs only on request. */
  readonly schedule?: () => Schedule | undefined;
  /**
   * Schedules of rows: each scheduled row of a table has its own. Read at start, by `reschedule`,
   * and on messages of {@link ROW_SCHEDULES_CHANNEL}. With `overlap: 'dropped'` and `key`, each row
   * has one run at a time. A run may begin after a change of its row, so it reads the row again.
   */
  readonly rows?: () => Promise<readonly RowSchedule<Input>[]>;
  /**
   * Runs of the same key never overlap, on any number of servers. A request during a queued or
   * running job is `dropped` or `queued`.
   */
  readonly overlap?: 'dropped' | 'queued' | 'allowed';
  key?(input: Input): string;
  readonly retries: Retries;
  readonly timeoutSeconds: number;
  /**
   * True if a run that an orderly stop interrupts may restart from the beginning. It then returns
   * to the queue without using up a try. Otherwise the interrupted try fails with
   * `job_interrupted`.
   */
  readonly repeatable?: boolean;
  /**
   * A failed or canceled run cannot be repeated: a user has to request it again with current input.
   */
  readonly isRunOnce?: true;
  /** Maximum parallel runs on one server; default 1. */
  readonly concurrency?: number;
  /**
   * Permission bits that a user needs to start, cancel or retry the job; `server`: users cannot
   * start it. Checked whenever a caller is passed.
   */
  readonly access: number | 'server';
  /** True if the input contains secrets: the queue then stores it sealed. */
  readonly sealed?: boolean;
  /** Runs to keep after their end: all, or only failed ones. */
  readonly history: 'all' | 'failures';
  /**
   * Runs the job. The result must be JSON; users do not see it.
   * @throws an AppError, whose code users see as the reason. Other errors are logged as defects.
   */
  run(job: RunningJob<Input>): Promise<Result>;
}

/** Checks a definition at start. */
export function defineJob<Input = undefined, Result = unknown>(
  definition: JobDefinition<Input, Result>,
): JobDefinition<Input, Result> {
  if (!/^[a-z][a-z0-9-]{1,48}$/.test(definition.name))
    throw new Error(`not a name of a job: ${definition.name}`);
  return definition;
}

/** Input of a job that runs a task: a row of a table, with its schedule. */
export interface TaskInput {
  readonly task: string;
}

/** Returns the parts of a job that runs tasks, one run of each at a time. */
export const runsTasks = (rows: NonNullable<JobDefinition<TaskInput>['rows']>) =>
  ({
    input(value: unknown): TaskInput {
      const { task } = value as { readonly task?: unknown };
      if (!isUuid(task)) throw new Error('invalid task id');
      return { task };
    },
    rows,
    overlap: 'dropped',
    key: ({ task }: TaskInput) => task,
  }) as const;

/**
 * Defines periodic housekeeping of the server. Only failures stay in the history; the next run
 * tries again.
 */
export function defineHousekeeping(what: {
  readonly name: string;
  readonly title: LocalText;
  readonly everyMinutes: number;
  readonly timeoutSeconds?: number;
  run(): Promise<void>;
}): JobDefinition<void> {
  const { name, title, everyMinutes, timeoutSeconds = 300, run } = what;
  return defineJob<void>({
    name,
    title,
    input: () => undefined,
    schedule: () => ({ everyMinutes }),
    overlap: 'dropped',
    retries: { limit: 0, delaySeconds: 0 },
    repeatable: true,
    timeoutSeconds,
    access: 'server',
    history: 'failures',
    run,
  });
}

export interface EnqueueOptions {
  /** Id of a row that the job belongs to; absent: a new id. */
  readonly id?: string;
  /** The requesting user; absent for jobs of the server itself. */
  readonly caller?: JobRequester;
  /** Subject of the job, such as a file name, shown next to its title. */
  readonly subject?: string;
  /** Transaction of the change that causes the job: if it rolls back, no job is created. */
  readonly tx?: Db | Tx;
  readonly startAfter?: Date;
}

/** Returns the key that excludes parallel runs; undefined without one. */
export function keyOf(definition: JobDefinition, input: unknown): string | undefined {
  return definition.key
    ? definition.key(input)
    : definition.overlap === 'dropped'
      ? definition.name
      : undefined;
}
