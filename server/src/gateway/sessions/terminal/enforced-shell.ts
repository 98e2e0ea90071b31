import { type Language, say } from '@sallyport/contract';
import type { Grant } from '../../ports/grant.ts';
import type {
  Connection,
  ShellRequest,
  TargetEvents,
  TargetShell,
} from '../../protocols/connector.ts';
import type { TargetEnd } from '../../protocols/target-end.ts';
import { problemOf, wordProblem } from '../../refusal.ts';
import type { UnaskedVerdict } from '../begin-recorded.ts';
import { createTranscoder, type Transcoder } from './charset.ts';
import { words } from './enforced-words.ts';

/** Our own prompt. The target's prompt is never shown. */
const ENFORCED_PROMPT = 'allowed> ';
const LEAVING = new Set(['exit', 'logout', 'quit']);
const HELP = 'help';
const MAX_TYPED = 4096;
const MAX_HISTORY = 100;
/** Maximum bytes of type-ahead while a command starts. */
const MAX_EARLY = 64 * 1024;
const NEWLINE = 0x0a;
const UP = '\x1b[A';
const DOWN = '\x1b[B';
/** One key: an escape sequence or a character. */
const KEY = new RegExp(`${'\x1b'}(?:\\[[0-9;?]*[@-~]|O[@-~])|[\\s\\S]`, 'gu');

export interface EnforcedShellParts {
  readonly openCommand: NonNullable<Connection['openCommand']>;
  readonly request: ShellRequest;
  readonly events: TargetEvents;
  readonly grant: Grant;
  readonly allowedCommands: string;
  readonly language: Language;
  /** Asks the guard about a line. The verdict has the command to send. */
  readonly decide: (line: string) => Promise<UnaskedVerdict>;
}

/**
 * Our own prompt in place of a shell. Each line is checked and runs as a command in its own
 * terminal. Keys typed while it runs are its input. Keys typed before it starts are further lines.
 */
export class EnforcedShell implements TargetShell {
  private readonly parts: EnforcedShellParts;
  private readonly charset: Transcoder;
  private readonly decoder = new TextDecoder('utf-8');
  private readonly history: string[] = [];
  private place = 0;
  private line = '';
  /** Type-ahead from before a command has started, for example the rest of a paste. */
  private early: Buffer[] = [];
  private earlyBytes = 0;
  private isBusy = false;
  private running: TargetShell | undefined;
  private isPaused = false;
  private isOver = false;
  private endsAfter = false;
  private isLineStart = true;
  private size: { readonly cols: number; readonly rows: number };

  constructor(parts: EnforcedShellParts) {
    this.parts = parts;
    this.size = parts.request;
    this.charset = createTranscoder(parts.grant.asset.charset);
  }

  start(): void {
    this.show(`${say(words.greeting, this.parts.language)}\r\n${ENFORCED_PROMPT}`);
  }

  get waiting(): number {
    return (this.running?.waiting ?? 0) + this.earlyBytes;
  }

  write(chunk: Buffer): void {
    if (this.isOver) return;
    if (this.running) this.running.write(chunk);
    else if (this.earlyBytes + chunk.length <= MAX_EARLY) {
      this.keep(chunk);
      this.proceed();
    }
  }

  resize(cols: number, rows: number): void {
    this.size = { cols, rows };
    this.running?.resize(cols, rows);
  }

  signal(name: string): void {
    this.running?.signal?.(name);
  }

  finishInput(): void {
    this.endsAfter = true;
    if (this.running) this.running.finishInput?.();
    else this.proceed();
  }

  pause(): void {
    this.isPaused = true;
    this.running?.pause();
  }

  resume(): void {
    this.isPaused = false;
    if (this.running) this.running.resume();
    else this.proceed();
  }

  close(): void {
    this.end('closed');
    this.running?.close();
  }

  private end(how: TargetEnd, message?: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.parts.events.onEnd(how, message);
  }

  private leave(): void {
    this.parts.events.onExit?.({ code: 0 });
    this.end('closed');
  }

