export interface SshResult {
  /** Exit status of the command; 255 if the connection failed. */
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface SshCall {
  /** Full login name: `user`, or `user@account@asset`. */
  readonly login: string;
  readonly command?: string;
  readonly password?: string;
  /** Answers to further prompts. */
  readonly code?: string;
  readonly newPassword?: string;
  readonly input?: Buffer | string;
  /** Closes the input once the output matches. */
  readonly until?: RegExp;
  /** Options of OpenSSH's `ssh`. */
  readonly options?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** An interactive SSH connection to the listener. */
export interface SshShell {
  type(text: string | Buffer): void;
  onOutput(take: (chunk: Buffer) => void): void;
  /** Resolves to the exit status of the client. */
  readonly ended: Promise<number | null>;
  /** Kills the client without a disconnect message. */
  kill(): void;
}

/** A client of the SSH listener under test. */
export interface SshCalls {
  run(call: SshCall): Promise<SshResult>;
  shell(call: SshCall): SshShell;
  stop(): Promise<void>;
}
