import { Duplex } from 'node:stream';
import { awaitWindow, outgoingOf, protocolOfChannel, type Side } from './channel-internals.ts';
import { sendNow } from './gather-writes.ts';
import { isExchangingKeys, type Protocol } from './internals.ts';
import { type ProgramExit, sendExit } from './program-ends.ts';
import type { ServerChannel } from './ssh2.ts';

/** Bytes that may wait in each direction before back pressure. */
const MARK = 128 * 1024;

/**
 * A client's forwarded channel as a byte stream. In contrast to the library's stream, it delays its
 * writer while the transport is full.
 */
export class ChannelStream extends Duplex {
  private readonly channel: ServerChannel;
  private readonly writer: ChannelWriter;
  private written: (() => void) | undefined;

  /** `transport` carries the channel's connection. */
  constructor(channel: ServerChannel, transport: Duplex) {
    super({ readableHighWaterMark: MARK, writableHighWaterMark: MARK });
    this.channel = channel;
    this.writer = new ChannelWriter(channel, transport);
    this.writer.onDrain = () => this.continueWriting();
    channel.on('error', () => undefined);
    channel.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) channel.pause();
    });
    channel.once('end', () => this.push(null));
    channel.once('close', () => this.destroy());
  }

  /** Continues sending when the transport has room. */
  pump(): void {
    this.writer.pump();
  }

  override _read(): void {
    this.channel.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.writer.write(chunk)) done();
    else this.written = done;
  }

  override _writev(chunks: { readonly chunk: Buffer }[], done: () => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'utf8', done);
  }

  override _final(done: () => void): void {
    this.writer.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.writer.end();
    this.channel.close();
    this.continueWriting();
    done(error);
  }

  private continueWriting(): void {
    const { written } = this;
    this.written = undefined;
    written?.();
  }
}

/**
 * Maximum bytes that wait in the transport: a client that does not read must not fill our memory.
 */
const MAX_BACKLOG = 1024 * 1024;
const MAX_PACKET = 32 * 1024;

const STDERR = 1;

/**
 * Sends both outputs of a program to a client in order. The library's streams mix them up when the
 * client's window is full, and ignore a full transport and key exchanges. Here data waits, and
 * `write` returns false.
 */
export class ChannelWriter {
  /** Called when `write` may be used again after it returned false. */
  onDrain: () => void = () => undefined;
  private readonly channel: ServerChannel;
  private readonly transport: Duplex;
  private readonly protocol: Protocol;
  private readonly outgoing: Side;
  private queue: { readonly data: Buffer; readonly isError: boolean }[] = [];
  private queued = 0;
  private isFull = false;
  private isEnding = false;
  private exit: ProgramExit | undefined;
  private isDone = false;

  constructor(channel: ServerChannel, transport: Duplex) {
    this.channel = channel;
    this.transport = transport;
    this.protocol = protocolOfChannel(channel);
    this.outgoing = outgoingOf(channel);
  }

  /** Bytes that wait for the client. */
  get waiting(): number {
    return this.queued;
  }

  /** Queues output; returns false if the sender must wait for `onDrain`. */
  write(data: Buffer, isError = false): boolean {
    if (this.isEnding || this.isDone) return true;
    if (data.length > 0) {
      this.queue.push({ data, isError });
      this.queued += data.length;
      this.pump();
    }
    this.isFull = this.queued > 0;
    return !this.isFull;
  }

  /** Sends what the transport holds without waiting for the end of the tick. */
  sendNow(): void {
    sendNow(this.transport);
  }

  /** Sends queued output and the exit, if there is one, and closes the channel. */
  end(exit?: ProgramExit): void {
    if (this.isEnding) return;
    this.isEnding = true;
    this.exit = exit;
    this.pump();
  }

  /** Sends queued output. Call when the transport is empty or a key exchange has ended. */
  pump(): void {
    if (this.isDone) return;
    if (this.outgoing.state === 'closed' || this.outgoing.state === 'closing') {
      this.drop();
      return;
    }
    for (let first = this.queue[0]; first; first = this.queue[0]) {
      if (this.isBlocked()) return;
      const size = Math.min(
        first.data.length,
        this.outgoing.window,
        this.outgoing.packetSize,
        MAX_PACKET,
      );
      if (size <= 0) {
        awaitWindow(this.channel, () => this.pump());
        return;
      }
      const piece = first.data.subarray(0, size);
      this.outgoing.window -= size;
      this.queued -= size;
      if (size === first.data.length) this.queue.shift();
      else this.queue[0] = { data: first.data.subarray(size), isError: first.isError };
      if (first.isError) this.protocol.channelExtData(this.outgoing.id, piece, STDERR);
      else this.protocol.channelData(this.outgoing.id, piece);
    }
    this.afterEmpty();
  }

  private afterEmpty(): void {
    if (this.isEnding) {
      this.isDone = true;
      this.sayExit();
      this.channel.end();
    }
    if (this.isFull) {
      this.isFull = false;
      this.onDrain();
    }
  }

  private sayExit(): void {
    if (!this.exit || (this.outgoing.state !== 'open' && this.outgoing.state !== 'eof')) return;
    sendExit(this.protocol, this.outgoing.id, this.exit);
  }

  private isBlocked(): boolean {
    return isExchangingKeys(this.protocol) || this.transport.writableLength > MAX_BACKLOG;
  }

  private drop(): void {
    this.isDone = true;
    this.queue = [];
    this.queued = 0;
    this.channel.end();
  }
}
