import type { Duplex } from 'node:stream';
import { GrowingBuffer } from './growing-buffer.ts';

/**
 * The peer violated the protocol or a size limit. The message is for logs and never contains
 * received data.
 */
export class ProtocolViolation extends Error {
  override readonly name: string = 'ProtocolViolation';
}

/**
 * Reads the fields of one message of a database protocol; every read checks the bounds.
 * @throws ProtocolViolation
 */
export class BodyReader {
  private at = 0;
  private readonly body: Buffer;

  constructor(body: Buffer) {
    this.body = body;
  }

  get left(): number {
    return this.body.length - this.at;
  }

  bytes(length: number): Buffer {
    if (length < 0 || length > this.left)
      throw new ProtocolViolation('a message is shorter than it says');
    this.at += length;
    return this.body.subarray(this.at - length, this.at);
  }

  rest(): Buffer {
    return this.bytes(this.left);
  }

  uint8(): number {
    return this.bytes(1).readUInt8();
  }

  int16(): number {
    return this.bytes(2).readInt16BE();
  }

  uint16(): number {
    return this.bytes(2).readUInt16BE();
  }

  int32(): number {
    return this.bytes(4).readInt32BE();
  }

  /** Little-endian integer of `bytes` bytes, as in MySQL. */
  uintLE(bytes: 1 | 2 | 3 | 4): number {
    return this.bytes(bytes).readUIntLE(0, bytes);
  }

  /** Reads up to the next zero byte, and consumes it. */
  zeroEnded(): Buffer {
    const end = this.body.indexOf(0, this.at);
    if (end < 0) throw new ProtocolViolation('a text has no end');
    const bytes = this.bytes(end - this.at);
    this.at++;
    return bytes;
  }

  text(): string {
    return this.zeroEnded().toString('utf8');
  }
}

/** The server asks for a kind of sign-in that we do not support. */
export class UnknownSignIn extends ProtocolViolation {
  constructor() {
    super('the server asks for an unknown kind of sign-in');
  }
}

/** The server asks for the password in plain text without TLS. It did not get it. */
export class PlainPassword extends ProtocolViolation {
  constructor() {
    super('the server asks for the password in plain text, which is sent over TLS only');
  }
}

const MAX_WAITING = 64 * 1024;

/** The stream ended before all expected bytes arrived. */
export class StreamEnded extends Error {
  override readonly name = 'StreamEnded';
}

/** Reads exact numbers of bytes from a stream. For handshakes, in which the sides take turns. */
export class ByteReader {
  private readonly stream: Duplex;
  private readonly buffered = new GrowingBuffer();
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

  /** Reads `length` bytes. @throws StreamEnded, an alert of TLS, or the reason of the signal */
  async read(length: number, signal: AbortSignal): Promise<Buffer> {
    const abort = () => this.wake();
    signal.addEventListener('abort', abort);
    try {
      this.needed = length;
      while (this.buffered.length < length) {
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
    return this.buffered.take();
  }

  /**
   * Stops reading before TLS begins. Plain-text bytes must never count as sent within TLS.
   * @throws ProtocolViolation
   */
  detachEmpty(): void {
    if (this.detach().length > 0) throw new ProtocolViolation('bytes came before TLS had begun');
  }

  private take(length: number): Buffer {
    const all = this.buffered.take();
    if (length < all.length) this.buffered.push(all.subarray(length));
    return all.subarray(0, length);
  }

  private readonly onData = (chunk: Buffer): void => {
    this.buffered.push(chunk);
    if (this.buffered.length > Math.max(MAX_WAITING, this.needed)) this.stream.pause();
    if (this.buffered.length >= this.needed) this.wake();
  };

  private readonly onGone = (error?: Error): void => {
    // The alert of a TLS server says why the connection ends.
    const isAlert = error && 'code' in error && String(error.code).includes('_ALERT_');
    this.error ??= isAlert ? error : new StreamEnded('the connection was closed');
    this.wake();
  };
}
