/** Ends of a session that are no news: the program at the target ended, or the person left. */
export const QUIET: ReadonlySet<string> = new Set(['connect_target_closed', 'session_finished']);
/** What the client's program ends with when it was us who ended the session; the status of `ssh` for its own errors. */
export const OUR_EXIT = 255;
