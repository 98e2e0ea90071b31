import { ERRORS, say } from '@sallyport/contract';
import { GUARD_ANSWER_SECONDS, GUARD_MS } from '../../limits.ts';
import type { GatewayLog, Guard, NewSession, Verdict } from '../../ports.ts';

/** Keys with which a line editor or a terminal accepts a line: Enter, Ctrl-J, and readline's Ctrl-O. */
const ENTER = new Set([0x0d, 0x0a, 0x0f]);
/** End of line, then delete to the beginning: the line at the target is emptied and nothing is run. */
const CLEAR_LINE = Buffer.from('\x05\x15');

/** A line whose Enter is held back. */
export interface PendingLine {
  readonly text: string;
  readonly prompt: string;
  readonly isHidden: boolean;
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
  readonly settled: () => Promise<void>;
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
  private answer: ((yes: boolean) => void) | undefined;
  private over = false;

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

  private drop(): void {
    this.waiting = [];
    this.waitingBytes = 0;
  }

  private async pass(): Promise<void> {
    this.deciding = true;
    for (let chunk = this.waiting.shift(); chunk && !this.over; chunk = this.waiting.shift()) {
      this.waitingBytes -= chunk.length;
      const enter = chunk.findIndex((byte) => ENTER.has(byte));
      if (enter < 0) {
        this.parts.send(chunk);
        continue;
      }
      const rest = chunk.subarray(enter + 1);
      if (rest.length > 0) {
        this.waiting.unshift(rest);
        this.waitingBytes += rest.length;
      }
      if (enter > 0) this.parts.send(chunk.subarray(0, enter));
      if (await this.mayEnter()) this.parts.send(chunk.subarray(enter, enter + 1));
    }
    this.deciding = false;
  }

  private async mayEnter(): Promise<boolean> {
    const line = await this.parts.pendingLine();
    if (this.over) return false;
    if (!line || line.text.trim() === '') return true;
    const verdict = await this.decide(line);
    if (this.over) return false;
    if (verdict.kind === 'allow') return true;
    if (verdict.kind === 'ask') {
      if (await this.confirmed(verdict, line)) return !this.over;
      await this.refuse(line, verdict.message);
      return false;
    }
    await this.refuse(line, verdict.message);
    return false;
  }

  /** A guard that fails, or takes too long, refuses. */
  private async decide({ text, isHidden }: PendingLine): Promise<Verdict> {
    const { guard, session, log } = this.parts;
    let timer: NodeJS.Timeout | undefined;
    try {
      const late = new Promise<never>((_done, failed) => {
        timer = setTimeout(() => failed(new Error('the guard did not answer in time')), GUARD_MS);
      });
      return await Promise.race([Promise.resolve(guard.before(text, { session, isHidden })), late]);
    } catch (error) {
      log.error({ session: session.id, err: error }, 'a line could not be checked and was refused');
      return { kind: 'deny', message: say(ERRORS.command_not_checked, session.person.language) };
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
    this.parts.clear(CLEAR_LINE);
    await this.parts.settled();
    if (this.over) return;
    this.parts.refused(line, message);
    this.parts.show(`\r\n${message}\r\n${line.prompt}`);
  }
}
