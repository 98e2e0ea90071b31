import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { AttentionItem, Backups } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { createS3Storage } from '../../platform/storage/s3-storage.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { buildUser, unique } from '../../testing/builders.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import { Client, type Json } from '../../testing/client.ts';
import { useCommands } from '../../testing/command.ts';
import { type CuttingProxy, startCuttingProxy } from '../../testing/cutting-proxy.ts';
import { runHousekeeping, runJob } from '../../testing/jobs.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import { until } from '../../testing/poll.ts';
import { type S3Server, startS3 } from '../../testing/services/s3-server.ts';
import { bearer } from '../../testing/sign-in.ts';
import { ADMIN_PASSWORD, startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const BACKUPS = 'common/backups/';

let test: TestProgram;
let admin: Client;
let s3: S3Server;
let proxy: CuttingProxy;
let bucket: Storage & { close(): void };
let storageId: string;
let parent: string;
const { folder: emptyFolder, start } = useCommands();

beforeAll(async () => {
  s3 = await startS3();
  proxy = await startCuttingProxy(s3);
  bucket = createS3Storage({ ...s3, pathStyle: true });
  parent = await mkdtemp(join(tmpdir(), 'sallyport-scheduled-'));
  await chmod(parent, 0o700);
  test = await startTestProgram({ backupDirectory: join(parent, 'backups') });
  admin = await bearer(test);
  storageId = await storage();
});
afterAll(async () => {
  await test.stop();
  bucket.close();
  await proxy.stop();
  await s3.stop();
  await rm(parent, { recursive: true, force: true });
});
beforeEach(async () => {
  proxy.restore();
  await set({ BACKUP_STORAGE: storageId, BACKUP_KEEP_FOLDER: true, BACKUP_RECORDINGS: false });
});

/** Creates a storage that reaches the bucket through the proxy; returns its id. */
async function storage(change: Json = {}): Promise<string> {
  const { status, body } = await admin.post<Json>('terminal/replay-storages/', {
    name: unique('bucket'),
    type: 's3',
    bucket: s3.bucket,
    endpoint: `http://127.0.0.1:${proxy.port}`,
    access_key: s3.accessKey,
    secret_key: s3.secretKey,
    ...change,
  });
  expect(status).toBe(201);
  return String(body.id);
}
const set = (values: Json) => changeSettings([admin], 'backup', values);
const run = () => runJob<{ problem?: string }>(test, 'backup');
const listed = async () => (await admin.get<Backups>(BACKUPS)).body;
const newest = async () => (await listed()).backups[0];
const stored = async () => {
  const keys: string[] = [];
  for await (const key of bucket.list()) keys.push(key);
  return keys;
};
const folders = () => readdir(join(parent, 'backups'));
const attention = async () =>
  (await admin.get<AttentionItem[]>('common/attention/')).body.map(({ kind }) => kind);
const operate = (words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runOperatorCommand(test, words, environment);

/** Downloads the newest encrypted backup into a file. */
async function download(): Promise<string> {
  const key = (await newest())?.stored?.key ?? '';
  const file = join(parent, `${unique('downloaded')}.spbackup`);
  await writeFile(file, await buffer((await bucket.open(key)).stream));
  return file;
}
/** Makes every record of a backup older. */
const age = (days: number) =>
  sql`update backup set date_started = date_started - make_interval(days => ${days}),
    date_finished = date_finished - make_interval(days => ${days})`.execute(test.db);

it('makes a backup on request, and puts an encrypted copy into the storage', async () => {
  expect(await newest()).toBeUndefined();
  const { status, body } = await admin.post<Json>(BACKUPS);
  expect(status).toBe(201);
  await until(
    async () => (await admin.get<Json>(`common/jobs/${body.job}/`)).body.state === 'succeeded',
    'the job has ended',
  );
  const backup = await newest();
  expect(backup).toMatchObject({
    state: 'complete',
    is_scheduled: true,
    has_folder: true,
    reason: '',
    stored: { bytes: expect.any(Number), key: expect.stringMatching(/^sallyport-backups\//) },
  });
  expect(await stored()).toEqual([backup?.stored?.key]);
  expect((await stat(String(backup?.folder))).mode & 0o777).toBe(0o700);
  const sealed = await readFile(await download());
  expect(sealed.length).toBe(backup?.stored?.bytes);
  // Only the name and the wrapped key are readable.
  expect(sealed.includes('manifest.json')).toBe(false);
  expect(sealed.includes('schema_migration')).toBe(false);
  expect((await listed()).schedule).toMatchObject({ enabled: false, running: false });
});

it('restores a downloaded file and the object itself on a new machine with the secret key', async () => {
  const file = await download();
  const keyFile = join(test.dataDirectory, 'secret.key');
  const here = { SALLYPORT_DATABASE_URL: '', SALLYPORT_DATA_DIR: emptyFolder() };
  expect(await operate(['restore', file, `--keys=${keyFile}`], here)).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('every file is as it was written'),
  });
  const visitor = new Client(await start().ready());
  expect(
    (await visitor.post('authentication/auth/', { username: 'admin', password: ADMIN_PASSWORD }))
      .status,
  ).toBe(201);
  const elsewhere = { ...here, SALLYPORT_DATA_DIR: join(parent, 'elsewhere') };
  const address = `s3://${s3.bucket}/${(await newest())?.stored?.key}`;
  expect(await operate(['restore', address, `--keys=${keyFile}`], elsewhere)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Set AWS_ACCESS_KEY_ID'),
  });
  const account = {
    AWS_ACCESS_KEY_ID: s3.accessKey,
    AWS_SECRET_ACCESS_KEY: s3.secretKey,
    AWS_ENDPOINT_URL: s3.endpoint,
  };
  expect(
    await operate(['restore', `${address}x`, `--keys=${keyFile}`], { ...elsewhere, ...account }),
  ).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be read') });
  expect(
    await operate(['restore', address, `--keys=${keyFile}`], { ...elsewhere, ...account }),
  ).toMatchObject({ code: 0, stderr: '' });
});

it('restores nothing from a file that was changed or cut off, with another key, or of another kind', async () => {
  const file = await download();
  const bytes = await readFile(file);
  const other = join(parent, 'other.key');
  await writeFile(other, 'ab'.repeat(32), { mode: 0o600 });
  const target = join(parent, 'refused');
  const refusal = async (keys = join(test.dataDirectory, 'secret.key')) => {
    const { code, stderr } = await operate(['restore', file, `--keys=${keys}`], {
      SALLYPORT_DATABASE_URL: '',
      SALLYPORT_DATA_DIR: target,
    });
    expect([code, existsSync(target)]).toEqual([1, false]);
    return stderr;
  };
  expect(await refusal(other)).toContain('was sealed with another key');
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  await writeFile(file, bytes);
  expect(await refusal()).toContain('is not whole');
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  await writeFile(file, bytes.subarray(0, -100));
  expect(await refusal()).toContain('is not whole');
  // As if the file ended with a whole chunk.
  await writeFile(file, bytes.subarray(0, 200));
  expect(await refusal()).toMatch(/is not (whole|an encrypted backup)/);
  await writeFile(file, 'anything');
  expect(await refusal()).toContain('is not an encrypted backup');
});

it('drills with the copy in the storage when the folder is missing', async () => {
  const { folder, stored: copy } = (await newest()) ?? {};
  await rm(String(folder), { recursive: true });
  const { code, stdout } = await operate(['backup', 'drill']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('The drill passed in')]);
  expect((await listed()).drills[0]).toMatchObject({ passed: true, folder: copy?.key });
  proxy.cut();
  expect(await operate(['backup', 'drill'])).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('This server cannot read the backup'),
  });
  proxy.restore();
  expect(
    await operate(['backup', 'drill'], { SALLYPORT_SECRET_KEY: 'ab'.repeat(32) }),
  ).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('The current key does not open the backup'),
  });
  expect(await operate(['backup', 'drill'])).toMatchObject({ code: 0 });
});

