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
