import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { freePort } from '../../server/src/testing/free-port.ts';
import { type LoopReader, readLoop } from './loop.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** A server in a separate process, started with the public command. */
export interface BenchServer {
  readonly url: string;
  readonly dataDirectory: string;
  /** From the command to `ready`. */
  readonly bootMilliseconds: number;
  /** Port of the SSH listener; 0 without one. */
  readonly sshPort: number;
  /** The process that serves; the command may be its parent. */
  readonly pid: number;
  /** Resident memory of the serving process, in MiB. */
  memory(): number;
  /** Reads measurements of the event loop and the memory of a server that watches them. */
  readonly loop: LoopReader;
  /** Ends it as a failing machine would. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Which command starts the server: the one behind `npm start`. */
export function startCommand(): string {
  return existsSync(resolve(ROOT, 'scripts/start.mjs')) ? 'scripts/start.mjs' : SERVER;
}

/**
 * The server alone, as `npm start` starts it: it installs nothing and builds nothing, so a measure
 * changes nothing in the working copy.
 */
const SERVER = 'server/dist/main.mjs';
const startFile = (root: string, name: string): unknown =>
  JSON.parse(readFileSync(resolve(root, 'scripts', name), 'utf8'));

/** A run that is broken off leaves nothing behind. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill();
});

/**
 * `SALLYPORT_BENCH_PROFILE` names a folder for a CPU profile of the server, which is written when
 * it stops.
 */
const { SALLYPORT_BENCH_PROFILE: profiles } = process.env;
const PROFILING = profiles ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : [];

/**
 * Starts the server on a data folder and waits until it says that it is ready. `root` is another
 * built checkout, for a comparison with its version. `watchesLoop` is for the readers of `loop`:
 * reading the times of the server a hundred times costs 4 ms of CPU.
 */
export async function startServer(
  dataDirectory: string,
  adminPassword: string,
  {
    command = SERVER,
    sshPort = 0,
    environment = {},
    root = ROOT,
    watchesLoop = false,
  }: {
    command?: string;
    sshPort?: number;
    environment?: Readonly<Record<string, string>>;
    root?: string;
    watchesLoop?: boolean;
  } = {},
): Promise<BenchServer> {
  const port = await freePort();
  const loopFile = resolve(dataDirectory, 'loop-delay');
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('SALLYPORT_'));
  const began = performance.now();
  // The server itself gets the flags and the environment that the start gives it.
  const child = spawn(
    process.execPath,
    command === SERVER
      ? [...(startFile(root, 'node-flags.json') as string[]), ...PROFILING, command]
      : [command],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        NODE_COMPILE_CACHE: resolve(root, 'node_modules/.cache/compile'),
        ...(startFile(root, 'malloc.json') as Record<string, string>),
        ...Object.fromEntries(kept),
        SALLYPORT_DATA_DIR: dataDirectory,
        SALLYPORT_HTTP_PORT: String(port),
        SALLYPORT_SSH_PORT: String(sshPort),
        // Versions of one process refuse the variable.
        ...(root === ROOT && { SALLYPORT_PROCESSES: '1' }),
        SALLYPORT_TARGET_NETWORKS: '127.0.0.0/8',
        SALLYPORT_ADMIN_PASSWORD: adminPassword,
        SALLYPORT_LOG_LEVEL: 'warn',
        ...(watchesLoop && { SALLYPORT_TEST_LOOP_DELAY: loopFile }),
        ...environment,
      },
    },
  );
  running.add(child);
  child.once('exit', () => running.delete(child));
  await untilReady(child);
  const bootMilliseconds = performance.now() - began;
  const pid = Number(readFileSync(resolve(dataDirectory, 'sallyport.lock'), 'utf8').split(' ')[0]);
  return {
    url: `http://127.0.0.1:${port}`,
    dataDirectory,
    bootMilliseconds,
    sshPort,
    pid,
    memory: () => residentMemory(pid),
    loop: readLoop(loopFile),
    async kill() {
      const ended = once(child, 'exit');
      process.kill(pid, 'SIGKILL');
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function untilReady(child: ChildProcess): Promise<void> {
  let output = '';
  const ready = new Promise<void>((settle, fail) => {
    const listen = (chunk: Buffer) => {
      output += chunk.toString('utf8');
      if (output.includes('is ready: ')) settle();
      // Later output is dropped.
      if (output.length > 100_000) output = output.slice(-10_000);
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.once('exit', (code) =>
      fail(new Error(`the server ended with ${code} before it was ready:\n${output}`)),
    );
  });
  const late = setTimeout(() => child.kill('SIGTERM'), 180_000);
  await ready.finally(() => clearTimeout(late));
}

/** Resident memory of a process in MiB, as the kernel counts it. */
function residentMemory(pid: number): number {
  const kibibytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kibibytes) / 1024;
}
