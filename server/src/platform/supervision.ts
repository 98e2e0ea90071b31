/** The previous end of the server, when it was restarted after a crash. */
export interface PreviousEnd {
  readonly date: string;
  readonly reason: string;
  /** Number of restarts since the command was started. */
  readonly restarts: number;
}

let previous: PreviousEnd | undefined;

function isPreviousEnd(message: unknown): message is PreviousEnd & { readonly kind: 'previous' } {
  return (
    typeof message === 'object' &&
    message !== null &&
    'kind' in message &&
    message.kind === 'previous'
  );
}

/**
 * Listens to the parent process if it supervises us (scripts/supervise.mjs). Calls `onGone` when it
 * ends.
 */
export function listenToSupervisor(onGone: () => void): void {
  if (!process.send) return;
  process.on('message', (message) => {
    if (isPreviousEnd(message))
      previous = { date: message.date, reason: message.reason, restarts: message.restarts };
  });
  process.on('disconnect', onGone);
}

/** Returns the reason of the last restart; undefined without one or without a supervisor. */
export function previousEnd(): PreviousEnd | undefined {
  return previous;
}

/** Reports that the server is ready: from now on the supervisor restarts it after any failure. */
export function reportReady(): void {
  process.send?.({ kind: 'ready' });
}

/** Reports the error with which the server is about to end. */
export function reportEnd(reason: string): void {
  if (process.connected) process.send?.({ kind: 'ending', reason });
}
