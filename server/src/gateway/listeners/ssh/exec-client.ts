import type { Language, Problem } from '@sallyport/contract';
import type { ChannelWriter, ServerChannel } from '@sallyport/ssh';
import type { TargetExit } from '../../protocols/connector.ts';
import { wordProblem } from '../../refusal.ts';
import type { ExecClient, ExecSession } from '../../sessions/exec/exec-session.ts';
import { OUR_EXIT, QUIET_ENDS, TextError } from './text-error.ts';
import { words } from './words.ts';

/** An exec channel of an SSH client, without a terminal, as the client of a session. */
export class SshExec implements ExecClient {
  session: ExecSession | undefined;
  private readonly channel: ServerChannel;
  private readonly writer: ChannelWriter;
  private readonly language: Language;
  private exit: TargetExit | undefined;
  private isOver = false;

  constructor(channel: ServerChannel, writer: ChannelWriter, language: Language) {
    this.channel = channel;
    this.writer = writer;
    this.language = language;
    writer.onDrain = () => this.session?.clientDrained();
  }

  stage(): void {}

  askCredentials(): Promise<never> {
    return Promise.reject(new TextError(words.needsTerminal));
  }

  opened(): void {
    if (this.isOver) return;
    this.channel.on('data', (chunk: Buffer) => {
      if (this.session?.input(chunk) === false) this.channel.pause();
    });
    this.channel.once('end', () => this.session?.inputEnded());
    this.channel.resume();
  }

  output(chunk: Buffer, isError: boolean): boolean {
    return this.writer.write(chunk, isError);
  }

  exited(exit: TargetExit): void {
    this.exit = exit;
  }

  inputDrained(): void {
    if (!this.isOver) this.channel.resume();
  }

  closed(problem: Problem): void {
    if (this.isOver) return;
    this.isOver = true;
    const isQuiet = QUIET_ENDS.has(problem.code);
    if (!isQuiet)
      this.writer.write(Buffer.from(`sallyport: ${wordProblem(problem, this.language)}\n`), true);
    this.writer.end(isQuiet && this.exit ? this.exit : { code: OUR_EXIT });
  }
}
