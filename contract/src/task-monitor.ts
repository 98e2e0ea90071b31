/** A job as the task monitor names it. */
interface MonitoredJob {
  readonly id: string;
  readonly title: string;
  readonly subject: string;
  /** Empty where the server started it by itself. */
  readonly started_by: string;
  /** How long it has run, or ran; null while it waits. */
  readonly seconds: number | null;
  readonly date_created: string;
}

/** GET ops/task-monitor/: what the background work of the installation does. Lists hold the first 50. */
export interface TaskMonitor {
  /** Kinds of jobs that wait, run, or were kept of the last day. */
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
    /** How many of its jobs one server runs at a time. */
    readonly workers: number;
  }[];
  readonly current: readonly (MonitoredJob & {
    readonly state: 'queued' | 'running';
    readonly done: number;
    readonly total: number;
  })[];
  /** `succeeded`: it came to its end, and a part of it failed. */
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
