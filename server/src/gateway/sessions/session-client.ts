import type { ConnectStage, DesktopFacts, Problem } from '@sallyport/contract';

/** What the near side learns of its open session. */
export interface OpenedSession {
  readonly id: string;
  readonly asset: string;
  readonly account: string;
  /** The outdated algorithms that its connection to the target uses; mostly none. */
  readonly oldAlgorithms: readonly string[];
}

/** The near side of a session, whatever its kind: a browser's socket, or a channel of an SSH client. */
export interface SessionClient {
  stage(stage: ConnectStage, host?: string): void;
  /** Asks the person for the account at the target. Rejects when the person is gone. */
  askCredentials(
    username: string,
    reason: 'manual' | 'rejected',
  ): Promise<{ readonly username: string; readonly password: string }>;
  /** Asks for a code of the second factor; absent where nobody can be asked. Rejects when the person is gone. */
  askFactor?(again: boolean): Promise<string>;
  opened(session: OpenedSession): void;
  /** Tells the person about the session while it runs; `isOver` when the cause of the notice before it has ended. Absent where nothing can be shown. */
  notice?(problem: Problem, isOver: boolean): void;
  /** The last call. */
  closed(problem: Problem): void;
}

/** Follows a live session. A slow watcher must never slow the session. */
export interface Watcher {
  /** Takes output; of a desktop, `isStart` where it begins with a whole message. */
  output(chunk: Buffer, isStart?: boolean): void;
  resize(cols: number, rows: number): void;
  /** A desktop begins, before its first output; absent where desktops cannot be seen. */
  desktop?(facts: DesktopFacts): void;
  /** Where the pointer of a desktop is. */
  pointer?(x: number, y: number): void;
  closed(problem: Problem): void;
}

/** The near end of a guest, who sees a session and may perhaps type in it. */
export interface GuestClient extends Watcher {
  /** Stops reading from the guest for a moment, or goes on. */
  holdInput(on: boolean): void;
  /** Whether the guest may type from now on. */
  mayType(on: boolean): void;
}
