import {
  type ApprovalProgress,
  type ConnectStage,
  type Language,
  type Problem,
  say,
} from '@sallyport/contract';
import type { ChannelWriter, ServerChannel } from '@sallyport/ssh';
import type { GatewayPorts } from '../../../ports.ts';
import type { TargetExit, TerminalSize } from '../../../protocols/connector.ts';
import type { DatabaseDriver } from '../../../protocols/drivers/driver.ts';
import { wordProblem } from '../../../refusal.ts';
import type {
  Answer,
  DatabaseClient,
  DatabaseConnection,
  StatementQuestion,
} from '../../../sessions/database/database-client.ts';
import type { DatabaseSession } from '../../../sessions/database/database-session.ts';
import { readAnswer, readLine, TerminalQuestions } from '../questions.ts';
import { plainText } from '../table.ts';
import { OUR_EXIT, QUIET_ENDS } from '../text-error.ts';
import { DatabasePrompt } from './prompt.ts';
import { resultLines } from './result-pages.ts';
import { words } from './words.ts';

const YES = /^\s*(y|yes|是)\s*$/i;

export interface SshDatabaseParts {
  readonly channel: ServerChannel;
  readonly writer: ChannelWriter;
  readonly language: Language;
  readonly size: () => TerminalSize;
  /** Folder of stored results. */
  readonly folder: string | undefined;
  readonly ports: Pick<GatewayPorts, 'undoScripts' | 'log'>;
  /** Runs this text instead of prompting. */
  readonly command: string | undefined;
  /** Returns the channel. */
  readonly onClosed: (exit: TargetExit) => void;
}

/** The terminal of an SSH client, as the client of a database session with a prompt. */
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

  /**
   * Sets the open database; called once, before `opened`. Returns the connection for the session.
   */
  attach(session: DatabaseSession, driver: DatabaseDriver): DatabaseConnection {
    const prompt = new DatabasePrompt({
      ...this.parts,
      session,
      driver,
      show: this.show,
      signal: this.over.signal,
    });
    this.prompt = prompt;
    return { close: () => prompt.disconnect() };
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

  async confirm({ message, seconds, expects, preview }: StatementQuestion): Promise<Answer> {
    const { channel, language } = this.parts;
    const late = AbortSignal.timeout(seconds * 1000);
    const signal = AbortSignal.any([late, this.over.signal]);
    const release = this.prompt?.holdBreak();
    const { show } = this;
    try {
      show(`${plainText(message).replaceAll('\n', '\r\n')}\r\n`);
      if (preview && preview.rows.length > 0) {
        const lines = resultLines(preview.columns, preview.rows, this.parts.size().cols, 1);
        show(`${lines.join('\r\n')}\r\n`);
      }
      const isGiven =
        typeof expects === 'string' && expects !== 'enter'
          ? YES.test(
              await readLine(channel, { prompt: say(words.confirm, language), show, signal }),
            )
          : await readAnswer(channel, { expects, language, show, signal });
      return isGiven ? 'given' : 'declined';
    } catch {
      return late.aborted ? 'unanswered' : 'declined';
    } finally {
      release?.();
    }
  }

  opened(): void {
    this.working = this.prompt?.work();
  }

  notice(problem: Problem): void {
    this.show(`\r\n\x1b[7m ${wordProblem(problem, this.parts.language)} \x1b[0m\r\n`);
  }

  closed(problem: Problem): void {
    this.questions.decided();
    this.over.abort();
    if (this.working) void this.working.then((isWell) => this.leave(problem, isWell));
    else this.leave(problem, false);
  }

  private leave(problem: Problem, isWell: boolean): void {
    const { channel, language, onClosed } = this.parts;
    const isQuiet = QUIET_ENDS.has(problem.code);
    if (!isQuiet) this.show(`\r\n${wordProblem(problem, language)}\r\n`);
    const rest = this.prompt?.takeTyped() ?? '';
    channel.pause();
    if (rest !== '') channel.unshift(Buffer.from(rest));
    onClosed({ code: isQuiet ? (isWell ? 0 : 1) : OUR_EXIT });
  }

  private readonly show = (text: string): void => void this.parts.writer.write(Buffer.from(text));
}
