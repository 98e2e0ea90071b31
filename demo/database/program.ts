import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { chooseAccount } from '../../server/src/platform/db/account.ts';
import { isAlive } from '../../server/src/platform/process/alive.ts';

/** A running program of the demo on a loopback port. */
export interface DemoProgram {
  readonly port: number;
  /** Settles when the program exits unexpectedly. */
  readonly lost: Promise<unknown>;
  stop(): Promise<void>;
}

const PID_FILE = 'demo.pid';
/** Milliseconds between attempts to reach a starting program. */
const PAUSE_MS = 50;

/** Returns the path of an installed program; undefined if missing. */
export function installed(name: string): string | undefined {
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/sbin',
    '/usr/local/sbin',
  ].filter(Boolean);
  return folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Returns the port of the last start if it is free, else any free port. */
async function freePort(wanted: number): Promise<number> {
  const server = createServer();
  try {
    server.listen(wanted, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  } catch (error) {
    if (wanted === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return freePort(0);
  } finally {
    server.close();
  }
}

/** Start options. The input passes secrets, because other users can see command lines. */
export interface ProgramOptions {
  readonly path: string;
  readonly folder: string;
  /** Port of the last start. */
  readonly port: number | undefined;
  start(port: number): { readonly words: readonly string[]; readonly input: string };
}

/**
 * Starts a program in a separate folder, as the account of the embedded database. First ends a
 * leftover of a killed server.
 */
export async function startDemoProgram({
  path,
  folder,
  port: wanted,
  start,
}: ProgramOptions): Promise<DemoProgram> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await endLeftOver(folder);
  const runAs = chooseAccount(folder, path);
  const port = await freePort(wanted ?? 0);
  const { words, input } = start(port);
  const [command = path, ...rest] = [...runAs.prefix, path, ...words];
  // In a separate process group, so Ctrl-C reaches the server first, which ends the sessions.
  const child = spawn(command, rest, {
    uid: runAs.uid,
    gid: runAs.gid,
    cwd: folder,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const ended = new Promise<void>((done) => {
    child.once('error', () => done());
    child.once('exit', () => done());
  });
  if (child.pid) writeFileSync(join(folder, PID_FILE), String(child.pid), { mode: 0o600 });
  return {
    port,
    lost: ended,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Timeout for a starting program, and a filter for errors that are retried; default: all. */
interface Patience {
  readonly milliseconds: number;
  readonly isEarly?: (error: unknown) => boolean;
}

/**
 * Retries `work` on a starting program until it succeeds, exits, or times out. @throws the last
 * error
 */
export async function onceItAnswers(
  program: DemoProgram,
  { milliseconds, isEarly = () => true }: Patience,
  work: () => Promise<void>,
): Promise<void> {
  let isLost = false;
  void program.lost.then(() => {
    isLost = true;
  });
  const until = Date.now() + milliseconds;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (isLost || Date.now() > until || !isEarly(error)) throw error;
      await new Promise((done) => setTimeout(done, PAUSE_MS));
    }
  }
}

async function endLeftOver(folder: string): Promise<void> {
  const file = join(folder, PID_FILE);
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (!(pid > 0) || !isAlive(pid) || !worksIn(pid, folder)) return;
  process.kill(pid, 'SIGTERM');
  for (let waited = 0; waited < 10_000 && isAlive(pid); waited += 20)
    await new Promise((done) => setTimeout(done, 20));
}

function worksIn(pid: number, folder: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(folder);
  } catch {
    return false;
  }
}
