import { ERRORS, type ErrorCode, say } from '@sallyport/contract';
import { GUARD_ANSWER_SECONDS, GUARD_MS, MAX_GUARDED_PASTE } from '../../limits.ts';
import type { GatewayLog, Guard, NewSession, Verdict } from '../../ports.ts';
import { PASTE_BEGIN, PASTE_END, pastedText } from './marked-paste.ts';

/** Keys with which a line editor or a terminal accepts a line: Enter, Ctrl-J, and readline's Ctrl-O. */
const ENTER = new Set([0x0d, 0x0a, 0x0f]);
/** Ctrl-D: where no line editor reads, it hands what was typed to the program just as Enter does. */
const END_OF_FILE = 0x04;
/** Ctrl-C: a line that was begun and continued is given up. */
const INTERRUPT = 0x03;
/** End of line, then delete to the beginning: a terminal and most line editors empty the line, and nothing is run. */
const CLEAR_LINE = Buffer.from('\x05\x15');
/** A line editor gives any line up for Ctrl-C, also in modes in which the keys above mean something else, and shows its prompt again. */
const GIVE_UP_LINE = Buffer.from('\x03');
/** For an editor that shows no prompt after Ctrl-C, because it has none or was busy: empties the line, and has it shown again. */
const CLEAR_AND_SHOW = Buffer.from('\x05\x15\x0c');
/** A line that ends with an odd number of backslashes goes on in the next one. */
const CONTINUES = /(?:^|[^\\])(?:\\\\)*\\$/;
const MOST_CONTINUED = 4096;
/** So many pasted lines are decided before others have their turn. */
const LINES_AT_ONCE = 50;

/** A line whose Enter is held back. */
export interface PendingLine {
  readonly text: string;
  readonly prompt: string;
  readonly isHidden: boolean;
  /** A line editor reads, which says so by asking for marked pastes. */
  readonly isEditor: boolean;
  /** The target did not show what it made of the last keys, so nobody knows what Enter would send. */
  readonly isUnread: boolean;
  /** What the screen shows behind the prompt, where that is not the line as it was typed; it is decided as well. */
  readonly seen: string;
}

type Question = Extract<Verdict, { kind: 'ask' }>;

/** What a gate works with. */
export interface GateParts {
  readonly guard: Guard;
  readonly session: NewSession;
  readonly log: GatewayLog;
  /** Passes keys on to the command tracker and the target. */
  readonly send: (keys: Buffer) => void;
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
  /** Whether a prompt is shown at all, whatever it says. */
  readonly hasPrompt: () => boolean;
  readonly refused: (line: PendingLine, message: string) => void;
  /** Something unexpected went wrong: nothing is passed on any more. */
  readonly failed: (error: unknown) => void;
}

/** Holds Enter back until the guard has decided. What is typed meanwhile waits in its order; after a refusal it is dropped. */
export class LineGate {
  private readonly parts: GateParts;
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private deciding = false;
  private decided: (() => void) | undefined;
  private answer: ((yes: boolean) => void) | undefined;
  private over = false;
  /** The lines before this one that go on in it. */
  private continued = '';
  /** A refused line that the line editor has not given up yet, as far as can be seen. */
  private uncleared: { readonly prompts: number; readonly prompt: string } | undefined;

  constructor(parts: GateParts) {
    this.parts = parts;
  }

  /** Bytes that wait for a decision. */
  get held(): number {
    return this.waitingBytes;
  }

  /** Takes what the person typed. */
  input(chunk: Buffer): void {
    const { answer } = this;
    if (answer) {
      this.answer = undefined;
      const [key] = chunk;
      if (chunk.length > 1) this.hold(chunk.subarray(1));
      answer(key === 0x79 || key === 0x59);
      return;
    }
    this.hold(chunk);
    if (!this.deciding) this.pass().catch(this.parts.failed);
  }

