/** Ends that need no message: the program exited, or the user left. */
export const QUIET_ENDS: ReadonlySet<string> = new Set([
  'connect_target_closed',
  'session_finished',
]);
/** Exit status after a session that we ended; same as that of `ssh` for its own errors. */
export const OUR_EXIT = 255;
