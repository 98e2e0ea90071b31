// node scripts/record-data-folder.mjs COMMIT: runs the program of a commit, uses it, and keeps its
// data folder in server/src/testing/recorded-data, for the tests of upgrades. Needs Node 24.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { constants, zstdCompressSync } from 'node:zlib';
import { fail, NODE, ROOT, say } from './lib.mjs';

const PASSWORD = 'recorded administrator 1';
const TARGET = join(ROOT, 'server/src/testing/recorded-data');

const git = (...words) => execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).trim();

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts the program of a checkout; resolves when it is ready. */
async function start(checkout, dataDirectory) {
  const [port, sshPort] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, [join(checkout, 'scripts/start.mjs')], {
    cwd: checkout,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      SALLYPORT_DATA_DIR: dataDirectory,
      SALLYPORT_HTTP_PORT: String(port),
      SALLYPORT_SSH_PORT: String(sshPort),
      SALLYPORT_PROCESSES: '1',
      SALLYPORT_ADMIN_PASSWORD: PASSWORD,
      SALLYPORT_TARGET_NETWORKS: '127.0.0.0/8',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      if (/is ready: http/.test(line)) break;
    }
    child.stdout.resume();
    return true;
  })();
  if (!(await Promise.race([ready, ended.then(() => false)]))) fail('The program did not start.');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { url: `http://127.0.0.1:${port}`, sshPort: String(sshPort), stop };
}

const [name] = process.argv.slice(2);
if (!name) fail('Name a commit: node scripts/record-data-folder.mjs HEAD');
const commit = git('rev-parse', '--short=8', `${name}^{commit}`);
const work = mkdtempSync(join(tmpdir(), 'sallyport-record-'));
const [checkout, folder] = [join(work, 'source'), join(work, 'data')];
// A database refuses to work in a folder that others may enter.
mkdirSync(folder, { mode: 0o711 });
git('worktree', 'add', '--detach', checkout, commit);
try {
  // Packages that are the same need no second copy. The start installs the rest.
  if (existsSync(join(ROOT, 'node_modules'))) {
    spawnSync('cp', ['-al', join(ROOT, 'node_modules'), join(checkout, 'node_modules')]);
    for (const own of [
      '.package-lock.json',
      '.sallyport-installed',
      '.cache',
      '.vite',
      '.vite-temp',
    ])
      rmSync(join(checkout, 'node_modules', own), { recursive: true, force: true });
  }
  const server = await start(checkout, folder);
  const use = spawnSync(
    NODE,
    [join(TARGET, 'use-product.ts'), server.url, PASSWORD, server.sshPort],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await server.stop();
  if (use.status !== 0) fail('The program could not be used as planned.');
  const facts = join(TARGET, `${commit}.json`);
  writeFileSync(facts, `${JSON.stringify({ commit, ...JSON.parse(use.stdout) }, undefined, 2)}\n`);
  spawnSync(join(ROOT, 'node_modules/.bin/biome'), ['format', '--write', facts]);
  const archive = join(TARGET, `${commit}.tar.zst`);
  const packed = spawnSync(
    'tar',
    [
      '--create',
      '--file',
      '-',
      '--owner=0',
      '--group=0',
      '--sort=name',
      '--directory',
      folder,
      '.',
    ],
    {
      maxBuffer: 1024 ** 3,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  if (packed.status !== 0) fail('The folder could not be packed.');
  // A cluster holds its catalogs four times, far from each other.
  const params = {
    [constants.ZSTD_c_compressionLevel]: 22,
    [constants.ZSTD_c_windowLog]: 27,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  };
  writeFileSync(archive, zstdCompressSync(packed.stdout, { params }));
  say(`Recorded ${archive}`);
} finally {
  git('worktree', 'remove', '--force', checkout);
  rmSync(work, { recursive: true, force: true });
}
