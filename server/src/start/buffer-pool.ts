/**
 * Node cuts small buffers out of blocks of 64 KiB, and a block stays in memory as long as one of its buffers does. An SSH connection that is idle keeps a
 * dozen of them for good (keys, names, a tag) among the thousand that its opening needs for a moment, which held most of a block for each session.
 */
const POOL_BYTES = 4 * 1024;

/** Lets small buffers that stay keep little around them in memory. To be called before anything else. */
export function useSmallPools(): void {
  Buffer.poolSize = POOL_BYTES;
}
