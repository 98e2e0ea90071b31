import {
  type Language,
  type LocalText,
  type ServerMessage,
  say,
  type TextParams,
} from '@sallyport/contract';
import type { RawData, WebSocket } from 'ws';
import type { ChannelWriter } from '../../../../platform/ssh/channel-writer.ts';
import type { ServerChannel } from '../../../../platform/ssh/ssh2.ts';
import type { TerminalSize } from '../../../protocols/connector.ts';
import { readLine } from '../line-reader.ts';
import { words as shared } from '../words.ts';
import { words } from './words.ts';

/** The terminal in which somebody sees a session of another person. */
export interface Following {
  readonly channel: ServerChannel;
  readonly writer: ChannelWriter;
  readonly language: Language;
  /** Of the viewer's terminal, which has it again afterwards. */
  readonly size: () => TerminalSize;
  /** Whether the viewer is a guest, whose keys go to the session; keys of others stay here. */
  readonly isGuest: boolean;
  /** What was typed before, and not looked at yet. */
  readonly typedAhead: string;
}

/** Typed bytes that wait for the session above which the viewer is not read, and the size of the pieces that they are sent in. */
const MUCH_INPUT = 64 * 1024;
const PIECE = 32 * 1024;
const NORMAL = 1000;

/** Asks a terminal for a size (CSI 8 ; height ; width t of xterm). One that may be resized follows; any other shows what it can. */
const sizeRequest = ({ cols, rows }: TerminalSize) => Buffer.from(`\x1b[8;${rows};${cols}t`);

/** The keys that leave: q, Ctrl-C, Ctrl-D of somebody who watches; Ctrl-] of a guest, who may need the others. */
const WATCHER_LEAVES = new Set([...'qQ\x03\x04'].map((key) => key.charCodeAt(0)));
const GUEST_LEAVES = new Set([0x1d]);

/** Shows what a socket of the terminal protocol brings until the viewer leaves, or presses a key after the session has ended. */
export function follow(socket: WebSocket, following: Following): Promise<void> {
  return new Promise((done) => new Follower(socket, following, done).begin());
}

class Follower {
  private readonly socket: WebSocket;
  private readonly following: Following;
  private readonly done: () => void;
  private readonly leaving: ReadonlySet<number>;
  private hasEnded = false;
  private isOver = false;
  private isAsking = false;
  private types: boolean | undefined;

  constructor(socket: WebSocket, following: Following, done: () => void) {
    this.socket = socket;
    this.following = following;
    this.done = done;
    this.leaving = following.isGuest ? GUEST_LEAVES : WATCHER_LEAVES;
  }

  begin(): void {
    const { socket, following } = this;
    const { channel, writer, typedAhead } = following;
    socket.on('error', () => undefined);
    socket.on('message', this.arrived);
    socket.once('close', () => this.end(words.watchLost));
    // A terminal that is slower than the session is sent nothing; the server shows it the screen as it is when it has caught up.
    writer.onDrain = () => socket.resume();
    channel.once('close', this.leave);
    channel.once('end', this.leave);
    this.listen();
    if (typedAhead !== '') this.typed(Buffer.from(typedAhead));
  }

  private listen(): void {
    if (this.isOver) return;
    this.following.channel.on('data', this.typed);
    this.following.channel.resume();
  }

  private readonly arrived = (data: RawData, isBinary: boolean): void => {
    if (this.isOver || this.hasEnded) return;
    const bytes = Buffer.isBuffer(data)
      ? data
      : Array.isArray(data)
        ? Buffer.concat(data)
        : Buffer.from(data);
    if (isBinary) this.show(bytes);
    else this.said(JSON.parse(bytes.toString('utf8')) as ServerMessage);
  };

  private said(message: ServerMessage): void {
    if (message.type === 'resize') this.show(sizeRequest(message));
    else if (message.type === 'closed') this.end({ en: message.message, zh: message.message });
    else if (message.type === 'need_factor') void this.ask(message.again);
    else if (message.type === 'invited') {
      if (this.types !== message.types)
        this.line(message.types ? words.guestTypes : words.guestWatches);
      this.types = message.types;
    }
  }

  private readonly typed = (chunk: Buffer): void => {
    if (this.hasEnded) {
      this.leave(undefined, chunk.subarray(1));
      return;
    }
    const at = chunk.findIndex((byte) => this.leaving.has(byte));
    if (this.following.isGuest) this.send(at < 0 ? chunk : chunk.subarray(0, at));
    if (at >= 0) this.leave(undefined, chunk.subarray(at + 1));
  };

  private send(keys: Buffer): void {
    for (let from = 0; from < keys.length; from += PIECE)
      this.socket.send(keys.subarray(from, from + PIECE), { binary: true }, this.regulate);
    this.regulate();
  }

  private readonly regulate = (): void => {
    if (this.isOver || this.isAsking) return;
    if (this.socket.bufferedAmount > MUCH_INPUT) this.following.channel.pause();
    else this.following.channel.resume();
  };

  /** The permission of the guest asks for a second factor. */
  private async ask(again: boolean): Promise<void> {
    const { channel, language, writer } = this.following;
    this.isAsking = true;
    channel.off('data', this.typed);
    this.line(again ? shared.factorWrong : shared.factorAsked);
    const code = await readLine(
      channel,
      (text) => void writer.write(Buffer.from(text)),
      '[MFA auth]: ',
      false,
    ).catch(() => undefined);
    this.isAsking = false;
    if (code === undefined) {
      this.leave();
      return;
    }
    this.line(words.joining, {}, language);
    this.socket.send(JSON.stringify({ type: 'factor', code }));
    this.listen();
  }

  /** There is nothing more to see. */
  private end(text: LocalText): void {
    if (this.hasEnded || this.isOver) return;
    this.hasEnded = true;
    this.line(text);
    this.line(words.anyKey);
  }

  private readonly leave = (_event?: unknown, rest: Buffer = Buffer.alloc(0)): void => {
    if (this.isOver) return;
    this.isOver = true;
    const { channel, writer, size } = this.following;
    channel.off('data', this.typed);
    channel.off('close', this.leave);
    channel.off('end', this.leave);
    channel.pause();
    if (rest.length > 0) channel.unshift(rest);
    writer.onDrain = () => undefined;
    writer.write(sizeRequest(size()));
    if (this.socket.isPaused) this.socket.resume();
    this.socket.close(NORMAL);
    this.done();
  };

  private show(bytes: Buffer): void {
    if (!this.following.writer.write(bytes)) this.socket.pause();
  }

  private line(text: LocalText, params?: TextParams, language = this.following.language): void {
    this.following.writer.write(Buffer.from(`\r\n${say(text, language, params)}\r\n`));
  }
}
