import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { Client } from './client.ts';
import { LICENSE_PUBLIC_KEY } from './license.ts';
import { removeFolder } from './remove-folder.ts';
import { type TestDatabase, URL_VARIABLE } from './test-database.ts';

/** The program that `npm start` runs. */
export const MAIN = resolve(import.meta.dirname, '../../dist/main.mjs');

/** The program in a separate process. */
export interface Command {
  readonly child: ChildProcess;
  /** Returns the output so far. */
  readonly output: () => string;
  /** Settles with the exit code; null after a signal. */
  readonly ended: Promise<number | null>;
  /** Waits for the printed address. @throws Error if the process exits before */
  ready(): Promise<string>;
}

/** Starts the command with only the given variables of Sallyport. */
export function runCommand(environment: Readonly<Record<string, string>>): Command {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !name.startsWith('SALLYPORT_') || name === URL_VARIABLE,
    ),
  );
  const child = spawn(process.execPath, [MAIN], {
    // The same on every machine; the default depends on its cores.
    env: { ...inherited, NODE_NO_WARNINGS: '1', SALLYPORT_PROCESSES: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const hear = (chunk: unknown) => {
    printed += String(chunk);
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    child,
    output: () => printed,
    ended,
    async ready() {
      const address = () => /is ready: (http:\S+)/.exec(printed)?.[1];
      let isOver = false;
      void ended.then(() => {
        isOver = true;
      });
      while (!address()) {
        if (isOver) throw new Error(`the command ended: ${printed}`);
        await Promise.race([once(child.stdout, 'data'), ended]);
      }
      return address() ?? '';
    },
  };
}

/** Password of the first administrator. */
export const ADMIN_PASSWORD = 'of the command';

/** A running command, and sign-in; by default of the administrator. */
export interface StartedCommand {
  readonly command: Command;
  signIn(username?: string, password?: string): Promise<Client>;
}

/**
 * Gives each test of a file an empty data folder and a start function; stops all commands
 * afterwards.
 */
export function useCommands() {
  let folder = '';
  const commands: Command[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sallyport-command-'));
    // The account of PostgreSQL needs access to the folder.
    await chmod(folder, 0o711);
  });
  afterEach(async () => {
    for (const { child, ended } of commands.splice(0)) {
      child.kill('SIGTERM');
      await ended;
    }
    await removeFolder(folder);
  });
  const environment = (more: Readonly<Record<string, string>> = {}) => ({
    SALLYPORT_DATA_DIR: folder,
    SALLYPORT_HTTP_PORT: '0',
    SALLYPORT_SSH_PORT: '0',
    SALLYPORT_ADMIN_PASSWORD: ADMIN_PASSWORD,
    SALLYPORT_LOG_LEVEL: 'warn',
    ...more,
  });
  const start = (more: Readonly<Record<string, string>> = {}): Command => {
    const command = runCommand(environment(more));
    commands.push(command);
    return command;
  };
  return {
    folder: () => folder,
    environment,
    start,
    /**
     * Starts on a test's database, which outlives the command: for tests that kill and restart it.
     */
    async startOn(
      database: Pick<TestDatabase, 'url'>,
      variables: Readonly<Record<string, string>> = {},
    ): Promise<StartedCommand> {
      const command = start({
        ...variables,
        SALLYPORT_DATABASE_URL: database.url,
        SALLYPORT_SECRET_KEY: 'a'.repeat(64),
        SALLYPORT_LICENSE_PUBLIC_KEY: LICENSE_PUBLIC_KEY,
        SALLYPORT_TARGET_NETWORKS: '127.0.0.0/8',
      });
      const visitor = new Client(await command.ready());
      return {
        command,
        async signIn(username = 'admin', password = ADMIN_PASSWORD) {
          const { body } = await visitor.post<{ token: string }>('authentication/auth/', {
            username,
            password,
          });
          return visitor.with({ authorization: `Bearer ${body.token}`, 'accept-language': 'en' });
        },
      };
    },
  };
}
