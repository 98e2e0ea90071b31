import { Duplex } from 'node:stream';
import { ChannelWriter } from './channel-writer.ts';
import type { ServerChannel } from './ssh2.ts';

/** Bytes that may wait in each direction before the other side has to. */
const MARK = 128 * 1024;

/**
 * A forwarded channel of a client as a stream of bytes, for what is spoken inside it. The library's own stream knows nothing of a transport that is behind;
 * this one makes its writer wait.
 */
export class ChannelStream extends Duplex {
  private readonly channel: ServerChannel;
  private readonly writer: ChannelWriter;
  private written: (() => void) | undefined;

  /** `transport` is what the channel's connection is sent over. */
  constructor(channel: ServerChannel, transport: Duplex) {
    super({ readableHighWaterMark: MARK, writableHighWaterMark: MARK });
    this.channel = channel;
    this.writer = new ChannelWriter(channel, transport);
    this.writer.onDrain = () => this.goOn();
    channel.on('error', () => undefined);
    channel.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) channel.pause();
    });
    channel.once('end', () => this.push(null));
    channel.once('close', () => this.destroy());
  }

  /** Sends on what waited for the transport. */
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
    this.goOn();
    done(error);
  }

  private goOn(): void {
    const { written } = this;
    this.written = undefined;
    written?.();
  }
}
