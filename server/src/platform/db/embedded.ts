import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StartError } from '../../config.ts';
import { chooseAccount, findBinaries, type RunAs, unreachable } from './account.ts';
import { stopOrphan } from './orphan.ts';
import {
  APPLICATION_ROLE,
  DATABASE,
  ensurePasswords,
  type Passwords,
  prepareRoles,
  readPassword,
  SETUP_ROLE,
  separateRoles,
} from './roles.ts';
import { prepareSocketFolder, socketPath } from './socket-folder.ts';

/**
 * Environment variables for PostgreSQL's programs. Other variables hold secrets that their process
 * entries would reveal.
 */
const ENVIRONMENT = ['PATH', 'TZ', 'SystemRoot', 'TEMP'];

function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    ENVIRONMENT.flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  );
}

/** A private PostgreSQL server in the data folder, which listens on a Unix socket only. */
export interface EmbeddedDatabase {
  /** URL for the program. Its role owns the database and is not a superuser. */
  readonly url: string;
  /** URL for tasks of a superuser. The program uses it only during the start. */
  readonly setupUrl: string;
  /** Resolves with a reason if the server ends without `stop`. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

/** A PostgreSQL server that is starting. */
export interface LaunchedDatabase {
  /**
   * Resolves when the server accepts connections.
   * @throws StartError if it does not become ready; the message names the log
   */
  readonly ready: Promise<EmbeddedDatabase>;
  stop(): Promise<void>;
}

/** Bytes of PostgreSQL's log at which a start begins a new one; the one before is kept. */
const MAX_LOG = 5 * 1024 * 1024;

function rotate(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG)
    renameSync(path, `${path}.1`);
}

/**
 * Starts the embedded PostgreSQL. Creates it on the first start and cleans up after a crash.
 *
 * @throws StartError if it cannot be created or does not become ready; the message names the log.
 */
export async function startEmbedded(
  dataDirectory: string,
  options: { readonly maximumConnections?: number } = {},
): Promise<EmbeddedDatabase> {
  return (await launchEmbedded(dataDirectory, options)).ready;
}

/**
 * Like `startEmbedded`, but returns before the server is ready.
 * @throws StartError if the database cannot be created
 */
export async function launchEmbedded(
  dataDirectory: string,
  { maximumConnections = 100 }: { readonly maximumConnections?: number } = {},
): Promise<LaunchedDatabase> {
  const binaries = findBinaries();
  const folder = join(dataDirectory, 'postgres');
  const logFile = join(dataDirectory, 'postgres.log');
  const passwords = ensurePasswords(dataDirectory);
  const runAs = existsSync(join(folder, 'PG_VERSION'))
    ? chooseAccount(folder, binaries.postgres)
    : create(dataDirectory, folder, binaries.initdb, passwords.setup);
  const sockets = prepareSocketFolder(dataDirectory, runAs);
  await stopOrphan(folder, sockets);
  const [command = '', ...words] = [...runAs.prefix, binaries.postgres];
  rotate(logFile);
  const log = openSync(logFile, 'a', 0o600);
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${sockets}`,
    'unix_socket_permissions=0700',
    `max_connections=${maximumConnections}`,
    'shared_buffers=128MB',
    'jit=off',
    'random_page_cost=1.1',
    'wal_compression=on',
  ];
  // A separate process group: Ctrl-C in a terminal must reach Sallyport first, which drains before
  // the database stops.
  const child = spawn(
    command,
    [...words, '-D', folder, ...settings.flatMap((setting) => ['-c', setting])],
    {
      uid: runAs.uid,
      gid: runAs.gid,
      cwd: folder,
      env: environment(),
      detached: true,
      stdio: ['ignore', log, log],
    },
  );
  closeSync(log);
  const ended = new Promise<string>((settle) => {
    child.once('error', (error) => settle(unreachable(folder, runAs) || error.message));
    child.once('exit', (code, signal) => {
      const reason = unreachable(folder, runAs) || `see ${logFile}`;
      settle(`the embedded database ended (${signal ?? code}); ${reason}`);
    });
  });
  const url = urlFor(APPLICATION_ROLE, passwords.application, sockets);
  const setupUrl = urlFor(SETUP_ROLE, passwords.setup, sockets);
  const end = () => stop(child, ended);
  const ready = async (): Promise<EmbeddedDatabase> => {
    try {
      await untilReady({ url, setupUrl }, passwords, ended);
    } catch (error) {
      await end();
      throw error;
    }
    return { url, setupUrl, lost: ended, stop: end };
  };
  return { ready: ready(), stop: end };
}

function urlFor(role: string, password: string, sockets: string): string {
  return `postgresql://${role}:${password}@localhost/${DATABASE}?host=${encodeURIComponent(sockets)}`;
}

