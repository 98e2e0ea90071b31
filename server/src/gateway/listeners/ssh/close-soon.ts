import type { Duplex } from 'node:stream';

/** Time for a client to read the last message and to close the connection. */
const CLOSE_GRACE_MS = 5000;

/** Closes a connection that has ended, unless the client closes it first. */
export function closeSoon(stream: Duplex): void {
  const late = setTimeout(() => stream.destroy(), CLOSE_GRACE_MS).unref();
  stream.once('close', () => clearTimeout(late));
}
