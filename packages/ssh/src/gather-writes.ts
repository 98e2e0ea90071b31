import type { Duplex } from 'node:stream';

/**
 * Corks the transport for each tick: ssh2 writes a packet in three parts, which would be three
 * system calls and segments.
 */
export function gatherWrites(transport: Duplex): void {
  const write: (chunk: unknown) => boolean = transport.write.bind(transport);
  let isGathering = false;
  transport.write = (chunk: unknown) => {
    if (!isGathering) {
      isGathering = true;
      transport.cork();
      process.nextTick(() => {
        isGathering = false;
        transport.uncork();
      });
    }
    return write(chunk);
  };
}
