/** What an SSH client that has ended leaves. */
export interface SshResult {
  /** Status of the command; 255 when the connection failed. */
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** How a test calls an SSH client. */
export interface SshCall {
  /** The whole name: `user`, or `user@account@asset`. */
  readonly login: string;
  readonly command?: string;
  readonly password?: string;
  /** Answers to further questions, by a part of their prompt. */
  readonly code?: string;
  readonly newPassword?: string;
  readonly input?: Buffer | string;
  /** The input ends as soon as the output matches. */
  readonly until?: RegExp;
  /** Options of OpenSSH's `ssh`. */
  readonly options?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** An SSH connection to the listener that a test types into. */
export interface SshShell {
  type(text: string): void;
  onOutput(take: (chunk: Buffer) => void): void;
  /** Resolves to the status of the client when it has ended. */
  readonly ended: Promise<number | null>;
  /** Ends the client at once, as a killed program would. */
  kill(): void;
}

/** A client of the SSH listener under test. */
export interface SshCalls {
  run(call: SshCall): Promise<SshResult>;
  /** Opens a shell in a terminal. */
  shell(call: SshCall): SshShell;
  stop(): Promise<void>;
}
