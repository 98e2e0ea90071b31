import {
  type ApprovalProgress,
  type ConnectStage,
  type Language,
  type LocalText,
  type Problem,
  type SessionGuest,
  say,
} from '@sallyport/contract';
import type { ChannelWriter, ServerChannel } from '@sallyport/ssh';
import type { TargetExit, TerminalSize } from '../../protocols/connector.ts';
import { wordProblem } from '../../refusal.ts';
import { noticeLine, withoutControls } from '../../sessions/terminal/notice-line.ts';
import type { TerminalSessionClient } from '../../sessions/terminal/terminal-client.ts';
import type { TerminalSession } from '../../sessions/terminal/terminal-session.ts';
import { TerminalQuestions } from './questions.ts';
import { OUR_EXIT, QUIET_ENDS } from './text-error.ts';
import { words } from './words.ts';

/** Unread input above which we stop reading from the user, and the polling interval. */
const MAX_INPUT = 256 * 1024;
const POLL_MS = 10;
/** Output up to this size does not wait for more. */
const MAX_ECHO = 512;
/** Texts kept while files pass. */
const MAX_LATER = 20;

export interface SshTerminalParts {
  readonly channel: ServerChannel;
  readonly writer: ChannelWriter;
  readonly size: TerminalSize;
  readonly language: Language;
  /**
   * Returns the channel. By default the channel closes with the exit of the program, without one if
   * the target sent none.
   */
  readonly onClosed?: ((exit: TargetExit | undefined, problem: Problem) => void) | undefined;
}

/** The terminal of an SSH client, as the client of a session. */
export class SshTerminal implements TerminalSessionClient {
  /** Set when the session begins, because output may arrive before it is open. */
  session: TerminalSession | undefined;
  private readonly channel: ServerChannel;
  private readonly writer: ChannelWriter;
  private readonly language: Language;
  private readonly questions: TerminalQuestions;
  private readonly onClosed: (exit: TargetExit | undefined, problem: Problem) => void;
  private unacknowledged = 0;
  private isHeld = false;
  private isWaiting = false;
  private isOver = false;
  private exit: TargetExit | undefined;
  private size: TerminalSize;
  private present: readonly SessionGuest[] = [];
  /** Texts that wait while files pass; undefined while none pass. */
  private later: string[] | undefined;

  constructor({ channel, writer, size, language, onClosed }: SshTerminalParts) {
    this.channel = channel;
    this.writer = writer;
    this.language = language;
    this.questions = new TerminalQuestions(channel, writer, language);
    this.size = size;
    this.onClosed = onClosed ?? ((exit) => writer.end(exit));
    writer.onDrain = () => this.acknowledge();
  }

  stage(stage: ConnectStage, _host?: string, progress?: ApprovalProgress): void {
    if (stage === 'approval') this.questions.waits(progress);
    else this.questions.decided();
  }

  askReason(): Promise<{ reason: string; withdrawn: AbortSignal }> {
    return this.questions.reason();
  }

  askCredentials(
    username: string,
    reason: 'manual' | 'rejected',
  ): Promise<{ username: string; password: string }> {
    return this.questions.credentials(username, reason);
  }

  askFactor(again: boolean): Promise<string> {
    return this.questions.factor(again);
  }

  opened(): void {
    if (this.isOver) return;
    this.channel.on('data', this.take);
    this.channel.once('end', this.inputEnded);
    if (!this.isHeld) this.channel.resume();
    this.session?.resize(this.size.cols, this.size.rows);
  }

  output(chunk: Buffer): void {
    this.unacknowledged += chunk.length;
    const isWritten = this.writer.write(chunk);
    // The session records the echo of a key while the client reads it.
    if (chunk.length <= MAX_ECHO) this.writer.sendNow();
    if (isWritten) this.acknowledge();
  }

  holdInput(on: boolean): void {
    this.isHeld = on;
    this.regulate();
  }

  passesFiles(isPassing: boolean): void {
    const { later = [] } = this;
    this.later = isPassing ? later : undefined;
    if (!isPassing) for (const text of later) this.tellText(text);
  }

  /**
   * Shows joining, leaving and typing guests as lines in the terminal, which has no other place.
   */
  guests(guests: readonly SessionGuest[]): void {
    const before = new Map(this.present.map((guest) => [guest.invitation, guest]));
    this.present = guests;
    for (const { invitation, name, types } of guests) {
      const known = before.get(invitation);
      before.delete(invitation);
      if (!known) this.tell(types ? words.guestTypes : words.guestWatches, name);
      else if (known.types !== types)
        this.tell(types ? words.guestMayType : words.guestMayWatch, name);
    }
    for (const { name } of before.values()) this.tell(words.guestLeft, name);
  }

  notice(problem: Problem): void {
    this.tellText(wordProblem(problem, this.language));
  }

  exited(exit: TargetExit): void {
    this.exit = exit;
  }

  closed(problem: Problem): void {
    this.questions.decided();
    if (this.isOver) return;
    this.isOver = true;
    this.channel.off('data', this.take);
    this.channel.off('end', this.inputEnded);
    this.channel.pause();
    const isQuiet = QUIET_ENDS.has(problem.code);
    if (!isQuiet) this.writer.write(Buffer.from(`\r\n${wordProblem(problem, this.language)}\r\n`));
    this.onClosed(isQuiet ? this.exit : { code: OUR_EXIT }, problem);
  }

  resize(size: TerminalSize): void {
    this.size = size;
    this.session?.resize(size.cols, size.rows);
  }

  private tell(text: LocalText, name: string): void {
    this.tellText(say(text, this.language, { name: withoutControls(name) }));
  }

  private tellText(text: string): void {
    if (this.later) {
      if (this.later.length < MAX_LATER) this.later.push(text);
    } else if (!this.isOver) this.writer.write(noticeLine(text));
  }

  private readonly inputEnded = (): void => this.session?.inputEnded();

  private readonly take = (chunk: Buffer): void => {
    const { session } = this;
    if (!session || session.input(chunk)) {
      if (session && session.waitingInput > MAX_INPUT) this.wait();
    } else session.end('internal');
  };

  /**
   * Pauses the user until the target has caught up. We poll because the target does not report
   * that.
   */
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
    if (this.isHeld || this.isWaiting) this.channel.pause();
    else this.channel.resume();
  }

  private acknowledge(): void {
    const bytes = this.unacknowledged;
    this.unacknowledged = 0;
    this.session?.acknowledge(bytes);
  }
}
