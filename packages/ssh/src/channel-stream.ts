import { Duplex } from 'node:stream';
import { ChannelWriter } from './channel-writer.ts';
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
