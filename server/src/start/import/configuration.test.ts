import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runOperatorCommandIn } from '../../testing/operator-command.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-import-'));
});
afterAll(() => rm(folder, { recursive: true }));

const run = (...words: string[]) =>
  runOperatorCommandIn(folder, [
    'import',
    'jumpserver',
    `--config=${join(folder, 'config.txt')}`,
    ...words,
  ]);

it.each([
  ['', /DB_HOST is missing/],
  ['DB_ENGINE=oracle', /DB_ENGINE must be mysql or postgresql/],
  ['DB_HOST: [', /neither lines of NAME=value nor YAML/],
  ['DB_HOST=127.0.0.1\nDB_PORT=x', /DB_PORT must be a port/],
  [
    'DB_HOST=127.0.0.1\nDB_PORT=9\nDB_USER=u\nDB_PASSWORD=secret of the file\nSECRET_KEY=k',
    /The mysql database jumpserver at 127.0.0.1:9 does not answer/,
  ],
])('rejects the configuration %j', async (text, message) => {
  await writeFile(join(folder, 'config.txt'), text);
  const { code, stderr } = await run('--plan');
  expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  expect(stderr).not.toContain('secret of the file');
});

it('asks for exactly one mode and the configuration', async () => {
  expect((await run()).stderr).toContain('Name one of --plan, --apply and --prove');
  expect((await run('--plan', '--prove')).stderr).toContain('Name one of');
});
