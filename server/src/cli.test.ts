import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RELEASE_NAME } from './platform/release.ts';
import { compileCache } from './testing/compile-cache.ts';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'sallyport-cli-'));
});
afterEach(() => rm(parent, { recursive: true, force: true }));

/** Runs a command on a data folder without a server; returns its status and output. */
function command(...words: readonly string[]) {
  const env = {
    ...compileCache(),
    PATH: process.env.PATH ?? '',
    NODE_NO_WARNINGS: '1',
    SALLYPORT_DATA_DIR: join(parent, 'data'),
  };
  return promisify(execFile)(process.execPath, [join(import.meta.dirname, 'cli.ts'), ...words], {
    env,
  }).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

async function pretendDatabase(folder: string): Promise<void> {
  await mkdir(join(folder, 'postgres'), { recursive: true });
  await writeFile(join(folder, 'postgres/PG_VERSION'), '18\n');
}

it('creates no database, and names the folder that has one', async () => {
  const license = [
    'license',
    'issue',
    'corporation=Example',
    'expired=2099-01-01',
    'asset_count=0',
  ];
  const { code, stderr } = await command(...license);
  expect(code).toBe(1);
  expect(stderr).toBe(
    `There is no database in ${join(parent, 'data')}, and a command does not make one. Name the folder of the server, for example SALLYPORT_DATA_DIR='/var/lib/sallyport'.\n`,
  );
  expect(await readdir(parent)).toEqual([]);

  await pretendDatabase(join(parent, 'data-demo'));
  expect((await command(...license)).stderr).toContain(
    `The one with sample data is in ${join(parent, 'data-demo')}: add --demo to the command.`,
  );
  expect(await readdir(parent)).toEqual(['data-demo']);

  await rm(join(parent, 'data-demo'), { recursive: true });
  await pretendDatabase(join(parent, 'data'));
  expect((await command(...license, '--demo')).stderr).toContain(
    `There is one in ${join(parent, 'data')}: leave --demo out.`,
  );
  expect(await readdir(parent)).toEqual(['data']);
});

it('prints version and commit of the program', async () => {
  const { code, stdout } = await command('--version');
  expect([code, stdout]).toEqual([0, `Sallyport ${RELEASE_NAME}\n`]);
  expect(await readdir(parent)).toEqual([]);
});
