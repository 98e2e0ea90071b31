import type { Duplex } from 'node:stream';

/** The SSH library writes each packet in three parts; what it writes in one go leaves in one, which saves system calls and tiny segments. */
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
