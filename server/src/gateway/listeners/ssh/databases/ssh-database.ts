import { type Language, type Problem, say } from '@sallyport/contract';
import type { ChannelWriter } from '../../../../platform/ssh/channel-writer.ts';
import type { ServerChannel } from '../../../../platform/ssh/ssh2.ts';
import type { GatewayLog } from '../../../ports.ts';
import type { TargetExit, TerminalSize } from '../../../protocols/connector.ts';
import type { DatabaseDriver } from '../../../protocols/drivers/driver.ts';
import { wordProblem } from '../../../refusal.ts';
import type {
  DatabaseClient,
  DatabaseSession,
} from '../../../sessions/database/database-session.ts';
import { OUR_EXIT, QUIET } from '../ends.ts';
import { readLine } from '../line-reader.ts';
import { TerminalQuestions } from '../questions.ts';
import { plainText } from '../table.ts';
import { DatabasePrompt } from './prompt.ts';
import { words } from './words.ts';

/** The terminal that a database is used in. */
export interface SshDatabaseParts {
  readonly channel: ServerChannel;
  readonly writer: ChannelWriter;
  readonly language: Language;
  readonly size: () => TerminalSize;
  /** Where results are kept. */
  readonly folder: string | undefined;
  readonly log: GatewayLog;
  /** Runs this instead of asking for statements. */
  readonly command: string | undefined;
  /** Gets the channel back. */
  readonly onClosed: (exit: TargetExit) => void;
}

/** The terminal of an SSH client, as the near side of a database session: statements are typed at a prompt. */
export class SshDatabase implements DatabaseClient {
  private readonly parts: SshDatabaseParts;
  private readonly questions: TerminalQuestions;
  private readonly over = new AbortController();
  private prompt: DatabasePrompt | undefined;
  private working: Promise<boolean> | undefined;

  constructor(parts: SshDatabaseParts) {
    this.parts = parts;
    this.questions = new TerminalQuestions(parts.channel, parts.writer, parts.language);
  }

  /** Takes the open database; called once, before `opened`. */
  attach(session: DatabaseSession, driver: DatabaseDriver): void {
    this.prompt = new DatabasePrompt({
      ...this.parts,
      session,
      driver,
      show: this.show,
      signal: this.over.signal,
    });
  }

  stage(): void {}

  askCredentials(
    username: string,
    reason: 'manual' | 'rejected',
  ): Promise<{ username: string; password: string }> {
    return this.questions.credentials(username, reason);
  }

  askFactor(again: boolean): Promise<string> {
    return this.questions.factor(again);
  }

  /** A statement waits for an answer; none in time is no. */
  async confirm(message: string, seconds: number): Promise<boolean> {
    const { channel, language } = this.parts;
    const late = AbortSignal.any([AbortSignal.timeout(seconds * 1000), this.over.signal]);
    const goOn = this.prompt?.holdBreak();
    try {
      this.show(`${plainText(message).replaceAll('\n', '\r\n')}\r\n`);
      const answer = await readLine(channel, this.show, say(words.confirm, language), false, late);
      return /^\s*(y|yes|是)\s*$/i.test(answer);
    } catch {
      return false;
    } finally {
      goOn?.();
    }
  }

  opened(): void {
    this.working = this.prompt?.work();
  }

  notice(problem: Problem): void {
    this.show(`\r\n\x1b[7m ${wordProblem(problem, this.parts.language)} \x1b[0m\r\n`);
  }

  closed(problem: Problem): void {
    this.over.abort();
    if (this.working) void this.working.then((isWell) => this.leave(problem, isWell));
    else this.leave(problem, false);
  }

  private leave(problem: Problem, isWell: boolean): void {
    const { channel, language, onClosed } = this.parts;
    const isQuiet = QUIET.has(problem.code);
    if (!isQuiet) this.show(`\r\n${wordProblem(problem, language)}\r\n`);
    const rest = this.prompt?.takeTyped() ?? '';
    channel.pause();
    if (rest !== '') channel.unshift(Buffer.from(rest));
    onClosed({ code: isQuiet ? (isWell ? 0 : 1) : OUR_EXIT });
  }

  private readonly show = (text: string): void => void this.parts.writer.write(Buffer.from(text));
}
