// Builds the web and bundles the server, unless that was done for the same sources.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  digest,
  fail,
  failReadOnly,
  isReadOnly,
  NODE,
  ROOT,
  run,
  SERVER,
  sayProgress,
} from './lib.mjs';

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
 * Clears the stamp of a build that begins. Ends here if this account cannot write it: the builder
 * would fail without a reason.
 */
function clearStamp(stamp) {
  try {
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, '');
  } catch (error) {
    if (isReadOnly(error)) failReadOnly();
    throw error;
  }
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
  if (known !== content) {
    clearStamp(stamp);
    build();
  }
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
  const guides = filesBelow(join(ROOT, 'docs')).filter((path) =>
    /-guide(\.\w+|\/.*)\.md$/.test(path),
  );
  buildOnce({
    sources: sourcesOf(
      ...filesBelow(join(ROOT, 'web')),
      ...filesBelow(join(ROOT, 'scripts/evidence')),
      ...guides,
    ),
    result: join(ROOT, 'web/dist/ui/index.html'),
    stamp: join(ROOT, 'web/dist/.sallyport-built'),
    build() {
      sayProgress('Building the console …');
      if (!vite('web')) fail('The console could not be built.');
    },
  });
  ensureBundled();
}

/** Facts of the build, which the server tells (server/src/platform/release.ts). */
const BUILD = join(ROOT, 'server/dist/build.json');

/**
 * Returns the first twelve digits of the commit, with `-dirty` after them if files differ from it;
 * undefined without git. The checkout may belong to another account than the one that starts it.
 */
export function commitOf() {
  const words = ['-c', 'safe.directory=*', 'describe', '--always', '--dirty'];
  // Without a tag's name, which is no commit.
  const git = spawnSync('git', [...words, '--abbrev=12', '--exclude=*'], { cwd: ROOT });
  return git.status === 0 ? git.stdout.toString().trim() : undefined;
}

/** Records the commit. A folder of another account keeps the commit of its build. */
function recordCommit() {
  const facts = JSON.stringify({ commit: commitOf() });
  try {
    if (!existsSync(BUILD) || readFileSync(BUILD, 'utf8') !== facts) writeFileSync(BUILD, facts);
  } catch (error) {
    if (!isReadOnly(error)) throw error;
  }
}

/** Bundles the server and sallyctl unless that was done for the same sources. */
export function ensureBundled() {
  buildOnce({
    sources: sourcesOf(
      ...filesBelow(join(ROOT, 'packages')),
      ...filesBelow(join(ROOT, 'demo')),
      ...filesBelow(join(ROOT, 'server')).filter((path) => !path.endsWith('.sql')),
    ),
    result: SERVER,
    stamp: join(ROOT, 'server/dist/.sallyport-built'),
    build() {
      sayProgress('Bundling the server …');
      if (!vite('server', '--config', 'bundle.config.mjs'))
        fail('The server could not be bundled.');
    },
  });
  buildOnce({
    sources: sourcesOf(...filesBelow(join(ROOT, 'sallyctl')), join(ROOT, 'package.json')),
    result: join(ROOT, 'sallyctl/dist/sallyctl.mjs'),
    stamp: join(ROOT, 'sallyctl/dist/.sallyport-built'),
    build() {
      sayProgress('Bundling sallyctl …');
      if (!vite('sallyctl', '--config', 'bundle.config.mjs'))
        fail('sallyctl could not be bundled.');
    },
  });
  recordCommit();
}
