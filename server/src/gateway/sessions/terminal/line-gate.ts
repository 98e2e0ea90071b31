import { setTimeout as sleep } from 'node:timers/promises';
import { ERRORS, type ErrorCode, say } from '@sallyport/contract';
import {
  GUARD_ANSWER_SECONDS,
  GUARD_MS,
  MAX_GUARDED_PASTE,
  PROMPT_LOOK_MS,
  PROMPT_MS,
} from '../../limits.ts';
import type { Guard, Verdict } from '../../ports/guard.ts';
import type { NewSession } from '../../ports/records.ts';
import type { GatewayLog } from '../../ports.ts';
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
/** No prompt: an empty row, or the echo of a key. */
const ECHO_OR_NOTHING = /^(?:\^[A-Z])?\s*$/;
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

/** Who typed keys: the name of a guest, or nothing for the person of the session. */
export type Typist = string | undefined;

/** Keys that wait, with who typed them. */
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

/** Holds Enter back until the guard has decided. What is typed meanwhile waits in its order; after a refusal it is dropped. */
export class LineGate {
  private readonly parts: GateParts;
  private waiting: Typed[] = [];
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

  /** Takes what the person typed, or a guest. Only the person of the session answers questions. */
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

  /** Drops what waits of a guest who is gone. */
  forget(by: Typist): void {
    this.waiting = this.waiting.filter((typed) => typed.by !== by);
    this.waitingBytes = this.waiting.reduce((sum, { keys }) => sum + keys.length, 0);
    if (!this.deciding && this.waiting.length > 0) this.pass().catch(this.parts.failed);
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

  /** Decides on each line of a pasted block before any of it is sent; false while its end has not come. */
  private async passPaste(chunk: Buffer, begin: number, by: Typist): Promise<boolean> {
    const end = chunk.indexOf(PASTE_END, begin);
    if (end < 0 && chunk.length < MAX_GUARDED_PASTE) {
      // What others type meanwhile comes behind the block.
      const next = this.waiting.findIndex((typed) => typed.by === by);
      const [more] = next < 0 ? [] : this.waiting.splice(next, 1);
      // A guest who does not end a paste holds nobody else up.
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

  /** A guard that fails, or takes too long, refuses. */
  private async decide({ text, isHidden, isUnread, prompt }: PendingLine): Promise<Verdict> {
    const { guard, session, log } = this.parts;
    let timer: NodeJS.Timeout | undefined;
    try {
      const late = new Promise<never>((_done, failed) => {
        timer = setTimeout(() => failed(new Error('the guard did not answer in time')), GUARD_MS);
      });
      const asked = this.sessions.map((one) =>
        Promise.resolve(guard.before(text, { session: one, isHidden, isUnread, prompt })),
      );
      return strictest(await Promise.race([Promise.all(asked), late]));
    } catch (error) {
      log.error({ session: session.id, err: error }, 'a line could not be checked and was refused');
      return { kind: 'deny', message: this.text('command_not_checked') };
    } finally {
      clearTimeout(timer);
    }
  }

  /** A question without an answer refuses: output can keep a session from being idle for ever. */
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
    if ((await this.showsPrompt()) || this.over) return;
    this.parts.clear(CLEAR_AND_SHOW);
    await this.showsPrompt();
    if (!this.over && !this.isUncleared())
      this.parts.show(`\r\x1b[K${message}\r\n${this.promptOf(line)}`);
  }

  /** Waits for a prompt: a slow target first shows the key alone. @returns whether there is one */
  private async showsPrompt(): Promise<boolean> {
    const latest = performance.now() + PROMPT_MS;
    const hasPrompt = () => !ECHO_OR_NOTHING.test(this.parts.beforeCursor());
    for (
      await this.parts.settled(hasPrompt);
      !this.over && !hasPrompt() && performance.now() < latest;
    )
      await sleep(PROMPT_LOOK_MS);
    return hasPrompt();
  }

  /** The prompt of an emptied line. One that was typed ahead has none of its own: the one of the line editor is in front of the cursor now. */
  private promptOf({ prompt }: PendingLine): string {
    return prompt === '' && this.parts.takesMarkedPastes() ? this.parts.beforeCursor() : prompt;
  }

  private isUncleared(): boolean {
    const { uncleared, parts } = this;
    if (uncleared && (parts.prompts() !== uncleared.prompts || parts.isAtPrompt(uncleared.prompt)))
      this.uncleared = undefined;
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
    this.parts.show(isLeft ? `\r\n${message}\r\n` : `\r\n${message}\r\n${this.promptOf(line)}`);
    if (!isLeft) return;
    this.parts.clear(GIVE_UP_LINE);
    await this.parts.settled();
  }
}

/** Of several answers the strictest: one that refuses, else one that asks. */
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
