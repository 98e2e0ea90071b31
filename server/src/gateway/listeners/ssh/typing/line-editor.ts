import type { ServerChannel } from '@sallyport/ssh';
import { DrawnLine } from './line-layout.ts';

const MAX_LINE = 4096;
const MAX_HISTORY = 100;
/** Maximum type-ahead while a statement runs. */
const MAX_TYPED_AHEAD = 64 * 1024;
/** Key sequences of terminals by function. */
const KEYS: Readonly<Record<string, 'up' | 'down' | 'left' | 'right' | 'home' | 'end' | 'delete'>> =
  {
    '\x1b[A': 'up',
    '\x1b[B': 'down',
    '\x1b[C': 'right',
    '\x1b[D': 'left',
    '\x1bOA': 'up',
    '\x1bOB': 'down',
    '\x1bOC': 'right',
    '\x1bOD': 'left',
    '\x1b[H': 'home',
    '\x1b[F': 'end',
    '\x1b[1~': 'home',
    '\x1b[4~': 'end',
    '\x1b[3~': 'delete',
  };
// biome-ignore lint/suspicious/noControlCharactersInRegex: key sequences begin with an escape
const SEQUENCE = /^\x1b(?:\[[0-9;]*[@-~]|O[A-Z])/;

export interface LineEditorParts {
  readonly channel: ServerChannel;
  readonly show: (text: string) => void;
  /** Columns of the terminal. */
  readonly columns: () => number;
  /** Returns complete lines for a text, for the Tab key. */
  readonly complete: (text: string) => Promise<readonly string[]>;
  /** Ends reading, as if the user had left. */
  readonly signal?: AbortSignal;
}

/**
 * A line editor for a client's terminal, with cursor keys, history, completion and wide characters.
 */
export class LineEditor {
  private readonly channel: ServerChannel;
  private readonly show: (text: string) => void;
  private readonly complete: LineEditorParts['complete'];
  private readonly history: string[] = [];
  private readonly decoder = new TextDecoder('utf-8');
  /** Unread keys; they belong to the next line or to a session that opens. */
  private pending = '';
  private readonly signal: AbortSignal | undefined;
  private readonly drawn: DrawnLine;

  constructor({ channel, show, columns, complete, signal }: LineEditorParts) {
    this.channel = channel;
    this.show = show;
    this.complete = complete;
    this.signal = signal;
    this.drawn = new DrawnLine(show, columns);
  }

  /**
   * Reads a line; undefined when the user leaves. Ctrl-C clears it and calls `onBreak`, which may
   * change the prompt.
   */
  async read(
    prompt: string | (() => string),
    keepsHistory = true,
    onBreak: () => void = () => undefined,
  ): Promise<string | undefined> {
    const promptNow = typeof prompt === 'string' ? () => prompt : prompt;
    let line: string[] = [];
    let at = 0;
    let place = this.history.length;
    const draw = () =>
      this.drawn.draw(promptNow() + line.slice(0, at).join(''), line.slice(at).join(''));
    const set = (text: string) => {
      line = [...text];
      at = line.length;
    };
    draw();
    for (;;) {
      const key = await this.key();
      if (key === undefined) return undefined;
      if (key === '\r' || key === '\n') {
        const text = line.join('');
        if (keepsHistory && text.trim() !== '' && text !== this.history.at(-1))
          this.history.push(text);
        if (this.history.length > MAX_HISTORY) this.history.shift();
        at = line.length;
        draw();
        this.drawn.leave();
        this.show('\r\n');
        return text;
      }
      const name = KEYS[key];
      if (key === '\x04' && line.length === 0) return undefined;
      if (key === '\x03') {
        set('');
        onBreak();
      } else if (name === 'up' && place > 0) set(this.history[--place] ?? '');
      else if (name === 'down' && place < this.history.length) set(this.history[++place] ?? '');
      else if (name === 'left') at = Math.max(0, at - 1);
      else if (name === 'right') at = Math.min(line.length, at + 1);
      else if (name === 'home' || key === '\x01') at = 0;
      else if (name === 'end' || key === '\x05') at = line.length;
      else if (name === 'delete' || key === '\x04') line.splice(at, 1);
      else if ((key === '\x7f' || key === '\b') && at > 0) line.splice(--at, 1);
      else if (key === '\x15') {
        line.splice(0, at);
        at = 0;
      } else if (key === '\x0b') line.splice(at);
      else if (key === '\x0c') {
        this.drawn.leave();
        this.show('\x1b[2J\x1b[H');
      } else if (key === '\t' && this.pending === '') await this.finish(line.join(''), set);
      // A tab with more keys after it is part of a paste.
      else if (key === '\t') line.splice(at++, 0, ' ');
      else if (key >= ' ' && !key.startsWith('\x1b') && line.length < MAX_LINE)
        line.splice(at++, 0, key);
      // Draw a paste once, when it is complete.
      if (this.pending === '') draw();
    }
  }

  /** True if type-ahead is waiting. */
  get hasTyped(): boolean {
    return this.pending !== '';
  }

  /** Keeps type-ahead while no line is read, and reports Ctrl-C. Returns a function to stop. */
  listenForBreak(onBreak: () => void): () => void {
    const { channel } = this;
    const take = (chunk: Buffer) => {
      const typed = this.decoder.decode(chunk, { stream: true });
      const at = typed.lastIndexOf('\x03');
      // Ctrl-C discards the keys before it.
      this.pending = at < 0 ? this.pending + typed : typed.slice(at + 1);
      if (at >= 0) onBreak();
      if (this.pending.length > MAX_TYPED_AHEAD) channel.pause();
    };
    channel.on('data', take);
    channel.resume();
    return () => {
      channel.off('data', take);
      channel.pause();
    };
  }

  /** Returns type-ahead for the session that opens. */
  takeTyped(): string {
    const typed = this.pending;
    this.pending = '';
    return typed;
  }

  /** Reads one key; undefined after the client has disconnected. */
  async key(): Promise<string | undefined> {
    while (this.pending === '' || (this.pending === '\x1b' && this.channel.readableLength > 0)) {
      const chunk = await this.next();
      if (!chunk) return undefined;
      this.pending += this.decoder.decode(chunk, { stream: true });
    }
    const [sequence] = SEQUENCE.exec(this.pending) ?? [];
    const [character = ''] = this.pending;
    const key = sequence ?? character;
    this.pending = this.pending.slice(key.length);
    return key;
  }

  /** Completes a name: fully for a single match, else to the common prefix. */
  private async finish(text: string, set: (text: string) => void): Promise<void> {
    const names = text === '' ? [] : await this.complete(text);
    const [first, ...others] = names;
    if (first === undefined) return;
    let shared = first;
    for (const other of others) while (!other.startsWith(shared)) shared = shared.slice(0, -1);
    // List only the last word of each match.
    const begin = text.lastIndexOf(' ') + 1;
    if (others.length > 0) {
      this.drawn.leave();
      this.show(`\r\n${names.map((name) => name.slice(begin)).join('  ')}\r\n`);
    }
    if (shared.length > text.length) set(shared);
  }

  private next(): Promise<Buffer | undefined> {
    return new Promise((done) => {
      const finish = (chunk: Buffer | undefined) => {
        this.channel.pause();
        this.channel.off('data', take);
        this.channel.off('end', leave);
        this.channel.off('close', leave);
        this.signal?.removeEventListener('abort', leave);
        done(chunk);
      };
      const take = (chunk: Buffer) => finish(chunk);
      const leave = () => finish(undefined);
      this.channel.on('data', take);
      this.channel.once('end', leave);
      this.channel.once('close', leave);
      this.signal?.addEventListener('abort', leave);
      this.channel.resume();
      if (this.signal?.aborted) leave();
    });
  }
}
