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

/** The next read of a program: a number of bytes at once, or bytes to pass on as they arrive. */
export type Step = number | { readonly pass: number; readonly to: (bytes: Buffer) => void };

/** A parser as a generator: it yields steps, and receives the bytes of steps that are numbers. */
export type Program = Generator<Step, void, Buffer>;

/** The data is unknown to the protocol, or exceeds a limit. */
export class UnknownData extends Error {}

const NOTHING = Buffer.alloc(0);

/** Runs a program over chunked data. Buffers only the bytes of the current step. */
export class StreamParser {
  private readonly program: Program;
  private step: Step | undefined;
  private kept = NOTHING;

  constructor(program: Program) {
    this.program = program;
    this.advance(NOTHING);
  }

  /** Feeds the next chunk. @throws UnknownData */
  feed(piece: Buffer): void {
    const bytes = this.kept.length > 0 ? Buffer.concat([this.kept, piece]) : piece;
    let at = 0;
    for (;;) {
      const { step } = this;
      if (step === undefined) return;
      if (typeof step === 'number') {
        if (bytes.length - at < step) break;
        at += step;
        this.advance(bytes.subarray(at - step, at));
        continue;
      }
      const length = Math.min(step.pass, bytes.length - at);
      if (length > 0) step.to(bytes.subarray(at, at + length));
      at += length;
      const left = step.pass - length;
      if (left > 0) {
        this.step = { pass: left, to: step.to };
        break;
      }
      this.advance(NOTHING);
    }
    // Copy: the rest is short, and the chunk may be long.
    this.kept = at === bytes.length ? NOTHING : Buffer.from(bytes.subarray(at));
  }

  private advance(bytes: Buffer): void {
    const { done, value } = this.program.next(bytes);
    this.step = done ? undefined : (value as Step);
  }
}
