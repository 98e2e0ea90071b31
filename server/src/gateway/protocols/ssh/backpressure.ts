import type { Duplex } from 'node:stream';
import { MAX_TRANSPORT_BACKLOG } from '../../limits.ts';

/** Reports once that a peer keeps sending and reads no answers, which pile up in memory. */
export function guardBacklog(
  transport: Duplex,
  onExceeded: () => void,
  max = MAX_TRANSPORT_BACKLOG,
): void {
  const check = () => {
    if (transport.writableLength <= max) return;
    transport.off('data', check);
    onExceeded();
  };
  transport.on('data', check);
}
