import {
  type Language,
  type LocalText,
  OutputFilter,
  RESTORE_TERMINAL,
  type ServerMessage,
  say,
  type TextParams,
} from '@sallyport/contract';
import type { ChannelWriter, ServerChannel } from '@sallyport/ssh';
import type { RawData, WebSocket } from 'ws';
import type { TerminalSize } from '../../../protocols/connector.ts';
import { readLine } from '../questions.ts';
import { words as shared } from '../words.ts';
import { words } from './words.ts';

export interface Following {
  readonly channel: ServerChannel;
  readonly writer: ChannelWriter;
  readonly language: Language;
  /** Size of the viewer's terminal, which is restored afterwards. */
  readonly size: () => TerminalSize;
  /** True for a guest, whose keys go to the session. */
  readonly isGuest: boolean;
  /** Unread type-ahead. */
  readonly typedAhead: string;
}

/** Unsent input above which we stop reading from the viewer, and size of the messages. */
const MAX_INPUT = 64 * 1024;
const PIECE = 32 * 1024;
const NORMAL = 1000;

/**
 * Requests a terminal size (xterm's CSI 8 ; height ; width t). Terminals that cannot resize show
 * what fits.
 */
const sizeRequest = ({ cols, rows }: TerminalSize) => Buffer.from(`\x1b[8;${rows};${cols}t`);

/** Keys that leave: q, Ctrl-C or Ctrl-D for a watcher, Ctrl-] for a guest, who needs the others. */
const WATCHER_LEAVES = new Set([...'qQ\x03\x04'].map((key) => key.charCodeAt(0)));
const GUEST_LEAVES = new Set([0x1d]);

/**
 * Shows a session from a socket of the terminal protocol until the viewer leaves. After the session
 * has ended, any key leaves.
 */
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
  /** Output may end inside of a character. */
  private readonly decoder = new TextDecoder();
  private readonly filter: OutputFilter;

  constructor(socket: WebSocket, following: Following, done: () => void) {
    this.socket = socket;
    this.following = following;
    this.done = done;
    // The target must not command the terminal of a viewer; keys of a guest need its modes.
    this.filter = new OutputFilter(following.isGuest);
    this.leaving = following.isGuest ? GUEST_LEAVES : WATCHER_LEAVES;
  }

  begin(): void {
    const { socket, following } = this;
    const { channel, writer, typedAhead } = following;
    socket.on('error', () => undefined);
    socket.on('message', this.arrived);
    socket.once('close', () => this.end(words.watchLost));
    // A slow terminal pauses the socket. The server sends the current screen once it has caught up.
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
    if (isBinary) this.showOutput(bytes);
    else this.handle(JSON.parse(bytes.toString('utf8')) as ServerMessage);
  };

  private handle(message: ServerMessage): void {
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
    if (this.socket.bufferedAmount > MAX_INPUT) this.following.channel.pause();
    else this.following.channel.resume();
  };

  /** Asks the guest for the second factor that the permission requires. */
  private async ask(again: boolean): Promise<void> {
    const { channel, language, writer } = this.following;
    this.isAsking = true;
    channel.off('data', this.typed);
    this.line(again ? shared.factorWrong : shared.factorAsked);
    const code = await readLine(channel, {
      prompt: '[MFA auth]: ',
      show: (text) => void writer.write(Buffer.from(text)),
    }).catch(() => undefined);
    this.isAsking = false;
    if (code === undefined) {
      this.leave();
      return;
    }
    this.line(words.joining, {}, language);
    this.socket.send(JSON.stringify({ type: 'factor', code }));
    this.listen();
  }

  /** Shows the end of the session and waits for a key. */
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
    writer.write(Buffer.from(RESTORE_TERMINAL));
    writer.write(sizeRequest(size()));
    if (this.socket.isPaused) this.socket.resume();
    this.socket.close(NORMAL);
    this.done();
  };

  private showOutput(bytes: Buffer): void {
    const text = this.filter.filter(this.decoder.decode(bytes, { stream: true }));
    if (text !== '') this.show(Buffer.from(text));
  }

  private show(bytes: Buffer): void {
    if (!this.following.writer.write(bytes)) this.socket.pause();
  }

  private line(text: LocalText, params?: TextParams, language = this.following.language): void {
    this.following.writer.write(Buffer.from(`\r\n${say(text, language, params)}\r\n`));
  }
}
