/** An SSH server as the target of a test's session. */
export interface SshTarget {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  /** Undefined for a real sshd in tests that do not run as root. */
  readonly password: string | undefined;
  /** OpenSSH private key that the server accepts for `username`. */
  readonly privateKey: string;
  /** Home folder of `username`. */
  readonly home: string;
  /** Kills the server and all connections, like a crash. */
  kill(): Promise<void>;
  /** Replaces the host key and restarts on the same port. */
  restartWithNewHostKey(): Promise<void>;
  stop(): Promise<void>;
}
