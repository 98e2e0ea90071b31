import { type CommandVerdict, ERRORS, type ErrorCode, say } from '@sallyport/contract';
import { GUARD_MS, MAX_GUARDED_PASTE } from '../../limits.ts';
import {
  type Guard,
  type Hold,
  type Question,
  strictest,
  type Verdict,
} from '../../ports/guard.ts';
import type { NewSession } from '../../ports/records.ts';
import type { GatewayPorts } from '../../ports.ts';
import { decideHeld, sayDecision } from '../hold-command.ts';
import { PASTE_BEGIN, PASTE_END, pastedText } from './commands/key-reader.ts';
import { trimBlanks } from './commands/screen-lines.ts';
import {
  type Keyboard,
  NO_LINE,
  type PendingLine,
  type Prompt,
  type Typist,
} from './gated-terminal.ts';
import { KeyQueue } from './key-queue.ts';
import { isConfirmed, LineQuestions } from './line-questions.ts';
import { LineRejection, type Reason } from './line-rejection.ts';

/** Keys that accept a line in a line editor or terminal: Enter, Ctrl-J, and readline's Ctrl-O. */
const ENTER = new Set([0x0d, 0x0a, 0x0f]);
/** Ctrl-D: outside of a line editor it passes the typed text to the program, like Enter. */
const END_OF_FILE = 0x04;
/** Ctrl-C: discards a line that continues in the next one. */
const INTERRUPT = 0x03;
/** A line that ends with an odd number of backslashes continues in the next one. */
const CONTINUES = /(?:^|[^\\])(?:\\\\)*\\$/;
const MAX_CONTINUED = 4096;
/** Yield to the event loop after this many pasted lines. */
const LINES_AT_ONCE = 50;

/** An answer about a line, with the message for a rejection. */
export interface Answered {
  readonly verdict: CommandVerdict;
  readonly message: string;
}

export interface GateParts {
  readonly guard: Guard;
  /**
   * Returns one session row per user who may have typed in the line, the owner first. The guard
   * decides for each; the strictest verdict counts.
   */
  readonly sessions: () => readonly [NewSession, ...NewSession[]];
  readonly ports: Pick<GatewayPorts, 'holds' | 'log'>;
  readonly prompt: Prompt;
  readonly keyboard: Keyboard;
  /** Called on an unexpected error; must end the session. */
  readonly onFailure: () => void;
}

/**
 * Holds Enter back until the guard has decided. Queues later keys in order and drops them if the
 * line is rejected.
 */
export class LineGate {
  private readonly parts: GateParts;
  private readonly rejection: LineRejection;
  private readonly questions: LineQuestions;
  private readonly waiting = new KeyQueue();
  private deciding = false;
  private decided: (() => void) | undefined;
  private over = false;
  /** Earlier lines that continue in this one. */
  private continued = '';

  constructor(parts: GateParts) {
    this.parts = parts;
    this.rejection = new LineRejection(parts.prompt, parts.keyboard);
    this.questions = new LineQuestions(parts.keyboard);
  }

  /** Bytes that wait for a decision. */
  get held(): number {
    return this.waiting.bytes;
  }

  /** Takes keys of the owner or a guest. Only the owner answers questions. */
  input(chunk: Buffer, by?: Typist): void {
    if (by === undefined && this.questions.take(chunk)) return;
    this.waiting.push(chunk, by);
    if (!this.deciding) void this.pass();
  }

  /** Asks the owner, or reviewers, about a line. `held` is the text for reviewers. */
  async ask(asked: Question | Hold, line: PendingLine, held: string): Promise<Answered> {
    const { prompt, sessions, ports } = this.parts;
    const [session] = sessions();
    const { language } = session.person;
    const { message } = asked;
    // The screen before the notice of the wait.
    const screen = prompt.screen();
    const { verdict, by } =
      asked.kind === 'ask'
        ? { verdict: await this.questions.ask(asked, line, language), by: '' }
        : await this.questions.hold(asked, line, language, (signal) =>
            decideHeld({ ...asked, session, text: held, screen }, signal, ports),
          );
    if (isConfirmed(verdict)) prompt.answered(verdict);
    const why = asked.kind === 'hold' ? ` ${sayDecision({ verdict, by }, language)}` : '';
    return { verdict, message: message + why };
  }

  /** Drops the waiting keys of a guest who left. */
  forget(by: Typist): void {
    this.waiting.forget(by);
    if (!this.deciding && !this.waiting.isEmpty) void this.pass();
  }

  /** Calls `then` once all keys so far are decided. */
  whenDecided(then: () => void): void {
    if (this.deciding) this.decided = then;
    else then();
  }

  stop(): void {
    this.over = true;
    this.rejection.stop();
    this.waiting.clear();
    this.questions.stop();
  }

  private async pass(): Promise<void> {
    try {
      await this.passAll();
    } catch (error) {
      const { sessions, ports, onFailure } = this.parts;
      ports.log.error(
        { session: sessions()[0].id, err: error },
        'typed lines could not be checked; the session ends',
      );
      onFailure();
    }
  }

  private async passAll(): Promise<void> {
    this.deciding = true;
    for (let typed = this.waiting.shift(); typed && !this.over; typed = this.waiting.shift()) {
      const { keys: chunk, by } = typed;
      if (!this.parts.sessions().some((session) => this.parts.guard.applies(session))) {
        this.send(chunk, by);
        continue;
      }
      const enter = chunk.findIndex((byte) => ENTER.has(byte) || byte === END_OF_FILE);
      const paste = this.parts.prompt.takesMarkedPastes ? chunk.indexOf(PASTE_BEGIN) : -1;
      if (paste >= 0 && (enter < 0 || paste < enter)) {
        if (!(await this.passPaste(chunk, paste, by))) break;
        continue;
      }
      if (enter < 0) {
        this.send(chunk, by);
        continue;
      }
      this.waiting.putBack(chunk.subarray(enter + 1), by);
      if (enter > 0) this.send(chunk.subarray(0, enter), by);
      if (await this.mayEnter(chunk[enter])) this.send(chunk.subarray(enter, enter + 1), by);
    }
    this.deciding = false;
    this.decided?.();
    this.decided = undefined;
  }

