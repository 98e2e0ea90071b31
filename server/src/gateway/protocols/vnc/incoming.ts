import type { Duplex } from 'node:stream';

/** More than any handshake has. */
const MOST = 64 * 1024;

/** Reads a handshake from a stream, so many bytes at a time; what comes behind it stays in the stream. */
export class Incoming {
  private readonly stream: Duplex;

  constructor(stream: Duplex) {
    this.stream = stream;
    stream.pause();
  }

  /** The next bytes; rejects when the stream ends before. */
  async take(bytes: number): Promise<Buffer> {
    if (bytes === 0) return Buffer.alloc(0);
    if (bytes > MOST) throw new Error('a handshake of that length');
    const { stream } = this;
    return new Promise<Buffer>((done, failed) => {
      const finish = (settle: () => void) => {
        for (const event of ['end', 'close', 'error']) stream.off(event, lost);
        stream.off('readable', read);
        settle();
      };
      const read = () => {
        const given: unknown = stream.read(bytes);
        if (Buffer.isBuffer(given))
          finish(() =>
            given.length === bytes ? done(given) : failed(new Error('the handshake ended')),
          );
      };
      const lost = () => finish(() => failed(new Error('the handshake ended')));
      for (const event of ['end', 'close', 'error']) stream.on(event, lost);
      stream.on('readable', read);
      read();
    });
  }
}
