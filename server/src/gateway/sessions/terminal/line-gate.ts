import { setTimeout as sleep } from 'node:timers/promises';
import { ERRORS, type ErrorCode, say } from '@sallyport/contract';
import {
  GUARD_ANSWER_SECONDS,
  GUARD_MS,
  MAX_GUARDED_PASTE,
  PROMPT_MS,
  PROMPT_POLL_MS,
} from '../../limits.ts';
import type { Guard, Verdict } from '../../ports/guard.ts';
import type { NewSession } from '../../ports/records.ts';
import type { GatewayLog } from '../../ports.ts';
import { PASTE_BEGIN, PASTE_END, pastedText } from './marked-paste.ts';

/** Keys that accept a line in a line editor or terminal: Enter, Ctrl-J, and readline's Ctrl-O. */
const ENTER = new Set([0x0d, 0x0a, 0x0f]);
/** Ctrl-D: outside of a line editor it passes the typed text to the program, like Enter. */
const END_OF_FILE = 0x04;
/** Ctrl-C: discards a line that continues in the next one. */
const INTERRUPT = 0x03;
/** End of line, then delete to the beginning: empties the line without running it. */
const CLEAR_LINE = Buffer.from('\x05\x15');
/**
 * Ctrl-C makes a line editor discard any line and show its prompt again. It works in modes where
 * `CLEAR_LINE` has another meaning.
 */
const GIVE_UP_LINE = Buffer.from('\x03');
/** Empties the line and redraws it, for an editor that shows no prompt after Ctrl-C. */
const CLEAR_AND_SHOW = Buffer.from('\x05\x15\x0c');
/** Not a prompt: an empty row, or the echo of a control key. */
const ECHO_OR_NOTHING = /^(?:\^[A-Z])?\s*$/;
/** A line that ends with an odd number of backslashes continues in the next one. */
const CONTINUES = /(?:^|[^\\])(?:\\\\)*\\$/;
const MAX_CONTINUED = 4096;
/** Yield to the event loop after this many pasted lines. */
const LINES_AT_ONCE = 50;

/** A line whose Enter we hold back. */
export interface PendingLine {
  readonly text: string;
  readonly prompt: string;
  readonly isHidden: boolean;
  /** True if a line editor reads: it has enabled bracketed paste. */
  readonly isEditor: boolean;
  /** True if the target did not echo the last keys: the line that Enter would send is unknown. */
  readonly isUnread: boolean;
  /**
   * Text after the prompt on the screen, if it differs from the typed line. The guard decides it
   * too.
   */
  readonly seen: string;
}

/** Who typed the keys: the name of a guest, or undefined for the owner. */
export type Typist = string | undefined;

interface Typed {
  readonly keys: Buffer;
  readonly by: Typist;
}

type Question = Extract<Verdict, { kind: 'ask' }>;

/** What a gate works with. */
export interface GateParts {
  readonly guard: Guard;
  readonly session: NewSession;
  /** Everybody for whom a line has to be decided, the person of the session first: of several answers the strictest counts. */
  readonly sessions?: () => readonly NewSession[];
  readonly log: GatewayLog;
  /** Passes keys on to the command tracker and the target; `by` says whose they are. */
  readonly send: (keys: Buffer, by: Typist) => void;
  /** Passes keys on to the target alone. */
  readonly clear: (keys: Buffer) => void;
  /** Shows text of ours to everybody who sees the session. */
  readonly show: (text: string) => void;
  /** The line that Enter would send off; `undefined` where Enter sends no line, as in a full-screen program. */
  readonly pendingLine: () => Promise<PendingLine | undefined>;
  /** Waits until the target has shown what it makes of the last keys. */
  readonly settled: (isShown?: () => boolean) => Promise<void>;
  /** Whether the program that reads asked for marked pastes. */
  readonly takesMarkedPastes: () => boolean;
  /** How many prompts of a line editor were shown so far, and whether the cursor is behind this one and nothing else. */
  readonly prompts: () => number;
  readonly isAtPrompt: (prompt: string) => boolean;
  /** What is in front of the cursor. */
  readonly beforeCursor: () => string;
  readonly refused: (line: PendingLine, message: string) => void;
  /** Something unexpected went wrong: nothing is passed on any more. */
  readonly failed: (error: unknown) => void;
}