it('reports an unreachable bucket, and uploads the same backup later', async () => {
  proxy.cut();
  expect((await run()).result).toEqual({ problem: 'unreachable' });
  const waiting = await newest();
  expect(waiting).toMatchObject({
    state: 'waiting',
    stored: null,
    reason: expect.stringContaining('The storage cannot be used'),
  });
  expect(await attention()).toContain('backup_failed');
  proxy.restore();
  expect((await run()).result).toBeNull();
  expect(await newest()).toMatchObject({
    id: waiting?.id,
    folder: waiting?.folder,
    state: 'complete',
    reason: '',
  });
  expect(await attention()).not.toContain('backup_failed');
});

it('leaves no object of an upload that is cut off', async () => {
  const before = await stored();
  // Random bytes, so that the upload has several parts.
  await sql`insert into setting (name, value)
    select 'filler', to_jsonb(string_agg(gen_random_uuid()::text, ''))
    from generate_series(1, 800000)`.execute(test.db);
  try {
    const isUploading = until(async () => (await run()).result !== undefined, 'the job has ended');
    await until(async () => {
      const { rows } = await sql`select from backup where state = 'waiting'`.execute(test.db);
      return rows.length > 0;
    }, 'the upload begins');
    proxy.cut();
    await isUploading;
    expect(await newest()).toMatchObject({ state: 'waiting' });
    expect(await stored()).toEqual(before);
  } finally {
    await sql`delete from setting where name = 'filler'`.execute(test.db);
  }
  proxy.restore();
  expect((await run()).result).toBeNull();
  expect(await newest()).toMatchObject({ state: 'complete' });
});

it.each<[string, () => Promise<string>, string]>([
  ['an account that the storage refuses', () => storage({ access_key: 'nobody' }), 'refused'],
  ['a bucket that does not exist', () => storage({ bucket: 'missing' }), 'unreachable'],
])('reports %s', async (_what, create, problem) => {
  await set({ BACKUP_STORAGE: await create() });
  expect((await run()).result).toEqual({ problem });
  expect(await newest()).toMatchObject({ state: 'waiting' });
});

