import type { Duplex } from 'node:stream';

/** Bytes; above any field of a handshake. */
const MAX_FIELD = 64 * 1024;

/**
 * Reads a handshake from a stream in exact lengths. Bytes after the handshake stay in the stream.
 */
export class Incoming {
  private readonly stream: Duplex;

  constructor(stream: Duplex) {
    this.stream = stream;
    stream.pause();
  }

  /** Reads `bytes` bytes; rejects if the stream ends before. */
  async take(bytes: number): Promise<Buffer> {
    if (bytes === 0) return Buffer.alloc(0);
    if (bytes > MAX_FIELD) throw new Error('a handshake of that length');
    const { stream } = this;
    return new Promise<Buffer>((done, failed) => {
      const finish = (settle: () => void) => {
        for (const event of ['end', 'close', 'error']) stream.off(event, lost);
        stream.off('readable', read);
        settle();
      };
      const read = () => {
        const chunk: unknown = stream.read(bytes);
        if (Buffer.isBuffer(chunk))
          finish(() =>
            chunk.length === bytes ? done(chunk) : failed(new Error('the handshake ended')),
          );
      };
      const lost = () => finish(() => failed(new Error('the handshake ended')));
      for (const event of ['end', 'close', 'error']) stream.on(event, lost);
      stream.on('readable', read);
      read();
    });
  }
}
