import type { CommandRecord } from '../../../platform/command-record.ts';
import { type Hold, type Question, strictest } from '../../ports/guard.ts';
import type { NewSession, SessionStore } from '../../ports/records.ts';
import type { GatewayPorts } from '../../ports.ts';
import { wordProblem } from '../../refusal.ts';
import { checkWhole, decide, recordOf, type UnaskedVerdict } from '../begin-recorded.ts';
import { NO_LINE, type PendingLine, type RefusedLine } from './gated-terminal.ts';
import type { Answered } from './line-gate.ts';
import { isConfirmed } from './line-questions.ts';

/** Writes the commands of one session in order. */
export class CommandLog {
  private pending = 0;
  private last: Promise<void> = Promise.resolve();
  private readonly sessionId: string;
  private readonly store: Pick<SessionStore, 'addCommands'>;
  private readonly onFailure: (error: unknown) => void;

  /** `onFailure` must end the session: no command may run unlogged. */
  constructor(
    sessionId: string,
    store: Pick<SessionStore, 'addCommands'>,
    onFailure: (error: unknown) => void,
  ) {
    this.sessionId = sessionId;
    this.store = store;
    this.onFailure = onFailure;
  }

  add(command: CommandRecord): void {
    this.pending++;
    this.last = this.settle(this.store.addCommands(this.sessionId, [command]), this.last);
  }

  /**
   * Settles when all commands so far are durable, or the session ended because one could not be
   * written. Returns undefined if none is pending.
   */
  written(): Promise<void> | undefined {
    return this.pending === 0 ? undefined : this.last;
  }

  private async settle(written: Promise<void>, before: Promise<void>): Promise<void> {
    try {
      await written;
    } catch (error) {
      this.onFailure(error);
    }
    await before;
    this.pending--;
  }
}

export interface SessionCommandsParts {
  readonly ports: GatewayPorts;
  /** One session row per user who typed here, the owner first. */
  readonly sessions: () => readonly [NewSession, ...NewSession[]];
  /** Records a rejected line in the command tracker. */
  readonly refuse: (line: RefusedLine) => void;
  /** Asks the owner, or reviewers, about a line at our own prompt. */
  readonly ask: (
    asked: Question | Hold,
    line: PendingLine,
    held: string,
  ) => Promise<Answered | undefined>;
  /** Must end the session: no command may run unlogged. */
  readonly onFailure: (error: unknown) => void;
}

/** The commands of a terminal session: asks the guard about whole commands, and logs all. */
export class SessionCommands {
  private readonly parts: SessionCommandsParts;
  private readonly log: CommandLog;
  /**
   * The last line rejected at our own prompt. The tracker has seen its Enter and reports it again.
   */
  private refused: string | undefined;
  /** The last line confirmed at our own prompt, with the answer. */
  private confirmed: Pick<CommandRecord, 'input' | 'verdict'> | undefined;

  constructor(parts: SessionCommandsParts) {
    this.parts = parts;
    this.log = new CommandLog(parts.sessions()[0].id, parts.ports.sessions, parts.onFailure);
  }

  /** Logs a command that the tracker has detected. */
  detected(command: CommandRecord): void {
    const { confirmed } = this;
    if (!command.isRefused && command.input === this.refused) this.refused = undefined;
    else if (!command.isRefused && command.input === confirmed?.input) {
      this.confirmed = undefined;
      this.log.add({ ...command, ...confirmed });
    } else this.log.add(command);
  }

  /**
   * Asks the guard about a command that runs instead of a shell, and logs it. Returns the command
   * to run. @throws Refusal
   */
  async checkWhole(command: string): Promise<string> {
    const { ports, sessions } = this.parts;
    const allowed = await checkWhole(command, sessions()[0], ports);
    this.log.add(recordOf(command));
    return allowed;
  }

  /**
   * Asks the guard about a line of an enforced account, and the owner if the guard says so. Logs a
   * rejected line.
   */
  async decideLine(line: string): Promise<UnaskedVerdict> {
    const { ports, sessions, refuse, ask } = this.parts;
    const { guard, log } = ports;
    const [owner] = sessions();
    if (!guard)
      return {
        kind: 'deny',
        message: wordProblem({ code: 'account_enforced' }, owner.person.language),
      };
    const others = sessions()
      .slice(1)
      .map((session) => decide(guard, line, session, log));
    const first = await decide(guard, line, owner, log);
    const decision = strictest(first, await Promise.all(others));
    if (decision.kind === 'allow') return decision;
    const answer = decision.kind === 'deny' ? undefined : await ask(decision, NO_LINE, line);
    if (decision.kind !== 'deny' && answer && isConfirmed(answer.verdict)) {
      this.confirmed = { input: line, verdict: answer.verdict };
      return { kind: 'allow', command: decision.command };
    }
    const { message, verdict } = { verdict: undefined, ...decision, ...answer };
    this.refused = line;
    refuse({ text: line, message, verdict });
    return { kind: 'deny', message };
  }

  /** Settles when all commands so far are durable; undefined if none is pending. */
  written(): Promise<void> | undefined {
    return this.log.written();
  }
}
