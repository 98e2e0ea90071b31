/** How the server ended the last time, when it was started again after a crash. */
export interface PreviousEnd {
  readonly date: string;
  readonly reason: string;
  /** How often it was started again since the command was given. */
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

/** Listens to the process that started us (scripts/supervise.mjs), if it is one that starts us again. */
export function listenToSupervisor(onGone: () => void): void {
  if (!process.send) return;
  process.on('message', (message) => {
    if (isPreviousEnd(message))
      previous = { date: message.date, reason: message.reason, restarts: message.restarts };
  });
  process.on('disconnect', onGone);
}

/** Why the server was started again; undefined when it runs since the command was given, or without a supervisor. */
export function previousEnd(): PreviousEnd | undefined {
  return previous;
}

/** Reports that the server is ready: from now on it is restarted after any failure. */
export function reportReady(): void {
  process.send?.({ kind: 'ready' });
}

/** Reports why the server is about to end with an error. */
export function reportEnd(reason: string): void {
  if (process.connected) process.send?.({ kind: 'ending', reason });
}
