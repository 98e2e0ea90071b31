import type { Duplex } from 'node:stream';

/** Settles when a stream takes bytes again, or is gone. */
export function drained(stream: Duplex): Promise<void> {
  if (stream.destroyed || !stream.writableNeedDrain) return Promise.resolve();
  return new Promise((done) => {
    const settle = () => {
      stream.off('drain', settle);
      stream.off('close', settle);
      done();
    };
    stream.once('drain', settle);
    stream.once('close', settle);
  });
}
