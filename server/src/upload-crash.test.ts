import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serverIdOf } from './features/servers/index.ts';
import { createSessionRows } from './features/sessions/index.ts';
import { type Database, openDatabase } from './platform/db/database.ts';
import { sql } from './platform/db/sql.ts';
import { openLocalRecordings } from './platform/storage/local-storage.ts';
import { createS3Storage } from './platform/storage/s3-storage.ts';
import { recordingFiles } from './platform/storage/testing/recording-files.ts';
import { Client, type Json } from './testing/client.ts';
import { useCommands } from './testing/command.ts';
import { type HoldingProxy, startHoldingProxy } from './testing/holding-proxy.ts';
import { until } from './testing/poll.ts';
import { type S3Server, startS3 } from './testing/services/s3-server.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.ts';

/** More than one upload part after compression. */
const LARGE = 9 * 1024 * 1024;
const key = randomBytes(32).toString('hex');
const { folder, start } = useCommands();
let database: TestDatabase;
let opened: Database;
let s3: S3Server;
let proxy: HoldingProxy;

beforeAll(async () => {
  [database, s3] = await Promise.all([createTestDatabase(), startS3()]);
  opened = openDatabase(database.url, 2);
  proxy = await startHoldingProxy(s3.endpoint);
});
afterAll(async () => {
  await opened.close();
  await database.drop();
  await proxy.stop();
  await s3.stop();
});

it('loses no recording and moves none twice when a server is killed during the move', async () => {
  const { db } = opened;
  const begin = async (name: string) => {
    await mkdir(join(folder(), name), { recursive: true });
    const command = start({
      SALLYPORT_DATA_DIR: join(folder(), name),
      SALLYPORT_DATABASE_URL: database.url,
      SALLYPORT_SECRET_KEY: key,
    });
    return { command, url: await command.ready() };
  };
  const two = await begin('two');
  let one = await begin('one');
  const kill = async () => {
    one.command.child.kill('SIGKILL');
    await one.command.ended;
  };
  const visitor = new Client(two.url);
  const { token } = (
    await visitor.post<{ token: string }>('authentication/auth/', {
      username: 'admin',
      password: 'of the command',
    })
  ).body;
  const admin = visitor.with({ authorization: `Bearer ${token}` });
  const bucket = {
    name: 'bucket',
    type: 's3',
    bucket: s3.bucket,
    endpoint: proxy.endpoint,
    access_key: s3.accessKey,
    secret_key: s3.secretKey,
  };
  const storage = String((await admin.post<Json>('terminal/replay-storages/', bucket)).body.id);
  const { rows: terminals } = await sql<{
    id: string;
    holder: string;
  }>`select id, holder from terminal where holder = ${serverIdOf({ dataDirectory: join(folder(), 'one') })}`.execute(
    db,
  );
  const holder = String(terminals[0]?.holder);
  expect(
    (await admin.patch(`terminal/terminals/${terminals[0]?.id}/`, { replay_storage: 'bucket' }))
      .status,
  ).toBe(200);

  const recordings = await openLocalRecordings(join(folder(), 'one', 'recordings'));
  const recorded = async (text: string) => {
    const rows = createSessionRows(db, holder);
    const [id, startedAt] = [crypto.randomUUID(), new Date()];
    const names = {
      user: 'Li Wei(li.wei)',
      asset: 'web-01',
      systemUser: 'deploy',
      userId: '',
      assetId: '',
      systemUserId: '',
    };
    await rows.create({
      ...names,
      id,
      organizationId: '',
      loginFrom: 'WT',
      remoteAddress: null,
      protocol: 'ssh',
      secondFactor: 'none',
      dateStart: startedAt,
    });
    const recording = await recordings.add({ id, startedAt }, text);
    await rows.finish(id, {
      dateEnd: new Date(),
      reason: 'session_finished',
      success: true,
      replayState: 'finished',
      recording,
    });
    const object = `${startedAt.toISOString().slice(0, 10)}/${id}.cast.gz`;
    return {
      id,
      object,
      file: recordingFiles(join(folder(), 'one', 'recordings'), { id, startedAt }).finished,
      sha256: recording.sha256,
    };
  };
  // Each server scans for recordings at every full minute, so install the hold before recording.
  const second = proxy.hold(({ url }) => url?.includes('partNumber=2') === true);
  const large = await recorded(randomBytes(LARGE).toString('base64'));
  const upload = () => sql`select pg_notify('upload_recordings', '')`.execute(db);
  const movedTo = async () =>
    (
      await sql<{
        to: string | null;
      }>`select replay_storage as to from session where id = ${large.id}`.execute(db)
    ).rows[0]?.to;
  const remote = createS3Storage({ ...s3, pathStyle: true });
  const replay = async () => (await admin.get(`terminal/sessions/${large.id}/replay/`)).status;
  expect(await replay()).toBe(200);

  // In the middle of the upload: no part counts, and the other server reports a recording
  // elsewhere.
  await upload();
  await second;
  await kill();
  expect([existsSync(large.file), await movedTo(), await remote.stat(large.object)]).toEqual([
    true,
    null,
    undefined,
  ]);
  expect(await replay()).toBe(404);
  proxy.release();

  // The bucket has all parts, but the server has not read them back.
  const readBack = proxy.hold(
    ({ method, url }) => method !== 'PUT' && method !== 'POST' && url?.includes(large.id) === true,
  );
  one = await begin('one');
  await upload();
  await readBack;
  await kill();
  expect([existsSync(large.file), await movedTo()]).toEqual([true, null]);
  expect((await remote.stat(large.object))?.size).toBeGreaterThan(LARGE);
  proxy.release();

  // The row names the storage, and the file still exists.
  await sql`update session set replay_storage = ${storage} where id = ${large.id}`.execute(db);
  expect(await replay()).toBe(200);
  one = await begin('one');
  const small = await recorded('a small one');
  await upload();
  await until(() => !existsSync(large.file) && !existsSync(small.file), 'both have left the disk');

  const objects: string[] = [];
  // Once a minute each server also keeps the newest rows of its audit logs in the bucket.
  for await (const object of remote.list())
    if (!object.startsWith('audit-heads/')) objects.push(object);
  expect(objects.sort()).toEqual([large.object, small.object].sort());
  expect(await replay()).toBe(200);
  expect((await admin.get(`terminal/sessions/${small.id}/replay/download/`)).text).toBe(
    'a small one',
  );
  const { body } = await admin.post<{ sessions: Json }>('audits/verify/');
  expect(body.sessions).toMatchObject({ wrong: 0 });
  remote.close();
});
