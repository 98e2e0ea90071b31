import type { Duplex } from 'node:stream';

/** Reads the number of bytes of a stream without consuming more. Undefined if it ends before. */
export function readExactly(stream: Duplex, length: number): Promise<Buffer | undefined> {
  return new Promise((done) => {
    const finish = (bytes: Buffer | undefined) => {
      stream.off('readable', read);
      stream.off('end', over);
      stream.off('close', over);
      done(bytes);
    };
    const read = () => {
      const bytes: Buffer | null = stream.read(length);
      if (bytes) finish(bytes.length === length ? bytes : undefined);
    };
    const over = () => finish(undefined);
    stream.on('readable', read);
    stream.on('end', over);
    stream.on('close', over);
    read();
  });
}
