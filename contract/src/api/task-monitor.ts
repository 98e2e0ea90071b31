/** A job in the task monitor. */
interface MonitoredJob {
  readonly id: string;
  readonly title: string;
  readonly subject: string;
  /** Empty if the server started it. */
  readonly started_by: string;
  /** Run time so far or in all; null while waiting. */
  readonly seconds: number | null;
  readonly date_created: string;
}

/**
 * GET ops/task-monitor/: background work of the installation. Lists contain the first 50 entries.
 */
export interface TaskMonitor {
  /** Kinds of jobs that wait, run, or ended within a day. */
  readonly queues: readonly {
    readonly name: string;
    readonly title: string;
    readonly waiting: number;
    readonly running: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly canceled: number;
    readonly average_seconds: number | null;
    readonly longest_seconds: number | null;
    readonly date_last: string | null;
    /** Concurrent jobs of this kind per server. */
    readonly workers: number;
  }[];
  readonly current: readonly (MonitoredJob & {
    readonly state: 'queued' | 'running';
    readonly done: number;
    readonly total: number;
  })[];
  /** `succeeded`: the job completed, but a part of it failed. */
  readonly failed: readonly (MonitoredJob & {
    readonly state: 'failed' | 'succeeded';
    readonly reason: string;
    readonly date_finished: string;
  })[];
  readonly servers: readonly {
    readonly id: string;
    readonly host: string;
    readonly is_alive: boolean;
    readonly is_stopping: boolean;
    readonly date_started: string;
    readonly date_seen: string;
  }[];
}
