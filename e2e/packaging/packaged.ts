/** The product as one of its packagings runs it. */
export interface Packaged {
  readonly url: string;
  /** Starts it, the first time or again. */
  start(): Promise<void>;
  /** Stops the program as an operator does. @throws Error if it does not exit with status 0 */
  stop(): Promise<void>;
  /** Runs the health check of the packaging. @throws Error if the program is unhealthy */
  check(): Promise<void>;
  /** Runs a script where the program runs. `$1` is the process of the program there. */
  inside(script: string): Promise<string>;
  /** Returns the program's output. */
  log(): Promise<string>;
  /** The folder with its data, as this machine sees it. */
  readonly data: string;
  /** Stops it if it runs, and removes all of it. */
  remove(): Promise<void>;
}

/**
 * Settings that differ from those of an operator: free ports on loopback only, and an sshd of this
 * machine as target.
 */
export const settings = (
  password: string,
  httpPort: number,
  sshPort: number,
): Readonly<Record<string, string>> => ({
  SALLYPORT_ADMIN_PASSWORD: password,
  SALLYPORT_HTTP_HOST: '127.0.0.1',
  SALLYPORT_HTTP_PORT: String(httpPort),
  SALLYPORT_SSH_HOST: '127.0.0.1',
  SALLYPORT_SSH_PORT: String(sshPort),
  SALLYPORT_TARGET_NETWORKS: '127.0.0.0/8',
});