  /** Handles keys at the prompt up to Enter. Later keys may be input of the command. */
  private edit(chunk: Buffer): void {
    const keys =
      this.decoder.decode(this.charset.fromTarget(chunk), { stream: true }).match(KEY) ?? [];
    for (const [index, key] of keys.entries()) {
      if (this.isOver) return;
      if (key === '\r' || key === '\n') {
        this.keep(this.charset.toTarget(Buffer.from(keys.slice(index + 1).join(''))));
        this.isBusy = true;
        this.show('\r\n');
        void this.enter(this.line.trim());
        return;
      }
      this.press(key);
    }
  }

  private press(key: string): void {
    if (key === '\x04' && this.line === '') this.leave();
    else if (key === '\x03') {
      this.line = '';
      this.show(`^C\r\n${ENFORCED_PROMPT}`);
    } else if (key === '\x15') this.replace('');
    else if (key === '\x7f' || key === '\b') this.replace([...this.line].slice(0, -1).join(''));
    else if (key === UP || key === DOWN) this.recall(key === UP ? -1 : 1);
    else if (!/^[\p{C}]/u.test(key) && this.line.length < MAX_TYPED) {
      this.line += key;
      this.show(key);
    }
  }

  private recall(by: number): void {
    this.place = Math.max(0, Math.min(this.history.length, this.place + by));
    this.replace(this.history[this.place] ?? '');
  }

  private replace(text: string): void {
    this.line = text;
    this.show(`\r\x1b[K${ENFORCED_PROMPT}${text}`);
  }

  private async enter(line: string): Promise<void> {
    this.line = '';
    if (line !== '' && line !== this.history.at(-1)) this.history.push(line);
    if (this.history.length > MAX_HISTORY) this.history.shift();
    this.place = this.history.length;
    if (LEAVING.has(line)) {
      this.leave();
      return;
    }
    try {
      if (line === HELP) this.show(this.help());
      else if (line !== '') await this.run(line);
    } catch (error) {
      const problem = problemOf(error);
      this.show(`${wordProblem(problem, this.parts.language)}\r\n`);
      if (problem.code === 'connect_target_lost') {
        this.end('lost');
        return;
      }
    }
    this.next();
  }

  private help(): string {
    return [
      say(words.help, this.parts.language),
      ...this.parts.allowedCommands.split('\n').map((line) => `  ${line.replace(/\p{C}/gu, '')}`),
      '',
    ].join('\r\n');
  }

  private async run(line: string): Promise<void> {
    const { openCommand, request, events, decide } = this.parts;
    const verdict = await decide(line);
    if (this.isOver) return;
    if (verdict.kind === 'deny') {
      this.show(`${verdict.message}\r\n`);
      return;
    }
    let ended: () => void = () => undefined;
    const over = new Promise<void>((done) => {
      ended = done;
    });
    const running = await openCommand(
      { ...request, ...this.size, environment: {}, command: verdict.command },
      {
        onData: (chunk) => {
          this.isLineStart = chunk.at(-1) === NEWLINE;
          events.onData(chunk);
        },
        onEnd: (how, message) => {
          if (how !== 'closed') this.end(how, message);
          ended();
        },
      },
    );
    this.running = running;
    if (this.isOver) {
      running.close();
      return;
    }
    running.resize(this.size.cols, this.size.rows);
    if (this.isPaused) running.pause();
    if (this.endsAfter) running.finishInput?.();
    await over;
    this.running = undefined;
    if (!this.isLineStart) this.show('\r\n');
  }

  private takeEarly(): Buffer[] {
    const { early } = this;
    this.early = [];
    this.earlyBytes = 0;
    return early;
  }

  private next(): void {
    this.isBusy = false;
    if (this.isOver) return;
    this.show(ENFORCED_PROMPT);
    this.proceed();
  }

  private keep(chunk: Buffer): void {
    this.early.push(chunk);
    this.earlyBytes += chunk.length;
  }

  /** Handles the type-ahead, unless a command runs or our output is paused. */
  private proceed(): void {
    if (this.isBusy || this.isPaused || this.isOver) return;
    this.edit(Buffer.concat(this.takeEarly()));
    if (this.endsAfter && !this.isBusy) this.leave();
  }

  private show(text: string): void {
    if (!this.isOver) this.parts.events.onData(this.charset.toTarget(Buffer.from(text)));
  }
}
