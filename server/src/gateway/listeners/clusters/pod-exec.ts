import type { Language, Problem } from '@sallyport/contract';
import type { TargetExit } from '../../protocols/connector.ts';
import type { ChannelName, Channels } from '../../protocols/kubernetes/channels.ts';
import { type CommandEnd, writeStatus } from '../../protocols/kubernetes/command-status.ts';
import { Refusal } from '../../refusal.ts';
import type { ExecClient, ExecSession } from '../../sessions/exec/exec-session.ts';
import { endFor, type PodClient } from './pod-client.ts';

/** A command of a Kubernetes client without a terminal, as the client of a session. */
export class PodExec implements ExecClient, PodClient {
  session: ExecSession | undefined;
  private side: Channels | undefined;
  private readonly language: Language;
  private readonly early: { readonly chunk: Buffer; readonly isError: boolean }[] = [];
  private end: CommandEnd;
  private isOver = false;
  private exit: TargetExit | undefined;

  constructor(language: Language) {
    this.language = language;
  }

  readonly waitSeconds = 45;

  stage(): void {}

  opened(): void {}

  askCredentials(): Promise<never> {
    return Promise.reject(new Refusal('connect_no_account'));
  }

  attach(side: Channels): void {
    this.side = side;
    let isRead = true;
    for (const { chunk, isError } of this.early) isRead = this.output(chunk, isError);
    this.early.length = 0;
    if (this.isOver) this.finish();
    else if (isRead) this.session?.clientDrained();
  }

  onData(channel: ChannelName, bytes: Buffer): void {
    if (channel === 'stdin' && this.session?.input(bytes) === false) this.side?.pause();
  }

  onFinish(channel: ChannelName): void {
    if (channel === 'stdin') this.session?.inputEnded();
  }

  onDrain(): void {
    this.session?.clientDrained();
  }

  onClose(): void {
    this.session?.end('session_finished');
  }

  /** Keeps output that arrives before the client's streams are open, and pauses the command. */
  output(chunk: Buffer, isError: boolean): boolean {
    if (this.side) return this.side.write(isError ? 'stderr' : 'stdout', chunk);
    this.early.push({ chunk, isError });
    return false;
  }

  inputDrained(): void {
    this.side?.resume();
  }

  exited(exit: TargetExit): void {
    this.exit = exit;
  }

  closed(problem: Problem): void {
    if (this.isOver) return;
    this.isOver = true;
    this.end = endFor(problem, this.exit, this.language);
    if (this.side) this.finish();
  }

  private finish(): void {
    this.side?.write('error', writeStatus(this.end));
    this.side?.close();
  }
}
