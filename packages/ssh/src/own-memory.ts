/**
 * Runs `create`, whose small buffers get separate memory. Node otherwise cuts them from blocks of
 * 64 KiB, and one buffer that a connection keeps holds the block of its whole handshake.
 */
export function withOwnMemory<Result>(create: () => Result): Result {
  const { poolSize } = Buffer;
  Buffer.poolSize = 0;
  try {
    return create();
  } finally {
    Buffer.poolSize = poolSize;
  }
}
