import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { createLog } from '../../platform/log.ts';
import { type Program, startProgram } from '../../program.ts';
import { unique } from '../../testing/builders.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import { Client, type Json, type Page } from '../../testing/client.ts';
import { executeOperatorCommandIn, runOperatorCommandIn } from '../../testing/operator-command.ts';
import { bearer } from '../../testing/sign-in.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import {
  ADMIN_PASSWORD,
  startTestProgram,
  type TestProgram,
  testConfig,
} from '../../testing/test-program.ts';

const RECORDING = '{"version":2,"width":80,"height":24}\n[0.1,"o","a recorded line"]\n';

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

const start = () =>
  startProgram(
    { ...testConfig(first.dataDirectory), databaseUrl: database.url },
    createLog('silent'),
  );
const command = (folder: string, ...words: string[]) =>
  runOperatorCommandIn(folder, words, { SALLYPORT_DATABASE_URL: database.url });

/** Signs in at a new start of the server. */
async function signIn(program: Program): Promise<Client> {
  const visitor = new Client(program.url);
  const { body: token } = await visitor.post<{ token: string }>('authentication/auth/', {
    username: 'admin',
    password: ADMIN_PASSWORD,
  });
  return visitor.with({ authorization: `Bearer ${token.token}` });
}

/** Adds a finished session with a recording. Returns the path of its file. */
async function recordSession(): Promise<string> {
  const { rows } = await sql<{ id: string; date_start: Date }>`
    insert into session ("user", asset, "system_user", is_finished, has_replay, replay_state)
    values ('somebody', 'web-01', 'root', true, true, 'finished') returning id, date_start`.execute(
    first.db,
  );
  const [row] = rows;
  if (!row) throw new Error('no session was made');
  await first.program.recordings.add({ id: row.id, startedAt: row.date_start }, RECORDING);
  return `terminal/sessions/${row.id}/replay/file/`;
}

it('refuses to forget the key of a running server', async () => {
  const sameFolder = await command(first.dataDirectory, 'key', 'forget', '--confirm=forget');
  expect([sameFolder.code, sameFolder.stderr]).toEqual([
    1,
    expect.stringContaining('A server runs in this data folder'),
  ]);
  const other = mkdtempSync(join(tmpdir(), 'sallyport-forget-'));
  try {
    const { code, stderr } = await command(other, 'key', 'forget', '--confirm=forget');
    expect([code, stderr]).toEqual([1, expect.stringContaining('Copy it, or stop all servers')]);
    expect(existsSync(join(other, 'secret.key'))).toBe(false);
  } finally {
    rmSync(other, { recursive: true });
  }
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
  const replay = await recordSession();
  await changeSettings([admin], 'security', { SECURITY_ENCRYPT_RECORDINGS: true });
  const encrypted = await recordSession();
  expect((await admin.get(encrypted)).text).toBe(RECORDING);
  await first.program.stop();
  const forget = (...words: string[]) => command(folder, 'key', 'forget', ...words);
  const key = join(folder, 'secret.key');
  expect(await forget('--confirm=forget')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('nothing is lost'),
  });

  rmSync(key);
  await expect(start()).rejects.toThrow('is missing');
  const { code, stdout } = await forget();
  expect([code, stdout]).toEqual([1, expect.stringContaining('WARNING')]);
  expect(stdout).toContain('Encrypted recordings can never be replayed again: 1 in this data');
  expect([await sealedPasswords(), existsSync(key)]).toEqual([1, false]);
  expect(
    await executeOperatorCommandIn(folder, ['key', 'forget', '--confirm=forget'], {
      SALLYPORT_DATABASE_URL: database.url,
    }),
  ).toMatchObject({ code: 0 });
  expect([await sealedPasswords(), existsSync(key)]).toEqual([0, true]);

  next = await start();
  const again = await signIn(next);
  const { body: secret } = await again.get<Json>(`assets/system-users/${user.id}/auth-info/`);
  expect(secret.password).toBe('');
  expect((await again.get(replay)).text).toBe(RECORDING);
  expect(await again.get(encrypted)).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('a key that this installation no longer has') },
  });
  const { body: log } = await again.get<Page>('audits/operate-logs/?limit=100');
  expect(log.results.map(({ resource_type: type }) => type)).toEqual(
    expect.arrayContaining(['Secret key', 'System user']),
  );
  expect(await command(folder, 'audit', 'verify')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('operate_log: intact'),
  });
});

it('continues after a kill before or after its transaction', async () => {
  const { dataDirectory: folder } = first;
  await next?.stop();
  const forget = () => command(folder, 'key', 'forget', '--confirm=forget');
  // Killed before the transaction, it has made a key that opens nothing.
  writeFileSync(join(folder, 'secret.key'), `${'c3'.repeat(32)}\n`);
  await expect(start()).rejects.toThrow('sealed with another key');
  expect(await forget()).toMatchObject({ code: 0 });
  // Killed after the transaction, it has not sealed the logs.
  await query('delete from audit_seal');
  rmSync(join(folder, 'audit-seals.json'));
  expect(await forget()).toMatchObject({ code: 0, stderr: '' });
  expect(await forget()).toMatchObject({ stderr: expect.stringContaining('nothing is lost') });
  next = await start();
  await signIn(next);
  expect(await command(folder, 'audit', 'verify')).toMatchObject({ code: 0 });
});

async function query(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const sealedPasswords = async () =>
  (await query('select from system_account where password is not null')).length;