/**
 * Holds Enter back until the guard has decided. Queues later keys in order and drops them if the
 * line is rejected.
 */
export class LineGate {
  private readonly parts: GateParts;
  private waiting: Typed[] = [];
  private waitingBytes = 0;
  private deciding = false;
  private decided: (() => void) | undefined;
  private answer: ((yes: boolean) => void) | undefined;
  private over = false;
  /** Earlier lines that continue in this one. */
  private continued = '';
  /** A rejected line that the line editor may still hold. */
  private uncleared: { readonly prompts: number; readonly prompt: string } | undefined;

  constructor(parts: GateParts) {
    this.parts = parts;
  }

  /** Bytes that wait for a decision. */
  get held(): number {
    return this.waitingBytes;
  }

  /** Takes keys of the owner or a guest. Only the owner answers questions. */
  input(chunk: Buffer, by?: Typist): void {
    const { answer } = this;
    if (answer && by === undefined) {
      this.answer = undefined;
      const [key] = chunk;
      if (chunk.length > 1) this.hold(chunk.subarray(1), by);
      answer(key === 0x79 || key === 0x59);
      return;
    }
    this.hold(chunk, by);
    if (!this.deciding) this.pass().catch(this.parts.failed);
  }

  /** Drops the waiting keys of a guest who left. */
  forget(by: Typist): void {
    this.waiting = this.waiting.filter((typed) => typed.by !== by);
    this.waitingBytes = this.waiting.reduce((sum, { keys }) => sum + keys.length, 0);
    if (!this.deciding && this.waiting.length > 0) this.pass().catch(this.parts.failed);
  }

  /** Calls `then` once all keys so far are decided. */
  whenDecided(then: () => void): void {
    if (this.deciding) this.decided = then;
    else then();
  }

  stop(): void {
    this.over = true;
    this.drop();
    this.answer?.(false);
    this.answer = undefined;
  }

  private hold(keys: Buffer, by: Typist): void {
    this.waiting.push({ keys, by });
    this.waitingBytes += keys.length;
  }

  private putBack(keys: Buffer, by: Typist): void {
    if (keys.length === 0) return;
    this.waiting.unshift({ keys, by });
    this.waitingBytes += keys.length;
  }

  private drop(): void {
    this.waiting = [];
    this.waitingBytes = 0;
  }

  private async pass(): Promise<void> {
    this.deciding = true;
    for (let typed = this.waiting.shift(); typed && !this.over; typed = this.waiting.shift()) {
      const { keys: chunk, by } = typed;
      this.waitingBytes -= chunk.length;
      if (!this.sessions.some((session) => this.parts.guard.applies(session))) {
        this.send(chunk, by);
        continue;
      }
      const enter = chunk.findIndex((byte) => ENTER.has(byte) || byte === END_OF_FILE);
      const paste = this.parts.takesMarkedPastes() ? chunk.indexOf(PASTE_BEGIN) : -1;
      if (paste >= 0 && (enter < 0 || paste < enter)) {
        if (!(await this.passPaste(chunk, paste, by))) break;
        continue;
      }
      if (enter < 0) {
        this.send(chunk, by);
        continue;
      }
      this.putBack(chunk.subarray(enter + 1), by);
      if (enter > 0) this.send(chunk.subarray(0, enter), by);
      if (await this.mayEnter(chunk[enter])) this.send(chunk.subarray(enter, enter + 1), by);
    }
    this.deciding = false;
    this.decided?.();
    this.decided = undefined;
  }

  private get sessions(): readonly NewSession[] {
    return this.parts.sessions?.() ?? [this.parts.session];
  }

  private send(keys: Buffer, by: Typist): void {
    if (keys.includes(INTERRUPT)) this.continued = '';
    if (keys.length > 0) this.parts.send(keys, by);
  }