  /** Calls back when everything that was typed so far is decided. */
  whenDecided(then: () => void): void {
    if (this.deciding) this.decided = then;
    else then();
  }

  /** The session is over; nothing is passed on any more. */
  stop(): void {
    this.over = true;
    this.drop();
    this.answer?.(false);
    this.answer = undefined;
  }

  private hold(chunk: Buffer): void {
    this.waiting.push(chunk);
    this.waitingBytes += chunk.length;
  }

  private putBack(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.waiting.unshift(chunk);
    this.waitingBytes += chunk.length;
  }

  private drop(): void {
    this.waiting = [];
    this.waitingBytes = 0;
  }

  private async pass(): Promise<void> {
    this.deciding = true;
    for (let chunk = this.waiting.shift(); chunk && !this.over; chunk = this.waiting.shift()) {
      this.waitingBytes -= chunk.length;
      if (!this.parts.guard.applies(this.parts.session)) {
        this.send(chunk);
        continue;
      }
      const enter = chunk.findIndex((byte) => ENTER.has(byte) || byte === END_OF_FILE);
      const paste = this.parts.takesMarkedPastes() ? chunk.indexOf(PASTE_BEGIN) : -1;
      if (paste >= 0 && (enter < 0 || paste < enter)) {
        if (!(await this.passPaste(chunk, paste))) break;
        continue;
      }
      if (enter < 0) {
        this.send(chunk);
        continue;
      }
      this.putBack(chunk.subarray(enter + 1));
      if (enter > 0) this.send(chunk.subarray(0, enter));
      if (await this.mayEnter(chunk[enter])) this.send(chunk.subarray(enter, enter + 1));
    }
    this.deciding = false;
    this.decided?.();
    this.decided = undefined;
  }

  private send(keys: Buffer): void {
    if (keys.includes(INTERRUPT)) this.continued = '';
    if (keys.length > 0) this.parts.send(keys);
  }

  /** Decides on each line of a pasted block before any of it is sent; false while its end has not come. */
  private async passPaste(chunk: Buffer, begin: number): Promise<boolean> {
    const end = chunk.indexOf(PASTE_END, begin);
    if (end < 0 && chunk.length < MAX_GUARDED_PASTE) {
      const next = this.waiting.shift();
      if (next) this.waitingBytes -= next.length;
      this.putBack(next ? Buffer.concat([chunk, next]) : chunk);
      return next !== undefined;
    }
    this.send(chunk.subarray(0, begin));
    if (end < 0) {
      await this.refuse((await this.parts.pendingLine()) ?? UNREAD, this.text('command_not_checked'));
      return true;
    }
    const after = end + PASTE_END.length;
    const lines = pastedText(chunk.subarray(begin, after)).split(/\r\n|\r|\n/);
    if (lines.length > 1) {
      const before = await this.parts.pendingLine();
      for (const [index, text] of lines.entries()) {
        if (!before || this.over) break;
        if (index % LINES_AT_ONCE === LINES_AT_ONCE - 1) await new Promise((done) => setImmediate(done));
        const line = { ...before, text: index === 0 ? before.text + text : text, isUnread: false, seen: '' };
        if (await this.isRefused(line)) return true;
      }
    }
    if (this.over) return true;
    this.putBack(chunk.subarray(after));
    this.send(chunk.subarray(begin, after));
    return true;
  }

  private async mayEnter(key: number | undefined): Promise<boolean> {
    const line = await this.parts.pendingLine();
    if (this.over) return false;
    if (!line) return true;
    // In a line editor Ctrl-D deletes a character, or ends the shell where there is none.
    if (key === END_OF_FILE && line.isEditor) return true;
    if (line.isEditor && this.isUncleared()) {
      await this.refuse(line, this.text('command_unread'));
      return false;
    }
    if (await this.isRefused(line)) return false;
    if (this.over) return false;
    const whole = this.continued + line.text;
    this.continued = CONTINUES.test(line.text) ? whole.slice(0, -1).slice(-MOST_CONTINUED) : '';
    return true;
  }