/**
 * Returns the URL of a data folder's embedded PostgreSQL while a server runs it.
 * @throws StartError if the folder has no database
 */
export function embeddedUrl(dataDirectory: string, role: keyof Passwords = 'application'): string {
  const password = readPassword(dataDirectory, role);
  if (!password)
    throw new StartError(
      `There is no embedded database in ${dataDirectory}. Name the folder: SALLYPORT_DATA_DIR='./data'`,
    );
  return urlFor(
    role === 'setup' ? SETUP_ROLE : APPLICATION_ROLE,
    password,
    socketPath(dataDirectory),
  );
}

/** Uses the embedded PostgreSQL that `npm run dev` runs, and leaves it running. */
export const runningDatabase = (dataDirectory: string): EmbeddedDatabase => ({
  url: embeddedUrl(dataDirectory),
  setupUrl: embeddedUrl(dataDirectory, 'setup'),
  lost: new Promise(() => undefined),
  stop: () => Promise.resolve(),
});

/**
 * Creates the database in a temporary folder and renames it, so an interrupted first start leaves
 * no incomplete database.
 */
function create(dataDirectory: string, folder: string, initdb: string, password: string): RunAs {
  const fresh = `${folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(fresh, { mode: 0o700 });
  const runAs = chooseAccount(fresh, initdb);
  const [command = '', ...words] = [...runAs.prefix, initdb];
  // initdb reads the password from a file that its own account can read.
  const passwordFile = `${folder}.first-password`;
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (runAs.uid !== undefined) chownSync(passwordFile, runAs.uid, runAs.gid ?? runAs.uid);
  const options = [
    `--pgdata=${fresh}`,
    `--username=${SETUP_ROLE}`,
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ];
  const attempt = (letters: string) => {
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh, { mode: 0o700 });
    if (runAs.uid !== undefined) chownSync(fresh, runAs.uid, runAs.gid ?? runAs.uid);
    return spawnSync(command, [...words, ...options, `--lc-ctype=${letters}`], {
      uid: runAs.uid,
      gid: runAs.gid,
      cwd: fresh,
      env: environment(),
      encoding: 'utf8',
    });
  };
  // The ctype decides which characters form trigrams: with plain C, Chinese searches use no index.
  // Not every system has C.UTF-8.
  let result = attempt('C.UTF-8');
  if (result.status !== 0) result = attempt('C');
  rmSync(passwordFile);
  if (result.status !== 0)
    throw new StartError(
      `The embedded database cannot be created in ${dataDirectory}: ${causeOf(result.stderr || String(result.error ?? ''))}`,
    );
  renameSync(fresh, folder);
  return runAs;
}

/**
 * Returns the line of initdb's output that names the cause. Its last lines say only that it removes
 * what it has made.
 */
function causeOf(output: string): string {
  const lines = output.trim().split('\n');
  return lines.find((line) => /\b(?:error|FATAL|PANIC): /.test(line)) ?? lines.at(-1) ?? '';
}

async function untilReady(
  urls: { readonly url: string; readonly setupUrl: string },
  passwords: Passwords,
  ended: Promise<string>,
): Promise<void> {
  let failure: string | undefined;
  void ended.then((reason) => {
    failure = reason;
  });
  for (let attempt = 0; attempt < 1_500; attempt++) {
    if (failure) throw new StartError(`The embedded database does not start: ${failure}`);
    const setup = await tryConnect(urls.setupUrl);
    if (setup instanceof pg.Client)
      return prepareRoles(setup, passwords).finally(() => setup.end());
    if (setup === UNKNOWN_ROLE) {
      // In folders of earlier versions, the role of the program is the superuser.
      const old = await tryConnect(urls.url);
      if (old instanceof pg.Client) return separateRoles(old, passwords).finally(() => old.end());
      if (old === UNKNOWN_ROLE)
        throw new StartError(
          'The embedded database refuses the passwords of the data folder (postgres.password, postgres.setup-password).',
        );
    }
    await sleep(20);
  }
  throw new StartError(`The embedded database did not become ready within 30 seconds.`);
}

/** PostgreSQL's code for a wrong password and for an unknown role. */
const UNKNOWN_ROLE = '28P01';

/** Returns a connection, or the code of PostgreSQL's error. */
async function tryConnect(url: string): Promise<pg.Client | string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
  }
}

async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // SIGINT is PostgreSQL's fast shutdown: it rolls back open transactions and flushes all data.
  child.kill('SIGINT');
  await Promise.race([
    ended,
    sleep(15_000, undefined, { ref: false }).then(() => child.kill('SIGQUIT')),
  ]);
}
