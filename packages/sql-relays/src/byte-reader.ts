import type { Duplex } from 'node:stream';
import { ProtocolViolation } from './body-reader.ts';

const MAX_WAITING = 64 * 1024;

/** The stream ended before all expected bytes arrived. */
export class StreamEnded extends Error {
  override readonly name = 'StreamEnded';
}

/** Reads exact numbers of bytes from a stream. For handshakes, in which the sides take turns. */
export class ByteReader {
  private readonly stream: Duplex;
  private parts: Buffer[] = [];
  private waiting = 0;
  private needed = 0;
  private error: Error | undefined;
  private wake: () => void = () => undefined;

  constructor(stream: Duplex) {
    this.stream = stream;
    stream.on('data', this.onData);
    stream.on('error', this.onGone);
    stream.on('end', this.onGone);
    stream.on('close', this.onGone);
    stream.resume();
  }

  /** Reads `length` bytes. @throws StreamEnded, or the reason of the signal */
  async read(length: number, signal: AbortSignal): Promise<Buffer> {
    const abort = () => this.wake();
    signal.addEventListener('abort', abort);
    try {
      this.needed = length;
      while (this.waiting < length) {
        signal.throwIfAborted();
        if (this.error) throw this.error;
        this.stream.resume();
        await new Promise<void>((done) => {
          this.wake = done;
        });
      }
      signal.throwIfAborted();
      return this.take(length);
    } finally {
      this.needed = 0;
      signal.removeEventListener('abort', abort);
    }
  }

  /** Stops reading: pauses the stream and returns the buffered bytes. */
  detach(): Buffer {
    this.stream.pause();
    this.stream.off('data', this.onData);
    this.stream.off('error', this.onGone);
    this.stream.off('end', this.onGone);
    this.stream.off('close', this.onGone);
    return this.take(this.waiting);
  }

  /**
   * Stops reading before TLS begins. Plain-text bytes must never count as sent within TLS.
   * @throws ProtocolViolation
   */
  detachEmpty(): void {
    if (this.detach().length > 0) throw new ProtocolViolation('bytes came before TLS had begun');
  }

  private take(length: number): Buffer {
    const all =
      this.parts.length === 1 && this.parts[0] ? this.parts[0] : Buffer.concat(this.parts);
    const taken = all.subarray(0, length);
    const rest = all.subarray(length);
    this.parts = rest.length > 0 ? [rest] : [];
    this.waiting = rest.length;
    return taken;
  }

  private readonly onData = (chunk: Buffer): void => {
    this.parts.push(chunk);
    this.waiting += chunk.length;
    if (this.waiting > Math.max(MAX_WAITING, this.needed)) this.stream.pause();
    if (this.waiting >= this.needed) this.wake();
  };

  private readonly onGone = (): void => {
    this.error ??= new StreamEnded('the connection was closed');
    this.wake();
  };
}