  /** Decides on one line, and clears it where it may not be sent. */
  private async isRefused(line: PendingLine): Promise<boolean> {
    const texts = [line.text, line.seen, ...(this.continued === '' ? [] : [this.continued + line.text])];
    for (const [index, text] of texts.entries()) {
      if (text.trim() === '' && !(line.isUnread && index === 0)) continue;
      const verdict = await this.decide({ ...line, text });
      if (this.over) return true;
      if (verdict.kind === 'allow' || (verdict.kind === 'ask' && (await this.confirmed(verdict, line)))) continue;
      await this.refuse(line, verdict.message);
      return true;
    }
    return this.over;
  }

  private text(code: Extract<ErrorCode, 'command_not_checked' | 'command_unread'>): string {
    return say(ERRORS[code], this.parts.session.person.language);
  }

  /** A guard that fails, or takes too long, refuses. */
  private async decide({ text, isHidden, isUnread, prompt }: PendingLine): Promise<Verdict> {
    const { guard, session, log } = this.parts;
    let timer: NodeJS.Timeout | undefined;
    try {
      const late = new Promise<never>((_done, failed) => {
        timer = setTimeout(() => failed(new Error('the guard did not answer in time')), GUARD_MS);
      });
      return await Promise.race([Promise.resolve(guard.before(text, { session, isHidden, isUnread, prompt })), late]);
    } catch (error) {
      log.error({ session: session.id, err: error }, 'a line could not be checked and was refused');
      return { kind: 'deny', message: this.text('command_not_checked') };
    } finally {
      clearTimeout(timer);
    }
  }

  /** A question without an answer refuses: output can keep a session from being idle for ever. */
  private async confirmed({ message, seconds = GUARD_ANSWER_SECONDS }: Question, { prompt, text, isHidden }: PendingLine): Promise<boolean> {
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
    // What was typed behind a refused line was typed without knowing.
    this.drop();
    this.continued = '';
    if (line.isEditor) await this.giveUp(line, message);
    else await this.empty(line, message);
  }

  /** Until a line editor shows a prompt again, no Enter is sent to it. */
  private async giveUp(line: PendingLine, message: string): Promise<void> {
    this.uncleared = { prompts: this.parts.prompts(), prompt: line.prompt };
    this.parts.refused(line, message);
    this.parts.show(`\r\n${message}\r\n`);
    this.parts.clear(GIVE_UP_LINE);
    await this.parts.settled(() => this.parts.hasPrompt());
    if (this.over || this.parts.hasPrompt()) return;
    this.parts.clear(CLEAR_AND_SHOW);
    await this.parts.settled(() => this.parts.hasPrompt());
    if (!this.over && !this.isUncleared()) this.parts.show(`\r\x1b[K${message}\r\n${line.prompt}`);
  }

  private isUncleared(): boolean {
    const { uncleared, parts } = this;
    if (uncleared && (parts.prompts() !== uncleared.prompts || parts.isAtPrompt(uncleared.prompt))) this.uncleared = undefined;
    return this.uncleared !== undefined;
  }

  /** Where no line editor is known to read, Ctrl-C could end a program; it is sent only where the line is still there. */
  private async empty(line: PendingLine, message: string): Promise<void> {
    this.parts.clear(CLEAR_LINE);
    await this.parts.settled();
    if (this.over) return;
    const left = line.isHidden ? undefined : await this.parts.pendingLine();
    const isLeft = left !== undefined && !left.isHidden && left.text.trim() !== '';
    this.parts.refused(line, message);
    this.parts.show(isLeft ? `\r\n${message}\r\n` : `\r\n${message}\r\n${line.prompt}`);
    if (!isLeft) return;
    this.parts.clear(GIVE_UP_LINE);
    await this.parts.settled();
  }
}

const UNREAD: PendingLine = { text: '', prompt: '', isHidden: false, isEditor: true, isUnread: true, seen: '' };
