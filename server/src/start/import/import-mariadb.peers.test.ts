import { randomUUID as id } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../testing/client.ts';
import { type Mariadb, startMariadb } from '../../testing/databases/mariadb.ts';
import { fillVersion2 } from '../../testing/jumpserver/fill-version-2.ts';
import { buildMariadbSource, type Source } from '../../testing/jumpserver/source.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import { bearer } from '../../testing/sign-in.ts';
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

it('copies the history of a source in MariaDB', async () => {
  const session = id();
  await source.add('terminal_session', {
    ...{ id: session, user: 'Li Wei(li.wei)', user_id: id(), asset: 'web-1', asset_id: id() },
    ...{ system_user: 'deploy(deploy)', remote_addr: '203.0.113.9' },
    date_start: '2026-05-01 08:00:00.123456',
    date_end: '2026-05-01 08:10:00',
  });
  await source.add('terminal_command', {
    ...{ id: id(), session, user: 'Li Wei(li.wei)', asset: 'web-1', system_user: 'deploy(deploy)' },
    ...{ input: 'whoami', output: 'deploy', risk_level: 0 },
    timestamp: Date.UTC(2026, 4, 1, 8, 1) / 1_000,
  });
  const file = join(folder, 'history.yml');
  await writeFile(file, source.config);
  const copied = await runOperatorCommand(test, [
    ...['import', 'jumpserver', `--config=${file}`, '--history', '--apply'],
  ]);
  expect([copied.stderr, copied.code]).toEqual(['', 0]);
  const admin = await bearer(test);
  const { body } = await admin.get<Json>(`terminal/sessions/${session}/`);
  expect(body).toMatchObject({ user: 'Li Wei(li.wei)', is_finished: true });
  expect(new Date(String(body.date_start)).toISOString()).toBe('2026-05-01T08:00:00.000Z');
  const commands = await admin.get<Json[]>(`terminal/commands/?session_id=${session}`);
  expect(commands.body).toMatchObject([{ input: 'whoami', output: 'deploy' }]);
});