it('keeps only the copy in the storage when the settings say so', async () => {
  await set({ BACKUP_KEEP_FOLDER: false });
  expect((await run()).result).toBeNull();
  const backup = await newest();
  expect(backup).toMatchObject({ state: 'complete', has_folder: false });
  expect(existsSync(String(backup?.folder))).toBe(false);
  const refused = await admin.patch<Json>('settings/setting/', { backup: { BACKUP_STORAGE: '' } });
  expect([refused.status, refused.text]).toEqual([
    400,
    expect.stringContaining('BACKUP_KEEP_FOLDER'),
  ]);
});

it('deletes backups that are neither among the last ones nor young, and says so in the log', async () => {
  await set({ BACKUP_KEEP_LAST: 2, BACKUP_KEEP_DAYS: 10 });
  await run();
  expect((await listed()).backups.filter(({ state }) => state === 'complete').length).toBe(5);
  // Rotation deletes superseded folders that waited for a storage.
  await until(
    async () => (await listed()).backups.every(({ state }) => state === 'complete'),
    'the waiting folders are deleted',
  );
  await age(8);
  await run();
  expect((await listed()).backups).toHaveLength(6);
  await age(3);
  // A failed backup deletes nothing.
  proxy.cut();
  await run();
  proxy.restore();
  expect(await stored()).toHaveLength(6);
  await run();
  await until(async () => (await listed()).backups.length === 2, 'the others are deleted');
  const left = (await listed()).backups.map(({ stored: copy }) => copy?.key).sort();
  expect(await stored()).toEqual(left);
  expect(await folders()).toHaveLength(2);
  const { body } = await admin.get<Json[]>('audits/operate-logs/?resource_type=backup');
  expect(body.length).toBeGreaterThanOrEqual(7);
  expect(body[0]).toMatchObject({ user: 'System', action: 'delete' });
});

it('keeps the last complete backup whatever its age', async () => {
  await age(400);
  await set({ BACKUP_KEEP_LAST: 1, BACKUP_KEEP_DAYS: 0 });
  await run();
  await until(async () => (await listed()).backups.length === 1, 'only the newest is there');
  expect(await stored()).toEqual([(await newest())?.stored?.key]);
  expect(await folders()).toHaveLength(1);
});

it('reports a disk with too little space, and a folder that it may not write', async () => {
  const before = await folders();
  await changeSettings([admin], 'terminal', { TERMINAL_RECORDING_DISK_RESERVE: 1_000_000 });
  try {
    expect((await run()).result).toEqual({ problem: 'no_space' });
  } finally {
    await changeSettings([admin], 'terminal', { TERMINAL_RECORDING_DISK_RESERVE: 512 });
  }
  expect(await newest()).toMatchObject({
    state: 'failed',
    has_folder: false,
    reason: expect.stringContaining('MiB free'),
  });
  expect(await folders()).toEqual(before);
  await rename(join(parent, 'backups'), join(parent, 'kept'));
  await writeFile(join(parent, 'backups'), '');
  try {
    expect((await run()).result).toEqual({ problem: 'folder' });
  } finally {
    await rm(join(parent, 'backups'));
    await rename(join(parent, 'kept'), join(parent, 'backups'));
  }
});

it('starts backups by the schedule once, and again an hour after a failure', async () => {
  const count = async () =>
    (
      await sql<{
        n: number;
      }>`select count(*)::int as n from jobs.job where name = 'backup'`.execute(test.db)
    ).rows[0]?.n ?? 0;
  await run();
  await set({ BACKUP_ENABLED: true, BACKUP_EVERY_DAYS: 1 });
  const before = await count();
  await runHousekeeping(test, 'backup-schedule');
  expect(await count()).toBe(before);
  await age(2);
  await runHousekeeping(test, 'backup-schedule');
  expect(await count()).toBe(before + 1);
  await until(async () => !(await listed()).schedule.running, 'the backup is made');
  await set({ BACKUP_ENABLED: false });
  await age(2);
  await runHousekeeping(test, 'backup-schedule');
  expect(await count()).toBe(before + 1);
});

it('rejects other users, wrong settings, and the deletion of a storage in use', async () => {
  const user = await bearer(test, await buildUser(test.db));
  expect((await user.post(BACKUPS)).status).toBe(403);
  const auditor = await bearer(test, await buildUser(test.db, { role: 'Auditor' }));
  expect((await auditor.post(BACKUPS)).status).toBe(403);
  expect((await test.visitor.post(BACKUPS)).status).toBe(401);
  for (const [values, field] of [
    [{ BACKUP_STORAGE: 'nothing' }, 'BACKUP_STORAGE'],
    [{ BACKUP_HOUR: 24 }, 'BACKUP_HOUR'],
    [{ BACKUP_KEEP_LAST: 0 }, 'BACKUP_KEEP_LAST'],
  ] as const) {
    const { status, text } = await admin.patch('settings/setting/', { backup: values });
    expect([status, text]).toEqual([400, expect.stringContaining(field)]);
  }
  const removal = await admin.delete(`terminal/replay-storages/${storageId}/`);
  expect([removal.status, removal.text]).toEqual([409, expect.stringMatching(/Backup|备份/)]);
});
