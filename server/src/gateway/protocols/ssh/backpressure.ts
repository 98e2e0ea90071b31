import type { Duplex } from 'node:stream';
import { MAX_TRANSPORT_BACKLOG } from '../../limits.ts';

/** Reports a peer that keeps sending requests and reads no answers, which pile up in memory. */
export function guardBacklog(
  transport: Duplex,
  onExceeded: () => void,
  max = MAX_TRANSPORT_BACKLOG,
): void {
  transport.on('data', () => {
    if (transport.writableLength > max) onExceeded();
  });
}
