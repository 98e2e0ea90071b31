/**
 * Node allocates small buffers from shared blocks of 64 KiB, and one live buffer keeps its block in
 * memory. An idle SSH connection keeps a dozen such buffers, allocated among the thousand
 * short-lived ones of its handshake. With large blocks that held most of a block per session.
 */
const POOL_BYTES = 4 * 1024;

/** Makes small long-lived buffers retain less memory. Call it first. */
export function useSmallPools(): void {
  Buffer.poolSize = POOL_BYTES;
}
