import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Mariadb, startMariadb } from '../../testing/databases/mariadb.ts';
import { fillVersion2 } from '../../testing/jumpserver/fill-version-2.ts';
import { buildMariadbSource, type Source } from '../../testing/jumpserver/source.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let mariadb: Mariadb;
let source: Source;
let folder: string;
beforeAll(async () => {
  [test, mariadb] = await Promise.all([startTestProgram(), startMariadb()]);
  source = await buildMariadbSource(mariadb);
  folder = await mkdtemp(join(tmpdir(), 'sallyport-import-'));
});
afterAll(async () => {
  await source.drop();
  await Promise.all([test.stop(), mariadb.stop(), rm(folder, { recursive: true })]);
});

it('reads a source in MariaDB', async () => {
  await fillVersion2(source);
  const file = join(folder, 'config.yml');
  await writeFile(file, source.config);
  const run = (mode: string) =>
    runOperatorCommand(test, ['import', 'jumpserver', `--config=${file}`, mode]);
  const applied = await run('--apply');
  expect([applied.stderr, applied.code]).toEqual(['', 0]);
  expect((await run('--prove')).stdout).toBe('2 users, 3 accesses of users to accounts: equal\n');
  expect((await run('--plan')).code).toBe(0);
});
