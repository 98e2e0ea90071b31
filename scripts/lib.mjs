import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root. */
export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** Results that only save time: each run may find the folder empty. */
export const CACHE = join(ROOT, 'node_modules/.cache');

/** The pinned Node comes as a locked package, one for each platform. */
const NODE_PACKAGES = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
).optionalDependencies;
export const PLATFORM = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
export const NODE_VERSION = Object.values(NODE_PACKAGES)[0];
export const hasNodePackage = PLATFORM in NODE_PACKAGES;

/**
 * The Node that runs the program; the one that runs these scripts may be older. Where no package
 * exists, it is the operator's own.
 */
export const NODE = hasNodePackage
  ? join(ROOT, 'node_modules', PLATFORM, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  : process.execPath;

/**
 * Young objects get less room, and old ones may double before V8 looks through them. Without these
 * flags a long export takes 76 MiB more than a short one.
 */
export const NODE_FLAGS = JSON.parse(
  readFileSync(new URL('node-flags.json', import.meta.url), 'utf8'),
);

/**
 * Settings of glibc's malloc for the server, without which a thousand idle sessions take five times
 * the memory. Few arenas, because each thread's arena keeps freed memory. Buffers from 64 KiB are
 * mapped separately, so freed ones return to the system.
 */
export const MALLOC = JSON.parse(readFileSync(new URL('malloc.json', import.meta.url), 'utf8'));

/**
 * The server as it is started: its sources in few files, which Node loads in less than half the
 * time.
 */
export const SERVER = join(ROOT, 'server/dist/main.mjs');
/** The commands for operators, bundled with the server. */
export const COMMANDS = join(ROOT, 'server/dist/cli.mjs');

/** Says one line of a result. */
export function say(text) {
  process.stdout.write(`${text}\n`);
}

/** Says one line of progress, outside of the output that others read. */
export function sayProgress(text) {
  process.stderr.write(`${text}\n`);
}

/** Ends with one sentence and a status of 1. */
export function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

/** Errors of a folder that this account must not change. */
const READ_ONLY = ['EACCES', 'EPERM', 'EROFS'];

/** Returns true if a change failed because this account must not write the program's folder. */
export const isReadOnly = (error) => READ_ONLY.includes(error.code);

/** Ends with the command that the owner of the program's folder has to run. */
export function failReadOnly() {
  fail(
    `This version is not built yet, and this account cannot write ${ROOT}. As the owner of that folder run: npm run build`,
  );
}

/** Runs a program to its end; its output is ours. Returns its status. */
export function run(command, words, options = {}) {
  const result = spawnSync(command, words, { cwd: ROOT, stdio: 'inherit', ...options });
  return result.status ?? 1;
}

/** Runs a program to its end while others run; its output is ours. Returns its status. */
export function runShown(command, words, options = {}) {
  return new Promise((settle) => {
    const child = spawn(command, words, { cwd: ROOT, stdio: 'inherit', ...options });
    child.once('error', () => settle(1));
    child.once('close', (status) => settle(status ?? 1));
  });
}

/**
 * Runs a program in parallel with others; its output comes in one piece when it ends. `onStart`
 * gets the process.
 */
export function runQuietly(command, words, { onStart, ...options } = {}) {
  return new Promise((settle) => {
    const child = spawn(command, words, { cwd: ROOT, ...options });
    if (child.pid !== undefined) onStart?.(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text) => {
        output += text;
      });
    }
    child.once('error', (error) => settle({ status: 1, output: error.message }));
    child.once('close', (status) => settle({ status: status ?? 1, output }));
  });
}

/** The SHA-256 of some strings and buffers. */
export function digest(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
}

/** Runs a long-lived program, passes signals on, and ends as it ends. */
export function become(command, words, options = {}) {
  const child = spawn(command, words, { cwd: ROOT, stdio: 'inherit', ...options });
  // A terminal's Ctrl-C reaches the child as well; we wait until it has put everything in order. A
  // second signal is not passed twice.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGHUP', () => child.kill('SIGTERM'));
  child.once('exit', (status, signal) => process.exit(status ?? (signal === 'SIGINT' ? 130 : 1)));
}