  /**
   * Decides each line of a bracketed paste before sending any of it. Returns false if the paste is
   * incomplete.
   */
  private async passPaste(chunk: Buffer, begin: number, by: Typist): Promise<boolean> {
    const end = chunk.indexOf(PASTE_END, begin);
    if (end < 0 && chunk.length < MAX_GUARDED_PASTE) {
      // Keys that other users type during the paste follow after it.
      const next = this.waiting.findIndex((typed) => typed.by === by);
      const [more] = next < 0 ? [] : this.waiting.splice(next, 1);
      // A guest who does not finish a paste must not block other typists.
      if (!more && by !== undefined && this.waiting.length > 0) return true;
      if (more) this.waitingBytes -= more.keys.length;
      this.putBack(more ? Buffer.concat([chunk, more.keys]) : chunk, by);
      return more !== undefined;
    }
    this.send(chunk.subarray(0, begin), by);
    if (end < 0) {
      await this.refuse(
        (await this.parts.pendingLine()) ?? UNREAD,
        this.text('command_not_checked'),
      );
      return true;
    }
    const after = end + PASTE_END.length;
    const lines = pastedText(chunk.subarray(begin, after)).split(/\r\n|\r|\n/);
    if (lines.length > 1) {
      const before = await this.parts.pendingLine();
      for (const [index, text] of lines.entries()) {
        if (!before || this.over) break;
        if (index % LINES_AT_ONCE === LINES_AT_ONCE - 1)
          await new Promise((done) => setImmediate(done));
        const line = {
          ...before,
          text: index === 0 ? before.text + text : text,
          isUnread: false,
          seen: '',
        };
        if (await this.isRefused(line)) return true;
      }
    }
    if (this.over) return true;
    this.putBack(chunk.subarray(after), by);
    this.send(chunk.subarray(begin, after), by);
    return true;
  }

  private async mayEnter(key: number | undefined): Promise<boolean> {
    const line = await this.parts.pendingLine();
    if (this.over) return false;
    if (!line) return true;
    // In a line editor, Ctrl-D deletes a character or ends an idle shell.
    if (key === END_OF_FILE && line.isEditor) return true;
    if (line.isEditor && this.isUncleared()) {
      await this.refuse(line, this.text('command_unread'));
      return false;
    }
    if (await this.isRefused(line)) return false;
    if (this.over) return false;
    const whole = this.continued + line.text;
    this.continued = CONTINUES.test(line.text) ? whole.slice(0, -1).slice(-MAX_CONTINUED) : '';
    return true;
  }

  /** Asks the guard about one line and discards the line if it is rejected. */
  private async isRefused(line: PendingLine): Promise<boolean> {
    const texts = [
      line.text,
      line.seen,
      ...(this.continued === '' ? [] : [this.continued + line.text]),
    ];
    for (const [index, text] of texts.entries()) {
      if (text.trim() === '' && !(line.isUnread && index === 0)) continue;
      const verdict = await this.decide({ ...line, text });
      if (this.over) return true;
      if (
        verdict.kind === 'allow' ||
        (verdict.kind === 'ask' && (await this.confirmed(verdict, line)))
      )
        continue;
      await this.refuse(line, verdict.message);
      return true;
    }
    return this.over;
  }

  private text(code: Extract<ErrorCode, 'command_not_checked' | 'command_unread'>): string {
    return say(ERRORS[code], this.parts.session.person.language);
  }

