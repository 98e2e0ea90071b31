import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { AttentionItem, Backups } from '@sallyport/contract';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../config.ts';
import { sql } from '../../platform/db/sql.ts';
import { buildAsset, buildUser } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { SETUP_URL_VARIABLE } from '../../testing/test-database.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { makeBackup } from './backup.ts';
import { drill } from './drill.ts';

const BACKUPS = 'common/backups/';

let test: TestProgram;
let admin: Client;
let parent: string;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  parent = await mkdtemp(join(tmpdir(), 'sallyport-drill-'));
  await chmod(parent, 0o700);
  await buildAsset(test.db);
  for (const name of ['one', 'two'])
    await admin.post('assets/system-users/', {
      name,
      username: 'root',
      login_mode: 'auto',
      protocol: 'ssh',
      password: `secret of ${name}`,
    });
});
afterAll(async () => {
  await test.stop();
  await rm(parent, { recursive: true, force: true });
});

const config = (environment: Readonly<Record<string, string>> = {}) =>
  readConfig({
    SALLYPORT_DATA_DIR: test.dataDirectory,
    SALLYPORT_DATABASE_URL: test.databaseUrl,
    ...environment,
  });

async function backup(name: string): Promise<string> {
  const folder = join(parent, name);
  await makeBackup(config(), { folder, recordings: true, keys: undefined, say: () => undefined });
  return folder;
}

const run = (folder?: string, environment: Readonly<Record<string, string>> = {}) =>
  runOperatorCommand(
    test,
    ['backup', 'drill', ...(folder === undefined ? [] : [folder])],
    environment,
  );
const listed = async () => (await admin.get<Backups>(BACKUPS)).body;
const newest = async () => (await listed()).drills[0];
const attention = async () =>
  (await admin.get<AttentionItem[]>('common/attention/')).body.map(({ kind }) => kind);

/** The scratch databases of the server. */
async function scratches(): Promise<readonly string[]> {
  const live = new URL(test.databaseUrl).pathname.slice(1);
  const { rows } = await sql<{ name: string }>`
    select datname as name from pg_database
    where starts_with(datname, ${`${live}_drill_`})`.execute(test.db);
  return rows.map(({ name }) => name);
}

async function asSuperuser(statement: string, database = '/postgres'): Promise<void> {
  const url = new URL(process.env[SETUP_URL_VARIABLE] ?? '');
  url.pathname = database;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

it('says that there is no backup', async () => {
  expect(await run()).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('No backup was made'),
  });
});

it('restores the newest backup into a scratch database, verifies it, and drops it', async () => {
  const folder = await backup('first');
  const { stdout, code } = await run();
  expect([code, stdout]).toEqual([0, expect.stringContaining('The drill passed in')]);
  expect(await newest()).toMatchObject({
    folder,
    passed: true,
    reason: '',
    started_by: 'Command line',
    seconds: expect.any(Number),
  });
  expect((await newest())?.secrets).toBeGreaterThan(2);
  expect((await newest())?.rows).toBeGreaterThan(10);
  expect(await scratches()).toEqual([]);
  expect((await listed()).backups[0]).toMatchObject({ folder, has_recordings: true });
  expect(await attention()).not.toContain('backup_drill_failed');
});

it('runs as a job for administrators of the installation, and for no other user', async () => {
  const user = await bearer(test, await buildUser(test.db));
  expect((await user.get(BACKUPS)).status).toBe(403);
  expect((await user.post(`${BACKUPS}drill/`)).status).toBe(403);
  const { status, body } = await admin.post<Json>(`${BACKUPS}drill/`);
  expect(status).toBe(201);
  await until(
    async () => (await admin.get<Json>(`common/jobs/${body.job}/`)).body.state === 'succeeded',
    'the job has ended',
  );
  expect(await newest()).toMatchObject({ passed: true, started_by: 'Administrator(admin)' });
});

