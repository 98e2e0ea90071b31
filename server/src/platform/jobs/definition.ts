import type { Language, LocalText } from '@sallyport/contract';
import type { Db, Tx } from '../db/database.ts';

/** Who started a job. A job that the server starts by itself has no account. */
export interface JobCaller {
  readonly userId: string | undefined;
  /** For people to read, such as `Li Wei(li.wei)`. */
  readonly name: string;
  /** The id of the organization that the job belongs to; '' is the default one. */
  readonly organization: string;
  readonly language: Language;
  /** IANA zone of dates in texts. */
  readonly zone: string;
}

/** A person who asks for a job. What they may do is checked when they ask, and is not kept. */
export interface JobRequester extends JobCaller {
  readonly permissions: number;
}

/** The caller of what the server does by itself; it speaks the language of the installation when it runs. */
export const SERVER_CALLER: JobCaller = {
  userId: undefined,
  name: '',
  organization: '',
  language: 'zh',
  zone: 'UTC',
};

/** When a job runs by itself. */
export type Schedule =
  /** Five fields: minute, hour, day of month, month, day of week. Times at which no server was running are skipped. */
  | { readonly crontab: string; readonly zone?: string }
  /** Counted from the last run. When no server ran at the time, it runs once as soon as one does. */
  | { readonly everyMinutes: number }
  /** Once a day at this time, `HH:MM`. When no server ran at the time, it runs once as soon as one does. */
  | { readonly dailyAt: string; readonly zone?: string };

/** When the work of one row of a table runs by itself, such as that of a plan. */
export interface RowSchedule<Input = unknown> {
  /** The id of the row. */
  readonly key: string;
  readonly schedule: Schedule;
  /** From when an interval counts: the last run, or the moment at which it was set. */
  readonly since: Date;
  readonly input: Input;
  readonly subject: string;
  /** The id of the row's organization; '' is the default one. */
  readonly organization: string;
}

/** The channel that says that rows with schedules changed; its payload is the name of the kind of job. */
export const ROW_SCHEDULES_CHANNEL = 'row_schedules';

export interface Retries {
  /** Further tries after the first one failed. */
  readonly limit: number;
  /** Seconds until the second try; each further one takes twice as long. */
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
  /** Aborted when the job was canceled, took too long, lost its lease, or the server stops. */
  readonly signal: AbortSignal;
  /** Objects done so far, and how many of these failed or were skipped. Written at most a few times a second. */
  progress(done: number, total: number, failed?: number, skipped?: number): void;
  /**
   * For work that must not happen twice: true exactly once in the life of a job, and only if this transaction commits.
   * A job that runs again after its server was lost finds out here that the work is done.
   */
  once(tx: Tx): Promise<boolean>;
  /** A line for people who watch. Never a secret. Only the newest lines are kept. */
  log(line: string): void;
}

/** One kind of background work. */
export interface JobDefinition<Input = unknown, Result = unknown> {
  /** Letters, digits and hyphens; the name of its queue. */
  readonly name: string;
  readonly title: LocalText;
  /** Reads what was queued, possibly by an older version. @throws when it makes no sense */
  readonly input: (value: unknown) => Input;
  /** Read again by `reschedule`; undefined: only when it is asked for. */
  readonly schedule?: () => Schedule | undefined;
  /**
   * The schedules of rows: each row of a table that runs by itself has its own. Read at the start, by `reschedule`, and when the table says on
   * {@link ROW_SCHEDULES_CHANNEL} that it changed. With `overlap: 'dropped'` and `key` there is one run at a time for each row. A run may begin after its
   * row was changed: it reads the row again.
   */
  readonly rows?: () => Promise<readonly RowSchedule<Input>[]>;
  /** Runs of the same key never overlap, on any number of servers. What is asked for while one is queued or runs is `dropped` or `queued`. */
  readonly overlap?: 'dropped' | 'queued' | 'allowed';
  key?(input: Input): string;
  readonly retries: Retries;
  readonly timeoutSeconds: number;
  /**
   * Whether a run that an orderly stop interrupts may begin again from its start: it then goes back into the queue and no try is used up.
   * Without it, an interrupted run is a failed try with the reason `job_interrupted`.
   */
  readonly repeatable?: boolean;
  /** It cannot be run again when it failed or was canceled: a person has to ask for it again, with what is true then. */
  readonly isRunOnce?: true;
  /** Runs at a time on one server; 1 when it does not say. */
  readonly concurrency?: number;
  /** The permission bits that a person needs to start, cancel or retry it; `server`: nobody starts it by hand. Checked whenever a caller is given. */
  readonly access: number | 'server';
  /** Whether the input has secrets: it is then sealed in the queue. */
  readonly sealed?: boolean;
  /** What stays to be seen when it is over: every run, or only failed ones. */
  readonly history: 'all' | 'failures';
  /** The result must fit JSON; people who see the job do not see it. @throws an AppError whose code people read as the reason; anything else is a defect and is logged as one */
  run(job: RunningJob<Input>): Promise<Result>;
}

/** Checks a definition when it is made. */
export function defineJob<Input = undefined, Result = unknown>(
  definition: JobDefinition<Input, Result>,
): JobDefinition<Input, Result> {
  if (!/^[a-z][a-z0-9-]{1,48}$/.test(definition.name))
    throw new Error(`not a name of a job: ${definition.name}`);
  return definition;
}

/** What the server does every few minutes by itself. Only what failed stays to be seen; the next run tries again. */
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
  /** Chosen by the caller for a row that has the same id; absent: a new one. */
  readonly id?: string;
  /** The person who asks; absent for what the server starts by itself. */
  readonly caller?: JobRequester;
  /** What it is about, such as the name of a file; shown next to its title. */
  readonly subject?: string;
  /** The transaction of the change that causes the job: without the change there is no job. */
  readonly tx?: Db | Tx;
  readonly startAfter?: Date;
}
