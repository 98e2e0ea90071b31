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
import { chooseAccount } from '../../platform/db/account.ts';
import { isAlive } from '../../platform/process.ts';

/** A program of the demo that runs, on a port of the loopback address. */
export interface DemoProgram {
  readonly port: number;
  /** Settles when it has ended by itself. */
  readonly lost: Promise<unknown>;
  stop(): Promise<void>;
}

const PID_FILE = 'demo.pid';
/** Between two tries to reach a program that was just started. */
const PAUSE_MS = 50;

/** Where an installed program is; undefined when it is not installed. */
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

/** The port of the last start if nobody uses it, otherwise a free one. */
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

/** What a program is started with; the input is how it gets its secrets, which other users of the machine could see among its words. */
export interface ProgramOptions {
  readonly path: string;
  readonly folder: string;
  /** Where it listened the last time. */
  readonly port: number | undefined;
  start(port: number): { readonly words: readonly string[]; readonly input: string };
}

/** Starts a program in a folder of its own, as the account that the embedded database would have, after one that a killed server left there has ended. */
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
  // A group of its own: Ctrl-C reaches the server first, which ends the sessions.
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

/** How long a program that was just started is asked, and which errors say that it does not answer yet; without that, all do. */
interface Patience {
  readonly milliseconds: number;
  readonly isEarly?: (error: unknown) => boolean;
}

/** Does something with a program that was just started, again until it answers: as long as it runs, and no longer than it is given. @throws what the last try threw */
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