it.each<[string, (folder: string) => Promise<unknown>, RegExp]>([
  [
    'a changed table',
    async (folder) => {
      const file = join(folder, 'database/account.copy.gz');
      const bytes = await readFile(file);
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      await writeFile(file, bytes);
    },
    /The backup is not whole.*account\.copy\.gz is not as it was written\.$/,
  ],
  [
    'a missing manifest',
    (folder) => rm(join(folder, 'manifest.json')),
    /The backup is not whole: .* holds no complete backup/,
  ],
])('reports %s', async (_what, change, reason) => {
  const copy = join(parent, crypto.randomUUID());
  await cp(join(parent, 'first'), copy, { recursive: true });
  await change(copy);
  expect(await run(copy)).toMatchObject({ code: 2 });
  expect(await newest()).toMatchObject({ passed: false, reason: expect.stringMatching(reason) });
  expect(await attention()).toContain('backup_drill_failed');
  expect(await scratches()).toEqual([]);
});

it('reports a newest backup that is away, and records no mistyped folder', async () => {
  const before = (await newest())?.id;
  expect(await run(join(parent, 'mistyped'))).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('does not exist'),
  });
  expect((await newest())?.id).toBe(before);
  await rename(join(parent, 'first'), join(parent, 'away'));
  expect(await run()).toMatchObject({ code: 2 });
  expect(await newest()).toMatchObject({
    reason: expect.stringContaining('This server cannot read the backup'),
  });
  await rename(join(parent, 'away'), join(parent, 'first'));
});

it('reports another key', async () => {
  expect(await run(undefined, { SALLYPORT_SECRET_KEY: 'ab'.repeat(32) })).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('The current key does not open the backup'),
  });
});

it('says which right the role of the database lacks', async () => {
  await asSuperuser('alter role sallyport nocreatedb');
  try {
    expect(await run()).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/alter role "?sallyport"? createdb/),
    });
  } finally {
    await asSuperuser('alter role sallyport createdb');
  }
});

it('reports secrets that do not open, and audit logs that were changed', async () => {
  const { rows } = await sql<{ id: string; password: string }>`
    select id, password from system_account where password is not null order by name`.execute(
    test.db,
  );
  const [one, two] = rows;
  await sql`update system_account set password = ${two?.password} where id = ${one?.id}`.execute(
    test.db,
  );
  expect(await run(await backup('secret'))).toMatchObject({
    code: 2,
    stdout: expect.stringContaining(`system_account.password.${one?.id}`),
  });
  await sql`update system_account set password = ${one?.password} where id = ${one?.id}`.execute(
    test.db,
  );
  await asSuperuser(
    `set session_replication_role = replica;
     update operate_log set "user" = 'nobody'
     where sequence = (select min(sequence) from operate_log)`,
    new URL(test.databaseUrl).pathname,
  );
  expect(await run(await backup('audit'))).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('operate_log is not intact'),
  });
  expect(await scratches()).toEqual([]);
});

it('drops the scratch database when it is stopped in the middle', async () => {
  const stop = new AbortController();
  await expect(
    drill(config(), {
      url: test.databaseUrl,
      db: test.db,
      folder: join(parent, 'first'),
      startedBy: '',
      signal: stop.signal,
      say: (line) => line.startsWith('database') && stop.abort(),
    }),
  ).rejects.toMatchObject({ problem: 'interrupted' });
  expect(await newest()).toMatchObject({ passed: false });
  expect(await scratches()).toEqual([]);
});

it('leaves nothing of a crash after the next start', async () => {
  const child = spawn(
    process.execPath,
    [
      resolve(import.meta.dirname, '../../../dist/cli.mjs'),
      'backup',
      'drill',
      join(parent, 'first'),
    ],
    {
      env: {
        PATH: process.env.PATH,
        SALLYPORT_DATA_DIR: test.dataDirectory,
        SALLYPORT_DATABASE_URL: test.databaseUrl,
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  await until(async () => (await scratches()).length > 0, 'the scratch database exists');
  child.kill('SIGKILL');
  await once(child, 'close');
  await sql`insert into restore_drill (folder) values ('/cut/off')`.execute(test.db);
  const other = await startTestProgram({
    databaseUrl: test.databaseUrl,
    secretKeyFile: join(test.dataDirectory, 'secret.key'),
  });
  try {
    await until(async () => (await scratches()).length === 0, 'the scratch database is gone');
    expect((await listed()).drills.every(({ passed }) => passed !== null)).toBe(true);
    expect(await newest()).toMatchObject({
      folder: '/cut/off',
      reason: expect.stringContaining('The drill was interrupted'),
    });
  } finally {
    await other.stop();
  }
});
