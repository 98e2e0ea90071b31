import type { ApprovalProgress, ConnectStage, DesktopFacts, Problem } from '@sallyport/contract';

export interface OpenedSession {
  readonly id: string;
  readonly asset: string;
  readonly account: string;
  /** Outdated algorithms that the connection to the target uses; usually empty. */
  readonly oldAlgorithms: readonly string[];
}

export interface Screen {
  readonly size: { readonly cols: number; readonly rows: number };
  /** Bytes that draw the current screen in an empty terminal. */
  snapshot(): Buffer;
}

/** The near side of a session of any kind: a browser's socket, or a channel of an SSH client. */
export interface SessionClient {
  /** `progress`: that of an approval in several stages. */
  stage(stage: ConnectStage, host?: string, progress?: ApprovalProgress): void;
  /** Asks the user for the account at the target. Rejects when the user leaves. */
  askCredentials(
    username: string,
    reason: 'manual' | 'rejected',
  ): Promise<{ readonly username: string; readonly password: string }>;
  /**
   * Asks for a code of the second factor. Rejects when the user leaves. Absent if the client cannot
   * ask.
   */
  askFactor?(again: boolean): Promise<string>;
  /**
   * Asks why the user connects, for reviewers. `withdrawn` aborts when the user withdraws the
   * request. Absent if the client cannot ask.
   */
  askReason?(): Promise<{ readonly reason: string; readonly withdrawn?: AbortSignal }>;
  /** Seconds for which a client waits for a reviewer without a reason; absent if it cannot. */
  readonly waitSeconds?: number;
  opened(session: OpenedSession): void;
  /**
   * Shows a notice while the session runs. `isOver` reports that the cause of the previous notice
   * has ended. Absent if the client cannot show notices.
   */
  notice?(problem: Problem, isOver: boolean): void;
  /** Reports the end of the session. Called last. */
  closed(problem: Problem): void;
}

/** Follows a live session. A slow watcher must not slow the session. */
export interface Watcher {
  /** Takes output. For a desktop, `isStart` is true if the chunk begins with a whole message. */
  output(chunk: Buffer, isStart?: boolean): void;
  resize(cols: number, rows: number): void;
  /**
   * Starts a desktop; called before its first output. Absent if the watcher cannot show desktops.
   */
  desktop?(facts: DesktopFacts): void;
  /** Moves the pointer of a desktop. */
  pointer?(x: number, y: number): void;
  closed(problem: Problem): void;
}

/** The client of a guest, who watches a session and may be allowed to type. */
export interface GuestClient extends Watcher {
  /** Pauses or resumes reading from the guest. */
  holdInput(on: boolean): void;
  /** Allows the guest to type, or forbids it. */
  mayType(on: boolean): void;
}
