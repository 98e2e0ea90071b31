import type { Duplex } from 'node:stream';
import { readExactly } from '../../read-exactly.ts';
import { HeaderReader, HeaderWriter, type SpdyHeaders } from './headers.ts';

/** Maximum bytes of one frame. Clients in Go send at most 32 KiB. */
const MOST_FRAME = 1_048_576;
const HEAD_BYTES = 8;
const CONTROL = 0x8003;
const FIN = 1;
const SYN_STREAM = 1;
const SYN_REPLY = 2;
const RST_STREAM = 3;
const PING = 6;
const GOAWAY = 7;
const HEADERS = 8;
/** Status of RST_STREAM: the stream is not wanted. */
const REFUSED_STREAM = 3;
/** Maximum streams that a peer opens: a remote command has five. */
const MOST_STREAMS = 8;
/** Unsent bytes above which pings stay unanswered: the peer does not read. */
const MOST_UNREAD = 65_536;
const ID = 0x7fff_ffff;

export interface SpdyEvents {
  /** The peer opens a stream. Returns false to refuse it. */
  onStream(id: number, headers: SpdyHeaders): boolean;
  /** The peer accepted a stream of ours. */
  onReply(id: number): void;
  onData(id: number, bytes: Buffer): void;
  /** The peer ended its direction of a stream, or all of it. */
  onFinish(id: number): void;
  onDrain(): void;
  onClose(): void;
}

function controlFrame(type: number, flags: number, content: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16BE(CONTROL, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(content.length, 4);
  head.writeUInt8(flags, 4);
  return Buffer.concat([head, content]);
}

const numbers = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
};

/**
 * A SPDY/3.1 connection after its upgrade, as Kubernetes uses it: a few streams, no push, and no
 * windows. Back pressure is that of the connection.
 */
export class SpdyConnection {
  private readonly socket: Duplex;
  private readonly events: SpdyEvents;
  private readonly writer = new HeaderWriter();
  private readonly reader = new HeaderReader();
  private readonly isClient: boolean;
  private nextId: number;
  private streams = 0;
  private paused: PromiseWithResolvers<void> | undefined;

  constructor(socket: Duplex, head: Buffer, isClient: boolean, events: SpdyEvents) {
    this.socket = socket;
    this.events = events;
    this.isClient = isClient;
    this.nextId = isClient ? 1 : 2;
    socket.on('error', () => socket.destroy());
    socket.on('drain', () => events.onDrain());
    socket.once('close', () => {
      this.reader.close();
      this.resume();
      events.onClose();
    });
    if (head.length > 0) socket.unshift(head);
    void this.read();
  }

  /** Bytes that the peer has not received. */
  get unsent(): number {
    return this.socket.writableLength;
  }

  open(headers: SpdyHeaders): number {
    const id = this.nextId;
    this.nextId += 2;
    const content = Buffer.concat([numbers(id, 0), Buffer.alloc(2), this.writer.write(headers)]);
    this.write(controlFrame(SYN_STREAM, 0, content));
    return id;
  }

  send(id: number, bytes: Buffer, isLast = false): void {
    const head = numbers(id, bytes.length);
    if (isLast) head.writeUInt8(FIN, 4);
    this.write(Buffer.concat([head, bytes]));
  }

  /** Ends the connection after the bytes that were sent. */
  end(): void {
    this.write(controlFrame(GOAWAY, 0, numbers(0, 0)));
    this.socket.end();
    this.resume();
  }

  destroy(): void {
    this.socket.destroy();
  }

  pause(): void {
    this.paused ??= Promise.withResolvers<void>();
  }

  resume(): void {
    this.paused?.resolve();
    this.paused = undefined;
  }

  private write(frame: Buffer): void {
    if (this.socket.writable) this.socket.write(frame);
  }

  /** Reads frames until the connection ends. A peer that breaks the protocol is cut off. */
  private async read(): Promise<void> {
    try {
      for (;;) {
        await this.paused?.promise;
        const head = await readExactly(this.socket, HEAD_BYTES);
        if (!head) break;
        const flags = head.readUInt8(4);
        const length = head.readUInt32BE(4) & 0xff_ffff;
        if (length > MOST_FRAME) throw new Error('a frame is too large');
        const content = length === 0 ? Buffer.alloc(0) : await readExactly(this.socket, length);
        if (!content) break;
        const first = head.readUInt32BE(0);
        if (first >>> 31 === 0) this.take(first & ID, content, flags);
        else if (first >>> 16 === CONTROL) await this.control(first & 0xffff, content, flags);
        else throw new Error('another version');
      }
      this.socket.end();
    } catch {
      this.socket.destroy();
    }
  }

  private take(id: number, content: Buffer, flags: number): void {
    if (content.length > 0) this.events.onData(id, content);
    if (flags & FIN) this.events.onFinish(id);
  }

  private async control(type: number, content: Buffer, flags: number): Promise<void> {
    const id = content.length >= 4 ? content.readUInt32BE(0) & ID : 0;
    if (type === SYN_STREAM) {
      this.accept(id, await this.reader.read(content.subarray(10)));
    } else if (type === SYN_REPLY) {
      await this.reader.read(content.subarray(4));
      this.events.onReply(id);
    } else if (type === HEADERS) await this.reader.read(content.subarray(4));
    else if (type === RST_STREAM) this.events.onFinish(id);
    else if (type === PING && (id % 2 === 1) !== this.isClient && this.unsent < MOST_UNREAD)
      this.write(controlFrame(PING, 0, numbers(id)));
    if (flags & FIN && type !== RST_STREAM) this.events.onFinish(id);
  }

  private accept(id: number, headers: SpdyHeaders): void {
    this.streams++;
    if (this.streams > MOST_STREAMS) throw new Error('too many streams');
    if (this.events.onStream(id, headers))
      this.write(controlFrame(SYN_REPLY, 0, Buffer.concat([numbers(id), this.writer.write({})])));
    else this.write(controlFrame(RST_STREAM, 0, numbers(id, REFUSED_STREAM)));
  }
}