  /** Asks the guard. A guard that fails or times out denies the line. */
  private async decide({ text, isHidden, isUnread, prompt }: PendingLine): Promise<Verdict> {
    const { guard, session, log } = this.parts;
    let timer: NodeJS.Timeout | undefined;
    try {
      const late = new Promise<never>((_done, failed) => {
        timer = setTimeout(() => failed(new Error('the guard did not answer in time')), GUARD_MS);
      });
      const verdicts = this.sessions.map((one) =>
        Promise.resolve(guard.before(text, { session: one, isHidden, isUnread, prompt })),
      );
      return strictest(await Promise.race([Promise.all(verdicts), late]));
    } catch (error) {
      log.error({ session: session.id, err: error }, 'a line could not be checked and was refused');
      return { kind: 'deny', message: this.text('command_not_checked') };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Asks the owner. Times out as a no: output could keep the session active forever. */
  private async confirmed(
    { message, seconds = GUARD_ANSWER_SECONDS }: Question,
    { prompt, text, isHidden }: PendingLine,
  ): Promise<boolean> {
    this.parts.show(`\r\n${message} [y/N] `);
    let timer: NodeJS.Timeout | undefined;
    const yes = await new Promise<boolean>((done) => {
      this.answer = done;
      timer = setTimeout(() => {
        this.answer = undefined;
        done(false);
      }, seconds * 1000);
    });
    clearTimeout(timer);
    if (yes) this.parts.show(`y\r\n${prompt}${isHidden ? '' : text}`);
    return yes;
  }

  private async refuse(line: PendingLine, message: string): Promise<void> {
    // Discard type-ahead: the user typed it before seeing the rejection.
    this.drop();
    this.continued = '';
    if (line.isEditor) await this.giveUp(line, message);
    else await this.empty(line, message);
  }

  /**
   * Makes the line editor discard the line. Sends no Enter until the editor shows a prompt again.
   */
  private async giveUp(line: PendingLine, message: string): Promise<void> {
    this.uncleared = { prompts: this.parts.prompts(), prompt: line.prompt };
    this.parts.refused(line, message);
    this.parts.show(`\r\n${message}\r\n`);
    this.parts.clear(GIVE_UP_LINE);
    if ((await this.showsPrompt()) || this.over) return;
    this.parts.clear(CLEAR_AND_SHOW);
    await this.showsPrompt();
    if (!this.over && !this.isUncleared())
      this.parts.show(`\r\x1b[K${message}\r\n${this.promptOf(line)}`);
  }

  /**
   * Waits for a prompt and returns true if one appeared. A slow target first echoes only the key.
   */
  private async showsPrompt(): Promise<boolean> {
    const latest = performance.now() + PROMPT_MS;
    const hasPrompt = () => !ECHO_OR_NOTHING.test(this.parts.beforeCursor());
    for (
      await this.parts.settled(hasPrompt);
      !this.over && !hasPrompt() && performance.now() < latest;
    )
      await sleep(PROMPT_POLL_MS);
    return hasPrompt();
  }

  /**
   * The prompt to show after clearing the line. A line typed ahead has none, so use the text before
   * the cursor.
   */
  private promptOf({ prompt }: PendingLine): string {
    return prompt === '' && this.parts.takesMarkedPastes() ? this.parts.beforeCursor() : prompt;
  }

  private isUncleared(): boolean {
    const { uncleared, parts } = this;
    if (uncleared && (parts.prompts() !== uncleared.prompts || parts.isAtPrompt(uncleared.prompt)))
      this.uncleared = undefined;
    return this.uncleared !== undefined;
  }

  /**
   * Clears the line. Outside of a line editor Ctrl-C could end a program, so send it only if the
   * line is still present.
   */
  private async empty(line: PendingLine, message: string): Promise<void> {
    this.parts.clear(CLEAR_LINE);
    await this.parts.settled();
    if (this.over) return;
    const left = line.isHidden ? undefined : await this.parts.pendingLine();
    const isLeft = left !== undefined && !left.isHidden && left.text.trim() !== '';
    this.parts.refused(line, message);
    this.parts.show(isLeft ? `\r\n${message}\r\n` : `\r\n${message}\r\n${this.promptOf(line)}`);
    if (!isLeft) return;
    this.parts.clear(GIVE_UP_LINE);
    await this.parts.settled();
  }
}

/** Combines verdicts: any denial wins, then any question. */
function strictest(verdicts: readonly Verdict[]): Verdict {
  return (
    verdicts.find(({ kind }) => kind === 'deny') ??
    verdicts.find(({ kind }) => kind === 'ask') ?? { kind: 'allow' }
  );
}

const UNREAD: PendingLine = {
  text: '',
  prompt: '',
  isHidden: false,
  isEditor: true,
  isUnread: true,
  seen: '',
};