  private send(keys: Buffer, by: Typist): void {
    if (keys.includes(INTERRUPT)) this.continued = '';
    if (keys.length > 0) this.parts.keyboard.send(keys, by);
  }

  /**
   * Decides each line of a bracketed paste before sending any of it. Returns false if the paste is
   * incomplete.
   */
  private async passPaste(chunk: Buffer, begin: number, by: Typist): Promise<boolean> {
    const end = chunk.indexOf(PASTE_END, begin);
    if (end < 0 && chunk.length < MAX_GUARDED_PASTE) {
      // Keys that other users type during the paste follow after it.
      const more = this.waiting.shiftOf(by);
      // A guest who does not finish a paste must not block other typists.
      if (!more && by !== undefined && !this.waiting.isEmpty) return true;
      this.waiting.putBack(more ? Buffer.concat([chunk, more.keys]) : chunk, by);
      return more !== undefined;
    }
    this.send(chunk.subarray(0, begin), by);
    if (end < 0) {
      await this.refuse((await this.parts.prompt.pendingLine()) ?? UNREAD, {
        message: this.text('command_not_checked'),
      });
      return true;
    }
    const after = end + PASTE_END.length;
    const lines = pastedText(chunk.subarray(begin, after)).split(/\r\n|\r|\n/);
    if (lines.length > 1) {
      const before = await this.parts.prompt.pendingLine();
      for (const [index, text] of lines.entries()) {
        if (!before || this.over) break;
        if (index % LINES_AT_ONCE === LINES_AT_ONCE - 1)
          await new Promise((done) => setImmediate(done));
        const line = {
          ...before,
          text: index === 0 ? before.text + text : text,
          isUnread: false,
          isUncertain: before.isUncertain && index === 0,
          seen: index === 0 ? before.seen.map((seen) => seen + text) : [],
        };
        if (await this.isRefused(line)) return true;
      }
    }
    if (this.over) return true;
    this.waiting.putBack(chunk.subarray(after), by);
    this.send(chunk.subarray(begin, after), by);
    return true;
  }

  private async mayEnter(key: number | undefined): Promise<boolean> {
    const line = await this.parts.prompt.pendingLine();
    if (this.over) return false;
    if (!line) return true;
    // In a line editor, Ctrl-D deletes a character or ends an idle shell. A program may have left
    // the mode of an editor, so a line that Ctrl-D could send is decided.
    if (key === END_OF_FILE && line.isEditor && (line.text === '' || !this.parts.prompt.isAtEnd()))
      return true;
    if (line.isEditor && this.rejection.isUncleared()) {
      await this.refuse(line, { message: this.text('command_unread') });
      return false;
    }
    if (await this.isRefused(line)) return false;
    if (this.over) return false;
    const whole = this.continued + line.text;
    this.continued = CONTINUES.test(line.text) ? whole.slice(0, -1).slice(-MAX_CONTINUED) : '';
    return true;
  }

  /** Asks the guard about one line, and the owner if it says so. Discards a rejected line. */
  private async isRefused(line: PendingLine): Promise<boolean> {
    const texts = [
      line.text,
      ...line.seen,
      ...(this.continued === '' ? [] : [this.continued + line.text]),
    ];
    let verdict: Verdict = { kind: 'allow' };
    for (const [index, text] of texts.entries()) {
      const isUnknown = line.isUnread || line.isUncertain;
      if (trimBlanks(text) === '' && !(isUnknown && index === 0)) continue;
      verdict = strictest(verdict, [await this.decide({ ...line, text })]);
      if (this.over) return true;
      if (verdict.kind === 'deny') break;
    }
    if (verdict.kind === 'allow') return false;
    if (verdict.kind === 'deny') {
      await this.refuse(line, { message: verdict.message });
      return true;
    }
    const answer = await this.ask(verdict, line, this.continued + line.text);
    if (isConfirmed(answer.verdict)) return this.over;
    await this.refuse(line, answer);
    return true;
  }

  private text(code: Extract<ErrorCode, 'command_not_checked' | 'command_unread'>): string {
    return say(ERRORS[code], this.parts.sessions()[0].person.language);
  }

  /** Asks the guard. A guard that fails or times out denies the line. */
  private async decide({ text, ...line }: PendingLine): Promise<Verdict> {
    const { guard, sessions, ports } = this.parts;
    let timer: NodeJS.Timeout | undefined;
    try {
      const late = new Promise<never>((_done, failed) => {
        timer = setTimeout(() => failed(new Error('the guard did not answer in time')), GUARD_MS);
      });
      const verdicts = sessions().map(async (session) => guard.before(text, { session, ...line }));
      return strictest({ kind: 'allow' }, await Promise.race([Promise.all(verdicts), late]));
    } catch (error) {
      ports.log.error(
        { session: sessions()[0].id, err: error },
        'a line could not be checked and was refused',
      );
      return { kind: 'deny', message: this.text('command_not_checked') };
    } finally {
      clearTimeout(timer);
    }
  }

  private async refuse(line: PendingLine, reason: Reason): Promise<void> {
    // Discard type-ahead: the user typed it before seeing the rejection.
    this.waiting.clear();
    this.continued = '';
    await this.rejection.reject(line, reason);
  }
}

const UNREAD: PendingLine = { ...NO_LINE, isEditor: true, isUnread: true };
