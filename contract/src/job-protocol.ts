import type { Row } from './kit/resource.ts';
import type { job } from './resources/common/job.ts';

/**
 * The socket to watch a job, by `?job=`. With `&wait=1` the job may start later, for example when a
 * request attaches it.
 */
export const JOB_SOCKET_PATH = '/ws/jobs/';

export interface JobLine {
  readonly line: number;
  /** In the wire format of dates. */
  readonly date: string;
  readonly text: string;
}

/** GET common/jobs/{id}/log/: the stored lines, oldest first. */
export interface JobLog {
  readonly lines: readonly JobLine[];
}

/**
 * Messages of the server on the socket of a job; the browser sends none. The socket closes when the
 * job ends.
 */
export type JobMessage =
  | { readonly type: 'job'; readonly job: Row<typeof job> }
  | { readonly type: 'log'; readonly lines: readonly JobLine[] }
  /** Final message: the job is unknown, or the user may no longer see it. */
  | { readonly type: 'closed'; readonly code: string; readonly message: string };
