import type { Language, Problem } from '@sallyport/contract';
import type { TargetExit, TerminalSize } from '../../protocols/connector.ts';
import type { ChannelName, Channels } from '../../protocols/kubernetes/channels.ts';
import { type CommandEnd, writeStatus } from '../../protocols/kubernetes/command-status.ts';
import { Refusal, wordProblem } from '../../refusal.ts';
import { noticeLine } from '../../sessions/terminal/notice-line.ts';
import type { TerminalSessionClient } from '../../sessions/terminal/terminal-client.ts';
import type { TerminalSession } from '../../sessions/terminal/terminal-session.ts';
import { endFor, type PodClient } from './pod-client.ts';

/** Unread input above which we stop reading from the user, and the polling interval. */
const MAX_INPUT = 256 * 1024;
const POLL_MS = 10;
const MAX_SIDE = 1000;

/** Returns the size that a client sends; undefined if it is invalid. */
function readSize(bytes: Buffer): TerminalSize | undefined {
  try {
    const { Width: cols, Height: rows } = JSON.parse(bytes.toString('utf8')) as {
      Width?: unknown;
      Height?: unknown;
    };
    const isSize = (value: unknown): value is number =>
      Number.isInteger(value) && Number(value) > 0 && Number(value) <= MAX_SIDE;
    return isSize(cols) && isSize(rows) ? { cols, rows } : undefined;
  } catch {
    return undefined;
  }
}

/** The terminal of a Kubernetes client, as the client of a session. */
export class PodTerminal implements TerminalSessionClient, PodClient {
  session: TerminalSession | undefined;
  private side: Channels | undefined;
  private readonly language: Language;
  private readonly early: Buffer[] = [];
  private unacknowledged = 0;
  private isHeld = false;
  private isWaiting = false;
  private end: CommandEnd;
  private isOver = false;
  private exit: TargetExit | undefined;

  constructor(language: Language) {
    this.language = language;
  }

  readonly waitSeconds = 45;

  stage(): void {}

  opened(): void {}

  askCredentials(): Promise<never> {
    return Promise.reject(new Refusal('connect_no_account'));
  }

  attach(side: Channels): void {
    this.side = side;
    for (const chunk of this.early) this.output(chunk);
    this.early.length = 0;
    if (this.isOver) this.finish();
    else this.regulate();
  }

  onData(channel: ChannelName, bytes: Buffer): void {
    if (channel === 'resize') {
      const size = readSize(bytes);
      if (size) this.session?.resize(size.cols, size.rows);
    } else if (channel === 'stdin') this.take(bytes);
  }

  onFinish(channel: ChannelName): void {
    if (channel === 'stdin') this.session?.inputEnded();
  }

  onDrain(): void {
    this.acknowledge();
  }

  onClose(): void {
    this.session?.end('session_finished');
  }

  output(chunk: Buffer): void {
    if (!this.side) {
      this.early.push(chunk);
      return;
    }
    this.unacknowledged += chunk.length;
    if (this.side.write('stdout', chunk)) this.acknowledge();
  }

  holdInput(on: boolean): void {
    this.isHeld = on;
    this.regulate();
  }

  notice(problem: Problem): void {
    this.side?.write('stdout', noticeLine(wordProblem(problem, this.language)));
  }

  exited(exit: TargetExit): void {
    this.exit = exit;
  }

  closed(problem: Problem): void {
    if (this.isOver) return;
    this.isOver = true;
    this.end = endFor(problem, this.exit, this.language);
    if (this.side) this.finish();
  }

  private finish(): void {
    this.side?.write('error', writeStatus(this.end));
    this.side?.close();
  }

  private take(chunk: Buffer): void {
    const { session } = this;
    if (!session || session.input(chunk)) {
      if (session && session.waitingInput > MAX_INPUT) this.wait();
    } else session.end('internal');
  }

  /** Pauses the user until the target has caught up, which it does not report. */
  private wait(): void {
    if (this.isWaiting) return;
    this.isWaiting = true;
    this.regulate();
    const poll = () => {
      if (!this.isOver && (this.session?.waitingInput ?? 0) > MAX_INPUT / 2) {
        setTimeout(poll, POLL_MS);
        return;
      }
      this.isWaiting = false;
      this.regulate();
    };
    setTimeout(poll, POLL_MS);
  }

  private regulate(): void {
    if (this.isOver) return;
    if (this.isHeld || this.isWaiting) this.side?.pause();
    else this.side?.resume();
  }

  private acknowledge(): void {
    const bytes = this.unacknowledged;
    this.unacknowledged = 0;
    this.session?.acknowledge(bytes);
  }
}
