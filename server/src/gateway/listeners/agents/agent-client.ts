import type { Problem } from '@sallyport/contract';
import type { TargetExit } from '../../protocols/connector.ts';
import { Refusal } from '../../refusal.ts';
import type { ExecClient, ExecSession } from '../../sessions/exec/exec-session.ts';
import type { OpenedSession } from '../../sessions/session-client.ts';

/** Ends that are no fault: the command itself ended. */
const QUIET: ReadonlySet<string> = new Set(['connect_target_closed', 'session_finished']);

/** The output of a command as bytes, up to a limit for both streams together. */
interface Collected {
  readonly output: Buffer;
  readonly errors: Buffer;
  readonly isCut: boolean;
}

/** The near side of a command that an agent runs: it has no input, and its output is bounded. */
export class AgentClient implements ExecClient {
  session: ExecSession | undefined;
  /** The opened session; undefined before the target accepted the account. */
  sessionId: string | undefined;
  exit: TargetExit | undefined;
  /** The reason for which the session ended; undefined if the command ended. */
  problem: Problem | undefined;
  private readonly room: number;
  private readonly normal: Buffer[] = [];
  private readonly errors: Buffer[] = [];
  private bytes = 0;
  private isCut = false;

  constructor(room: number) {
    this.room = room;
  }

  stage(): void {}

  askCredentials(): Promise<never> {
    return Promise.reject(new Refusal('agent_login'));
  }

  opened({ id }: OpenedSession): void {
    this.sessionId = id;
    this.session?.inputEnded();
  }

  /** Keeps what has room and drops the rest: the command must not wait for its reader. */
  output(chunk: Buffer, isError: boolean): boolean {
    const part = chunk.subarray(0, this.room - this.bytes);
    this.bytes += part.length;
    if (part.length < chunk.length) this.isCut = true;
    if (part.length > 0) (isError ? this.errors : this.normal).push(Buffer.from(part));
    return true;
  }

  exited(exit: TargetExit): void {
    this.exit = exit;
  }

  inputDrained(): void {}

  closed(problem: Problem): void {
    if (!QUIET.has(problem.code) || this.exit === undefined) this.problem = problem;
  }

  get collected(): Collected {
    return {
      output: Buffer.concat(this.normal),
      errors: Buffer.concat(this.errors),
      isCut: this.isCut,
    };
  }
}
