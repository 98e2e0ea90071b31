import {
  Frames,
  lengthOf,
  Packet,
  PacketReader,
  type Part,
  type Pieces,
  packetOf,
  SFTP_VERSION,
  SftpFormatError,
  Status,
} from '@sallyport/ssh';
import { FILE_ANSWER_MS, MAX_SFTP_NAMES, MAX_SFTP_PACKET } from '../../../limits.ts';
import { TargetFileError } from '../../target-end.ts';
import { refusedStatus } from './refused-status.ts';

/** Versions of extensions that we use (OpenSSH, PROTOCOL; Green End, gesftpserver(8)). */
const EXTENSIONS = {
  'posix-rename@openssh.com': '1',
  'limits@openssh.com': '1',
  'copy-data': '1',
  'statvfs@openssh.com': '2',
  'fsync@openssh.com': '1',
  'expand-path@openssh.com': '1',
  'symlink-order@rjk.greenend.org.uk': 'linkpath-targetpath',
} as const;
/** Maximum time for which a request waits for the next one. */
const HELD_MS = 10;
/** Result of a request that the target answered with end of file. */
export const END: unique symbol = Symbol('end of file');

export interface SftpPipe {
  write(packet: Buffer): void;
  /** The target violated the protocol; close the connection. */
  broken(): void;
  /** The target did not answer a request in time; close the connection. */
  silent(): void;
  close(): void;
}

interface Waiting {
  /** Maximum length of the requested data. */
  readonly most: number;
  done(reply: Reply): void;
  failed(error: Error): void;
}

export interface Reply {
  readonly type: number;
  readonly body: PacketReader;
}

/** The client side of SFTP requests and answers on one channel. */
export class SftpRequests {
  private readonly pipe: SftpPipe;
  private readonly frames = new Frames(MAX_SFTP_PACKET, (packet) => this.take(packet), {
    type: Packet.NAME,
    most: MAX_SFTP_NAMES,
  });
  private readonly waiting = new Map<number, Waiting>();
  protected readonly extensions = new Set<string>();
  private greeted: { done(): void; failed(error: Error): void } | undefined;
  private nextId = 0;
  /** Requests that wait for the next one. */
  private held: (() => void)[] = [];
  private heldTimer: NodeJS.Timeout | undefined;
  private end: Error | undefined;
  /** Runs while requests wait: the time until the target must have answered one of them. */
  private answerTimer: NodeJS.Timeout | undefined;
  /** Waiting requests that may take any time. */
  private unhurried = 0;

  constructor(pipe: SftpPipe) {
    this.pipe = pipe;
  }

  /** Exchanges the protocol version; the target also announces its extensions. */
  protected negotiate(): Promise<void> {
    return new Promise<void>((done, failed) => {
      this.greeted = { done, failed };
      this.pipe.write(packetOf(Packet.INIT, SFTP_VERSION));
    });
  }

  /** Feeds received bytes. */
  push(chunk: Buffer): void {
    if (this.end) return;
    try {
      this.frames.push(chunk);
    } catch (error) {
      if (!(error instanceof SftpFormatError)) throw error;
      this.ended(new TargetFileError('broken'));
      this.pipe.broken();
    }
  }

  /** The channel has closed: rejects all waiting requests. */
  ended(error: Error = new TargetFileError('lost')): void {
    if (this.end) return;
    this.end = error;
    this.held = [];
    clearTimeout(this.heldTimer);
    clearTimeout(this.answerTimer);
    this.greeted?.failed(error);
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { failed } of waiting) failed(error);
  }

  close(): void {
    this.ended();
    this.pipe.close();
  }

  /** Runs a parser; malformed answers close the connection. */
  protected parse<Value>(work: () => Value): Value {
    try {
      return work();
    } catch (error) {
      throw error instanceof SftpFormatError ? this.breach() : error;
    }
  }

  /** Sends a request and expects an answer of one type. @throws TargetFileError */
  protected async ask(expected: number, type: number, ...parts: readonly Part[]): Promise<Reply> {
    const reply = await this.request(0, type, ...parts);
    if (reply === END) throw new TargetFileError('failed');
    if (reply.type !== expected) throw this.breach();
    return reply;
  }

  /** Like `ask`, for work on a whole file, which may take the target any time. */
  protected async askUnhurried(...request: Parameters<typeof this.ask>): Promise<Reply> {
    this.unhurried++;
    try {
      return await this.ask(...request);
    } finally {
      this.unhurried--;
    }
  }

  /** Sends a request before the next one, or after a moment. */
  protected sendWithNext(send: () => void): void {
    this.held.push(send);
    this.heldTimer ??= setTimeout(() => {
      this.heldTimer = undefined;
      this.sendHeld();
    }, HELD_MS).unref();
  }

  private sendHeld(): void {
    const { held } = this;
    if (held.length === 0) return;
    this.held = [];
    for (const send of held) send();
  }

  protected async request(
    most: number,
    type: number,
    ...parts: readonly Part[]
  ): Promise<Reply | typeof END> {
    if (this.end) throw this.end;
    this.sendHeld();
    const id = this.nextId;
    this.nextId = (this.nextId + 1) % 2 ** 32;
    const reply = await new Promise<Reply>((done, failed) => {
      this.waiting.set(id, { most, done, failed });
      this.answerTimer ??= this.startAnswerTimer();
      this.pipe.write(packetOf(type, id, ...parts));
    });
    if (reply.type !== Packet.STATUS) return reply;
    const status = this.parse(() => reply.body.uint32());
    if (status === Status.OK) return reply;
    if (status === Status.EOF) return END;
    throw refusedStatus(status, reply.body);
  }

  private take(packet: Pieces): void {
    const body = new PacketReader(packet);
    const type = body.byte();
    if (this.greeted) {
      if (type !== Packet.VERSION || body.uint32() < SFTP_VERSION)
        throw new SftpFormatError('no version 3');
      while (!body.isAtEnd) {
        const [name, version] = [
          body.string().toString('latin1'),
          body.string().toString('latin1'),
        ];
        if (
          Object.entries(EXTENSIONS).some(
            ([known, expected]) => known === name && expected === version,
          )
        )
          this.extensions.add(name);
      }
      const { greeted } = this;
      this.greeted = undefined;
      greeted.done();
      return;
    }
    const id = body.uint32();
    const waiting = this.waiting.get(id);
    if (!waiting) throw new SftpFormatError('an answer without a request');
    // Reject early: data must not exceed the requested length, with room for the header.
    if (type === Packet.DATA && lengthOf(packet) > waiting.most + 64)
      throw new SftpFormatError('more data than requested');
    this.waiting.delete(id);
    if (this.waiting.size > 0) this.answerTimer?.refresh();
    else {
      clearTimeout(this.answerTimer);
      this.answerTimer = undefined;
    }
    waiting.done({ type, body });
  }

  /** A target that answers nothing would hold its users and their memory without end. */
  private startAnswerTimer(): NodeJS.Timeout {
    return setTimeout(() => {
      if (this.unhurried > 0) this.answerTimer = this.startAnswerTimer();
      else {
        this.ended();
        this.pipe.silent();
      }
    }, FILE_ANSWER_MS).unref();
  }

  /** The answer does not match the request: close the connection. */
  protected breach(): Error {
    const error = new TargetFileError('broken');
    this.ended(error);
    this.pipe.broken();
    return error;
  }
}
