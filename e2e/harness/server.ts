import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { embeddedUrl } from '../../server/src/platform/db/embedded.ts';
import { Client } from '../../server/src/testing/client.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const READY = /is ready: (http:\/\/\S+)/;
const START_MILLISECONDS = 110_000;
const execute = promisify(execFile);

interface Account {
  readonly username: string;
  readonly password: string;
}

export const ADMIN: Account = { username: 'admin', password: 'first administrator 1' };

/** Signs in to a server as a script does. */
export async function signedIn(url: string, { username, password }: Account): Promise<Client> {
  const visitor = new Client(url);
  const { status, body, text } = await visitor.post<{ token: string }>('authentication/auth/', {
    username,
    password,
  });
  if (status !== 201) throw new Error(`signing in as ${username} answered ${status} ${text}`);
  return visitor.with({ authorization: `Bearer ${body.token}` });
}

export interface ServerOptions {
  /** With sample data. */
  readonly demo?: boolean;
  /** Data folder of a stopped server; the new server starts from a copy of it. */
  readonly copyOf?: string;
  /** A database elsewhere, instead of the embedded one. */
  readonly externalUrl?: string | undefined;
  /** The port of its console and API; without one it takes any that is free. */
  readonly httpPort?: number;
  /** The port of its SSH listener; without one it is switched off. */
  readonly sshPort?: number;
  /** The port of its listener for clients of MySQL; without one it is switched off. */
  readonly mysqlPort?: number;
  /** Run below a parent, which upgrades need. */
  readonly upgrades?: boolean;
}

/** The product as a process, started by its own command, with its own data folder. */
export class Server {
  readonly #parent: string;
  readonly #demo: boolean;
  readonly #sshPort: number;
  readonly #mysqlPort: number;
  readonly #upgrades: boolean;
  readonly #externalUrl: string | undefined;
  #child: ChildProcess | undefined;
  #port: string;
  #url = '';
  #output = '';

  private constructor(
    parent: string,
    {
      demo = false,
      externalUrl,
      httpPort = 0,
      sshPort = 0,
      mysqlPort = 0,
      upgrades = false,
    }: ServerOptions,
  ) {
    this.#externalUrl = externalUrl;
    this.#parent = parent;
    this.#demo = demo;
    this.#port = String(httpPort);
    this.#sshPort = sshPort;
    this.#mysqlPort = mysqlPort;
    this.#upgrades = upgrades;
  }

  /** Starts it on a new data folder and waits until it says that it is ready. */
  static async launch(options: ServerOptions = {}): Promise<Server> {
    const parent = await mkdtemp(join(tmpdir(), 'sallyport-e2e-'));
    // The account that PostgreSQL runs as must be able to pass through.
    await chmod(parent, 0o711);
    const server = new Server(parent, options);
    try {
      // The files belong to several accounts, and keep them.
      if (options.copyOf) await execute('cp', ['-a', options.copyOf, server.#folder]);
      await server.start();
    } catch (error) {
      await rm(parent, { recursive: true, force: true });
      throw error;
    }
    return server;
  }

  get #folder(): string {
    return join(this.#parent, 'data');
  }

  /** Starts it, the first time or again on the same folder and the same port. */
  async start(): Promise<void> {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(SALLYPORT_|VITEST|NODE_OPTIONS|NODE_ENV)/.test(name),
    );
    const child = spawn(
      process.execPath,
      [join(ROOT, 'server/dist/main.mjs'), ...(this.#demo ? ['--demo'] : [])],
      {
        cwd: this.#parent,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...Object.fromEntries(inherited),
          SALLYPORT_DATA_DIR: this.#folder,
          ...(this.#externalUrl && { SALLYPORT_DATABASE_URL: this.#externalUrl }),
          SALLYPORT_HTTP_PORT: this.#port,
          SALLYPORT_SSH_PORT: String(this.#sshPort),
          ...(this.#mysqlPort > 0 && { SALLYPORT_MYSQL_PORT: String(this.#mysqlPort) }),
          SALLYPORT_PROCESSES: this.#upgrades ? '2' : '1',
          SALLYPORT_TARGET_NETWORKS: '127.0.0.0/8',
          SALLYPORT_ADMIN_PASSWORD: ADMIN.password,
        },
      },
    );
    this.#child = child;
    let output = '';
    const ready = Promise.withResolvers<string>();
    const listen = (chunk: Buffer) => {
      this.#output += chunk.toString();
      output += chunk.toString();
      const address = READY.exec(output)?.[1];
      if (address) ready.resolve(address);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('exit', (code) =>
      ready.reject(new Error(`the server ended with ${code} before it was ready:\n${output}`)),
    );
    const timer = setTimeout(
      () => ready.reject(new Error(`the server was not ready in time:\n${output}`)),
      START_MILLISECONDS,
    );
    try {
      this.#url = await ready.promise;
      this.#port = new URL(this.#url).port;
    } finally {
      clearTimeout(timer);
    }
  }

  get url(): string {
    return this.#url;
  }

  /** All that it has printed, over all its starts. */
  get output(): string {
    return this.#output;
  }

  /** Where its rows are, for what cannot be brought about from outside: time that has passed. */
  get databaseUrl(): string {
    return embeddedUrl(this.#demo ? `${this.#folder}-demo` : this.#folder, 'setup');
  }

  /** Runs an operator command while the server runs, and returns its output. */
  async command(...words: readonly string[]): Promise<string> {
    const { stdout } = await execute(
      process.execPath,
      [join(ROOT, 'scripts/sallyport.mjs'), ...words],
      {
        env: { ...process.env, SALLYPORT_DATA_DIR: this.#folder },
      },
    );
    return stdout;
  }

  /** Replaces the program by the same one, while sessions continue in the old processes. */
  async upgrade(): Promise<void> {
    await execute(process.execPath, [join(ROOT, 'server/dist/cli.mjs'), 'upgrade'], {
      env: { PATH: process.env.PATH ?? '', SALLYPORT_DATA_DIR: this.#folder },
    });
  }

  /** Returns true if the file of an unfinished recording contains a text. */
  async hasRecorded(text: string): Promise<boolean> {
    const folder = join(this.#folder, 'recordings');
    const files = (await readdir(folder, { recursive: true })).filter((name) =>
      name.endsWith('.cast'),
    );
    const contents = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
    return contents.some((content) => content.includes(text));
  }

  /** Ends it as a power cut would. */
  async crash(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  /** Ends it in order and removes all that it kept. */
  async stop(): Promise<void> {
    await this.stopAndKeep();
    await rm(this.#parent, { recursive: true, force: true });
  }

  /** Ends it in order and keeps its data folder. */
  async stopAndKeep(): Promise<string> {
    await this.#end('SIGTERM');
    return this.#folder;
  }

  /** Signs in as a script does. */
  signIn(account: Account = ADMIN): Promise<Client> {
    return signedIn(this.#url, account);
  }
}
