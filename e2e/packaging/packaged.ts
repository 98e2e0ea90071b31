/** The product as one of its packagings runs it. */
export interface Packaged {
  readonly url: string;
  /** Starts it, the first time or again. */
  start(): Promise<void>;
  /** Stops it as an operator does. @throws Error when it did not end by itself, with a status of 0 */
  stop(): Promise<void>;
  /** Looks whether it is well in the way that its packaging has for that. @throws Error when it is not */
  check(): Promise<void>;
  /** Runs a script where the program runs. `$1` is the process of the program there. */
  inside(script: string): Promise<string>;
  /** What it has printed. */
  log(): Promise<string>;
  /** The folder with its data, as this machine sees it. */
  readonly data: string;
  /** Stops it if it runs, and removes all of it. */
  remove(): Promise<void>;
}

/** What differs from what an operator would have: ports that are free here, on loopback alone, and an sshd of this machine as target. */
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
