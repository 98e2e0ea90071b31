import type { Duplex } from 'node:stream';

/** Sends the gathered bytes of a transport. */
const sends = new WeakMap<Duplex, () => void>();

/**
 * Corks the transport for each tick: ssh2 writes a packet in up to three parts, which would be
 * three system calls and segments.
 */
export function gatherWrites(transport: Duplex): void {
  const write: (chunk: unknown) => boolean = transport.write.bind(transport);
  let isGathering = false;
  const send = () => {
    if (!isGathering) return;
    isGathering = false;
    transport.uncork();
  };
  transport.write = (chunk: unknown) => {
    if (!isGathering) {
      isGathering = true;
      transport.cork();
      process.nextTick(send);
    }
    return write(chunk);
  };
  sends.set(transport, send);
}

/** Sends the bytes gathered so far without waiting for the end of the tick. */
export const sendNow = (transport: Duplex): void => sends.get(transport)?.();
