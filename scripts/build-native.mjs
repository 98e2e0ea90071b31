// Builds the native parts of ssh2 for the pinned Node. Silent and immediate when they are already built for it.
// Run by itself: `node scripts/build-native.mjs`. Used by the start: `await buildNative(root)`.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** The native parts: where each is built, what it builds, and the flags that its own install script would pass. */
const PARTS = [
  { name: 'cpu-features', folder: 'node_modules/cpu-features', binary: 'build/Release/cpufeatures.node', configure: 'buildcheck.js', flags: () => [] },
  {
    name: 'ssh2',
    folder: 'node_modules/ssh2/lib/protocol/crypto',
    binary: 'build/Release/sshcrypto.node',
    flags: (pinned) => [`--target=${pinned.version}`, `--real_openssl_major=${pinned.opensslMajor}`],
  },
];

/** What npm was told about headers is meant for the Node that runs npm, and node-gyp would prefer it to our own words. */
function environment() {
  const headers = /^npm_(package_)?config_(node_gyp_)?(nodedir|target|disturl|runtime)$/i;
  return { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !headers.test(name))), npm_config_loglevel: 'silent' };
}

function run(command, args, cwd) {
  return new Promise((done) => {
    const child = spawn(command, args, { cwd, env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
    const out = [];
    const err = [];
    child.stdout.on('data', (chunk) => out.push(chunk));
    child.stderr.on('data', (chunk) => err.push(chunk));
    child.on('error', (error) => done({ code: 127, out: '', err: error.message }));
    child.on('close', (code) => done({ code: code ?? 1, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }));
  });
}

/** The pinned Node that the npm package `node` brought along, with the headers that lie beside it. */
function pinnedNode(root) {
  const folder = join(root, 'node_modules/node/node_modules', `node-${process.platform}-${process.arch}`);
  const fallback = join(root, 'node_modules', `node-${process.platform}-${process.arch}`);
  const home = existsSync(folder) ? folder : fallback;
  const header = join(home, 'include/node/node_version.h');
  const binary = join(home, 'bin/node');
  if (!existsSync(header) || !existsSync(binary)) return undefined;
  const abi = /#define NODE_MODULE_VERSION (\d+)/.exec(readFileSync(header, 'utf8'))?.[1];
  return abi ? { home, binary, abi } : undefined;
}

/** The node-gyp that npm carries; npm says where it is when it runs us, otherwise the one beside the npm on the PATH. */
function nodeGyp() {
  const entries = [];
  if (process.env.npm_execpath) entries.push(process.env.npm_execpath);
  for (const folder of (process.env.PATH ?? '').split(':')) {
    const npm = join(folder, 'npm');
    if (folder && existsSync(npm)) entries.push(realpathSync(npm));
  }
  for (const entry of entries) {
    const script = resolve(dirname(entry), '../node_modules/node-gyp/bin/node-gyp.js');
    if (existsSync(script)) return script;
  }
  return undefined;
}

/** The stamp lies in the build folder, so whatever rebuilds or reinstalls the package takes it away as well. */
const stampOf = (folder) => join(folder, 'build/Release/.sallyport-abi');

function isBuilt(folder, part, abi) {
  const stamp = stampOf(folder);
  return existsSync(join(folder, part.binary)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === abi;
}

async function buildPart(folder, part, pinned, gyp) {
  const binary = join(folder, part.binary);
  const loads = async () => (await run(pinned.binary, ['-e', 'require(process.argv[1])', binary], folder)).code === 0;
  if (!(existsSync(binary) && (await loads()))) {
    if (!gyp) return 'the node-gyp of npm was not found';
    const { out } = await run(pinned.binary, ['-p', "process.version + ' ' + process.versions.openssl.split('.')[0]"], folder);
    const [version, opensslMajor] = out.trim().split(' ');
    if (part.configure) {
      const configured = await run(pinned.binary, [part.configure], folder);
      if (configured.code !== 0) return `${part.configure} failed: ${lastLine(configured.err)}`;
      writeFileSync(join(folder, 'buildcheck.gypi'), configured.out);
    }
    const args = [gyp, 'rebuild', `--nodedir=${pinned.home}`, ...part.flags({ version, opensslMajor })];
    const built = await run(pinned.binary, args, folder);
    if (built.code !== 0) return `${lastLine(built.err)} (it needs python3, make and a C++ compiler; on Debian: apt-get install -y python3 make g++)`;
    if (!(await loads())) return 'what was built does not load';
  }
  writeFileSync(stampOf(folder), pinned.abi);
  return undefined;
}

function lastLine(text) {
  const lines = text.split('\n').filter((line) => /ERR|error/i.test(line));
  return (lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? text.trim().split('\n').at(-1) ?? '').trim();
}

/**
 * Builds what is missing.
 * @param {string} root the repository's root
 * @returns {Promise<{ok: boolean, built: string[], message?: string}>} `message` says in one sentence why SSH will run without its native crypto
 */
export async function buildNative(root = ROOT) {
  const pinned = pinnedNode(root);
  if (!pinned) return { ok: false, built: [], message: 'The pinned Node is not installed; run npm install.' };
  const wanted = PARTS.map((part) => ({ part, folder: join(root, part.folder) })).filter(({ folder }) => existsSync(folder));
  const missing = wanted.filter(({ part, folder }) => !isBuilt(folder, part, pinned.abi));
  const built = [];
  const gyp = missing.length > 0 ? nodeGyp() : undefined;
  for (const { part, folder } of missing) {
    const problem = await buildPart(folder, part, pinned, gyp);
    if (problem) return { ok: false, built, message: `The native crypto of ${part.name} could not be built: ${problem}. SSH works without it, more slowly.` };
    built.push(part.name);
  }
  return { ok: true, built };
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const result = await buildNative();
  if (result.message) console.error(result.message);
  process.exitCode = result.ok ? 0 : 1;
}
