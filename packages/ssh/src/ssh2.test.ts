import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const COLLECTED = join(import.meta.dirname, 'testing/collected.ts');
const require = createRequire(import.meta.url);
const NATIVE_FOLDER = 'ssh2/lib/protocol/crypto/build/Release';

/** Returns the folder of an installed package. */
function packageFolder(name: string, from = require): string {
  return dirname(from.resolve(`${name}/package.json`));
}

it('loads no file of ssh2 before its first use', async () => {
  const program = `
    import { createRequire } from 'node:module';
    await import(process.env.TEST_SSH);
    const files = Object.keys(createRequire(import.meta.url).cache);
    console.log(files.filter((file) => file.includes('ssh2')).length);`;
  const env = { ...process.env, TEST_SSH: join(import.meta.dirname, '../index.ts') };
  const words = ['--input-type=module', '-e', program];
  expect((await run(process.execPath, words, { env })).stdout).toBe('0\n');
});

it('survives the collection of SSH ciphers by V8', async () => {
  const { stdout } = await run(process.execPath, [COLLECTED]);
  expect(stdout).toBe('native: false\n');
});

it('ignores native parts of ssh2 that an older installation left', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-ssh2-'));
  try {
    const packages = join(folder, 'node_modules');
    for (const name of ['ssh2', 'asn1', 'bcrypt-pbkdf', 'safer-buffer', 'tweetnacl'])
      await cp(packageFolder(name), join(packages, name), {
        recursive: true,
        filter: (path) => !path.endsWith('/build'),
      });
    // Any native module serves here: the test checks that it is not loaded.
    const argon2 = createRequire(require.resolve('@node-rs/argon2'));
    await mkdir(join(packages, NATIVE_FOLDER), { recursive: true });
    const addon = `@node-rs/argon2-${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`;
    await copyFile(argon2.resolve(addon), join(packages, NATIVE_FOLDER, 'sshcrypto.node'));

    const unguarded = ['-p', "require('ssh2/lib/protocol/crypto.js').bindingAvailable"];
    expect((await run(process.execPath, unguarded, { cwd: folder })).stdout).toBe('true\n');
    expect((await run(process.execPath, [COLLECTED, folder])).stdout).toBe('native: false\n');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
