/** An SSH server that a test connects to as the target of a session. */
export interface SshTarget {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  /** Undefined when the server is a real sshd and the test does not run as root. */
  readonly password: string | undefined;
  /** OpenSSH private key that the server accepts for `username`. */
  readonly privateKey: string;
  /** Home folder of `username`. */
  readonly home: string;
  /** Kills every connection and the server, as a crash of the target would. */
  kill(): Promise<void>;
  /** Replaces the host key and starts again on the same port. */
  restartWithNewHostKey(): Promise<void>;
  stop(): Promise<void>;
}
