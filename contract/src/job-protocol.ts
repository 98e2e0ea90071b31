import type { Row } from './kit/resource.ts';
import type { job } from './resources/common/job.ts';

/** Where a job is watched; `?job=` names it. With `&wait=1` the job may begin later, such as one that a request has yet to attach. */
export const JOB_SOCKET_PATH = '/ws/jobs/';

/** One line that a job wrote. */
export interface JobLine {
  readonly line: number;
  /** As dates travel everywhere. */
  readonly date: string;
  readonly text: string;
}

/** GET common/jobs/{id}/log/: the lines that are kept, the oldest first. */
export interface JobLog {
  readonly lines: readonly JobLine[];
}

/** What the server says on the socket of a job. The browser says nothing. The socket ends when the job is over. */
export type JobMessage =
  | { readonly type: 'job'; readonly job: Row<typeof job> }
  | { readonly type: 'log'; readonly lines: readonly JobLine[] }
  /** Nothing more comes: the job is unknown, or the person may not see it any more. */
  | { readonly type: 'closed'; readonly code: string; readonly message: string };
