import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, chownSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StartError } from '../../config.ts';
import { isAlive } from '../process.ts';
import { chooseAccount, type RunAs } from './account.ts';
import { findBinaries } from './binaries.ts';

const USER = 'sallyport';
/** Linux allows 107 bytes for the path of a socket; PostgreSQL adds `/.s.PGSQL.5432`. */
const SOCKET_FOLDER_MAX = 90;

/** A PostgreSQL server of our own, living in the data folder and listening on a Unix socket only. */
export interface EmbeddedDatabase {
  readonly url: string;
  /** Resolves with a reason when the server ends without having been stopped. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts the embedded PostgreSQL, creating it at the first start and clearing away what a crash left behind.
 *
 * @throws StartError when it cannot be created or does not come up; the log is named in the message.
 */
export async function startEmbedded(dataDirectory: string): Promise<EmbeddedDatabase> {
  const binaries = findBinaries();
  const folder = join(dataDirectory, 'postgres');
  const logFile = join(dataDirectory, 'postgres.log');
  const password = readOrCreatePassword(join(dataDirectory, 'postgres.password'));
  const runAs = existsSync(join(folder, 'PG_VERSION')) ? chooseAccount(folder, binaries.postgres) : create(dataDirectory, folder, binaries.initdb, password);
  await stopOrphan(folder);
  const sockets = socketFolder(dataDirectory, runAs);
  const [command = '', ...words] = [...runAs.prefix, binaries.postgres];
  const log = openSync(logFile, 'a', 0o600);
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${sockets}`,
    'unix_socket_permissions=0700',
    'max_connections=100',
    'shared_buffers=128MB',
    'jit=off',
    'random_page_cost=1.1',
    'wal_compression=on',
  ];
  // Its own process group: Ctrl-C in a terminal must reach the server first, which drains before the database goes.
  const child = spawn(command, [...words, '-D', folder, ...settings.flatMap((setting) => ['-c', setting])], {
    uid: runAs.uid,
    gid: runAs.gid,
    cwd: folder,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = new Promise<string>((settle) => {
    child.once('error', (error) => settle(error.message));
    child.once('exit', (code, signal) => settle(`the embedded database ended (${signal ?? code}); see ${logFile}`));
  });
  const url = urlFor(password, sockets);
  await untilReady(url, ended);
  return { url, lost: ended, stop: () => stop(child, ended) };
}

function urlFor(password: string, sockets: string): string {
  return `postgresql://${USER}:${password}@localhost/postgres?host=${encodeURIComponent(sockets)}`;
}

/** Where the embedded PostgreSQL of a data folder answers while a server runs it. @throws StartError when there is none */
export function embeddedUrl(dataDirectory: string): string {
  const file = join(dataDirectory, 'postgres.password');
  if (!existsSync(file)) throw new StartError(`There is no embedded database in ${dataDirectory}. Name the folder: SALLYPORT_DATA_DIR='./data'`);
  return urlFor(readFileSync(file, 'utf8').trim(), socketPath(dataDirectory));
}

function readOrCreatePassword(file: string): string {
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

/** Creates the database beside its place and moves it there, so that an interrupted first start leaves nothing half-made. */
function create(dataDirectory: string, folder: string, initdb: string, password: string): RunAs {
  const fresh = `${folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(fresh, { mode: 0o700 });
  const runAs = chooseAccount(fresh, initdb);
  const [command = '', ...words] = [...runAs.prefix, initdb];
  // initdb wants the password in a file that its own account can read.
  const passwordFile = `${folder}.first-password`;
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (runAs.uid !== undefined) chownSync(passwordFile, runAs.uid, runAs.gid ?? runAs.uid);
  const options = [
    `--pgdata=${fresh}`,
    `--username=${USER}`,
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
    return spawnSync(command, [...words, ...options, `--lc-ctype=${letters}`], { uid: runAs.uid, gid: runAs.gid, cwd: fresh, encoding: 'utf8' });
  };
  // What a letter is decides what trigrams are made of: in plain C, Chinese is searched without an index. Not every system has the other.
  let result = attempt('C.UTF-8');
  if (result.status !== 0) result = attempt('C');
  rmSync(passwordFile);
  if (result.status !== 0)
    throw new StartError(
      `The embedded database cannot be created in ${dataDirectory}: ${(result.stderr || String(result.error ?? '')).trim().split('\n').at(-1)}`,
    );
  renameSync(fresh, folder);
  return runAs;
}

/** Stops a PostgreSQL that outlived a killed server. PostgreSQL itself removes a lock file whose process is gone. */
async function stopOrphan(folder: string): Promise<void> {
  const lock = join(folder, 'postmaster.pid');
  const pid = existsSync(lock) ? Number(readFileSync(lock, 'utf8').split('\n')[0]) : 0;
  if (!pid || !isAlive(pid) || !commandOf(pid).includes(folder)) return;
  process.kill(pid, 'SIGINT');
  for (let waited = 0; waited < 10_000 && isAlive(pid); waited += 20) await sleep(20);
  if (isAlive(pid)) process.kill(pid, 'SIGQUIT');
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  }
}

function socketPath(dataDirectory: string): string {
  const near = join(dataDirectory, 'run');
  const digest = createHash('sha256').update(dataDirectory).digest('hex').slice(0, 16);
  return Buffer.byteLength(near) <= SOCKET_FOLDER_MAX ? near : join(tmpdir(), `sallyport-${process.getuid?.() ?? 0}-${digest}`);
}

function socketFolder(dataDirectory: string, runAs: RunAs): string {
  const folder = socketPath(dataDirectory);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  if (runAs.uid !== undefined) chownSync(folder, runAs.uid, runAs.gid ?? runAs.uid);
  return folder;
}

async function untilReady(url: string, ended: Promise<string>): Promise<void> {
  let failure: string | undefined;
  void ended.then((reason) => {
    failure = reason;
  });
  for (let attempt = 0; attempt < 1_500; attempt++) {
    if (failure) throw new StartError(`The embedded database does not start: ${failure}`);
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    try {
      await client.connect();
      return;
    } catch {
      await sleep(20);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  throw new StartError(`The embedded database did not become ready within 30 seconds.`);
}

async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // SIGINT is PostgreSQL's fast shutdown: open transactions are rolled back, everything is flushed.
  child.kill('SIGINT');
  await Promise.race([ended, sleep(15_000, undefined, { ref: false }).then(() => child.kill('SIGQUIT'))]);
}
