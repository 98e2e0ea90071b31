/** Where the console listens for changes of what is on screen. With `&age=` it also hears what changed in the last milliseconds, since the page was read. */
export const LIVE_SOCKET_PATH = '/ws/live/';

/** What the server says there; it expects nothing. */
export type LiveMessage =
  /** Objects changed, by resource: their ids, or null for many and for those that cannot be named. Without resources, anything may have changed. */
  | {
      readonly type: 'changed';
      readonly resources: Readonly<Record<string, readonly string[] | null>> | null;
    }
  /** Nothing more comes, and why; with `rights_changed` the client may connect again. */
  | { readonly type: 'closed'; readonly code: LiveEnd };

export type LiveEnd = 'not_authenticated' | 'too_many_requests' | 'rights_changed';
