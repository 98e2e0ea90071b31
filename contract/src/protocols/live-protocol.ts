import type { Row } from '../kit/resource.ts';
import type { job } from '../resources/common/job.ts';

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

/**
 * Socket for changes of displayed data. With `&age=`, it also sends changes of the last
 * milliseconds, since the page was loaded.
 */
export const LIVE_SOCKET_PATH = '/ws/live/';

/** Messages of the server; the client sends none. */
export type LiveMessage =
  /**
   * Changed objects by resource: their ids, or null for many or unknown ones. Without resources,
   * anything may have changed.
   */
  | {
      readonly type: 'changed';
      readonly resources: Readonly<Record<string, readonly string[] | null>> | null;
    }
  /** Final message with its reason; after `rights_changed` the client may reconnect. */
  | { readonly type: 'closed'; readonly code: LiveEnd };

export type LiveEnd = 'not_authenticated' | 'too_many_requests' | 'rights_changed';
