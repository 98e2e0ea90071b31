import type { ConnectStage, Problem } from '@sallyport/contract';

/** The person's end of a session: a browser's socket, or a channel of an SSH client. */
export interface NearEnd {
  stage(stage: ConnectStage, host?: string): void;
  /** Asks the person for the account at the target. Rejects when the person is gone. */
  askCredentials(username: string, reason: 'manual' | 'rejected'): Promise<{ readonly username: string; readonly password: string }>;
  opened(session: { readonly id: string; readonly asset: string; readonly account: string }): void;
  /** Takes output; the end acknowledges it to the session when the person has seen it. */
  output(chunk: Buffer): void;
  /** The last call. */
  closed(problem: Problem): void;
}

/** Somebody who looks on. Whatever is slow here must never slow the session. */
export interface Watcher {
  output(chunk: Buffer): void;
  resize(cols: number, rows: number): void;
  closed(problem: Problem): void;
}

/** What a person asks for. */
export interface ConnectionRequest {
  readonly assetId: string;
  readonly systemUserId: string;
  readonly cols: number;
  readonly rows: number;
}
