import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLog } from '../../platform/log.ts';
import { type Program, startProgram } from '../../program.ts';
import { unique } from '../../testing/builders.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import { Client, type Json, type Page } from '../../testing/client.ts';
import { runOperatorCommandIn } from '../../testing/operator-command.ts';
import { bearer } from '../../testing/sign-in.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import {
  ADMIN_PASSWORD,
  startTestProgram,
  type TestProgram,
  testConfig,
} from '../../testing/test-program.ts';

let database: TestDatabase;
let first: TestProgram;
let next: Program | undefined;
beforeAll(async () => {
  database = await createTestDatabase();
  first = await startTestProgram({ databaseUrl: database.url });
});
afterAll(async () => {
  await next?.stop();
  await first.stop();
  await database.drop();
});

it('starts without the sealed secrets when the key is lost, after a warning', async () => {
  const { dataDirectory: folder } = first;
  const admin = await bearer(first);
  const { body: user } = await admin.post<{ id: string }>('assets/system-users/', {
    name: unique('s'),
    username: 'root',
    password: 'a lost secret',
  });
  await admin.patch(`assets/system-users/${user.id}/`, { password: 'a later secret' });
  await changeSettings([admin], 'security', { SECURITY_VIEW_AUTH_NEED_MFA: false });
  await first.program.stop();
  const start = () =>
    startProgram({ ...testConfig(folder), databaseUrl: database.url }, createLog('silent'));
  const forget = (...words: string[]) =>
    runOperatorCommandIn(folder, ['key', 'forget', ...words], {
      SALLYPORT_DATABASE_URL: database.url,
    });
  const key = join(folder, 'secret.key');
  expect(await forget('--confirm=forget')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('nothing is lost'),
  });

  rmSync(key);
  await expect(start()).rejects.toThrow('is missing');
  expect(await forget()).toMatchObject({ code: 1, stdout: expect.stringContaining('WARNING') });
  expect([await sealedPasswords(), existsSync(key)]).toEqual([1, false]);
  expect(await forget('--confirm=forget')).toMatchObject({ code: 0 });
  expect([await sealedPasswords(), existsSync(key)]).toEqual([0, true]);

  next = await start();
  const visitor = new Client(next.url);
  const { body: token } = await visitor.post<{ token: string }>('authentication/auth/', {
    username: 'admin',
    password: ADMIN_PASSWORD,
  });
  const again = visitor.with({ authorization: `Bearer ${token.token}` });
  const { body: secret } = await again.get<Json>(`assets/system-users/${user.id}/auth-info/`);
  expect(secret.password).toBe('');
  const { body: log } = await again.get<Page>('audits/operate-logs/?limit=100');
  expect(log.results.map(({ resource_type: type }) => type)).toEqual(
    expect.arrayContaining(['Secret key', 'System user']),
  );
  const { code, stdout } = await runOperatorCommandIn(folder, ['audit', 'verify'], {
    SALLYPORT_DATABASE_URL: database.url,
  });
  expect([code, stdout]).toEqual([0, expect.stringContaining('operate_log: intact')]);
});

async function sealedPasswords(): Promise<number> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query('select password from system_account');
    return rows.filter(({ password }) => password !== null).length;
  } finally {
    await client.end();
  }
}
