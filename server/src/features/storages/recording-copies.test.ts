import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { createLog } from '../../platform/log.ts';
import { createS3Storage } from '../../platform/storage/s3-storage.ts';
import { recordingFiles } from '../../platform/storage/testing/recording-files.ts';
import { unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { type HoldingProxy, startHoldingProxy } from '../../testing/holding-proxy.ts';
import { until } from '../../testing/poll.ts';
import { type S3Server, startS3 } from '../../testing/services/s3-server.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';
import { removeRecordings } from '../retention/service.ts';

let world: SshWorld;
let admin: Client;
let s3: S3Server;
let proxy: HoldingProxy;
/** The storage in use. */
let id: string;
const storage = () => `terminal/replay-storages/${id}/`;

beforeAll(async () => {
  [world, s3] = await Promise.all([startSshWorld(), startS3()]);
  proxy = await startHoldingProxy(s3.endpoint);
  admin = await bearer(world.test);
  const { body } = await admin.post<Json>('terminal/replay-storages/', {
    name: unique('bucket'),
    type: 's3',
    bucket: s3.bucket,
    endpoint: proxy.endpoint,
    access_key: s3.accessKey,
    secret_key: s3.secretKey,
    path_style: true,
  });
  id = String(body.id);
  const server = await terminalRow();
  await admin.patch(`terminal/terminals/${server.id}/`, { replay_storage: body.name });
});
afterAll(async () => {
  await world?.stop();
  await proxy?.stop();
  await s3?.stop();
});

const terminalRow = async () => (await admin.get<Json[]>('terminal/terminals/')).body[0] as Json;
const problemIs = (text: string) =>
  until(async () => {
    const { storage_problem: problem } = await terminalRow();
    return text === '' ? problem === '' : String(problem).includes(text);
  }, `the problem of the storage is: ${text}`);
const healthOf = async () =>
  (await world.test.visitor.get<{ dependencies: Json }>('/api/health/')).body.dependencies
    .recording_storage;

/** Opens a terminal whose recording grows. */
async function open() {
  const base = world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');
  const person = (await bearer(world.test, world.member)).inOrganization(world.organization);
  const terminal = await TerminalClient.connect(
    base,
    { asset: world.asset, system_user: world.systemUser },
    person.headers,
  );
  const { session } = await terminal.message('open');
  const { body } = await world.administrator.get<Json>(`terminal/sessions/${session}/`);
  const names = { id: session, startedAt: new Date(String(body.date_start)) };
  const { running } = recordingFiles(join(world.test.dataDirectory, 'recordings'), names);
  const day = names.startedAt.toISOString().slice(0, 10);
  /** Returns the bytes in the parts of the bucket, in the order of their names. */
  const parts = async () => {
    const bucket = createS3Storage({ ...s3, pathStyle: true });
    const keys: string[] = [];
    for await (const key of bucket.list())
      if (key.startsWith(`${day}/${session}.cast.parts/`)) keys.push(key);
    const contents = await Promise.all(
      keys.map(async (key) => buffer((await bucket.open(key)).stream)),
    );
    return Buffer.concat(contents.map((part) => part.subarray(2 + part.readUInt16LE())));
  };
  return {
    session,
    terminal,
    async print(text: string) {
      // The echo of the line does not contain the text.
      terminal.type(`echo ${text.slice(0, 2)}""${text.slice(2)}\r`);
      await terminal.waitFor(text);
    },
    /** Waits until the bucket has a text, and everything before it in the order of the file. */
    async isCopied(text: string) {
      await until(async () => (await parts()).includes(text), `the bucket has: ${text}`);
      const copy = await parts();
      expect((await readFile(running)).subarray(0, copy.length).equals(copy)).toBe(true);
    },
    async end() {
      terminal.type('exit\r');
      await terminal.message('closed');
    },
  };
}
type Opened = Awaited<ReturnType<typeof open>>;

/** Breaks the bucket while a session runs, until it names a problem; then the session continues. */
async function survives(
  { print, isCopied, end, session }: Opened,
  breaks: () => Promise<unknown>,
  { problem, mend }: { readonly problem: string; readonly mend: () => unknown },
): Promise<void> {
  await print('before');
  await isCopied('before');
  await breaks();
  await print('during');
  await problemIs(problem);
  expect(await healthOf()).toEqual({ status: 'down' });
  await print('still here');
  await mend();
  await isCopied('still here');
  await problemIs('');
  expect(await healthOf()).toEqual({ status: 'up' });
  await end();
  // It moves at once, and takes its parts along.
  const remote = createS3Storage({ ...s3, pathStyle: true });
  await until(async () => {
    const keys: string[] = [];
    for await (const key of remote.list()) if (key.includes(session)) keys.push(key);
    return keys.length === 1 && keys[0]?.endsWith('.cast.gz') === true;
  }, 'the bucket has the recording in place of its parts');
  const { text } = await world.administrator.get(`terminal/sessions/${session}/replay/download/`);
  for (const printed of ['before', 'during', 'still here']) expect(text).toContain(printed);
}

it('continues a session and the order of its recording when the bucket does not answer', async () => {
  await survives(await open(), async () => void proxy.hold(() => true), {
    problem: 'takes too long',
    mend: () => proxy.release(),
  });
});

it.each([
  ['its server is away', { endpoint: 'http://127.0.0.1:1' }, 'ECONNREFUSED'],
  ['it was deleted', { bucket: 'deleted' }, 'NoSuchBucket'],
])(
  'continues a session and the order of its recording when the bucket fails because %s',
  async (_why, change, problem) => {
    const opened = await open();
    const place = { bucket: s3.bucket, endpoint: proxy.endpoint };
    const set = (values: typeof place) =>
      sql`update replay_storage set bucket = ${values.bucket}, endpoint = ${values.endpoint}
      where id = ${id}`.execute(world.test.db);
    await survives(opened, () => set({ ...place, ...change }), { problem, mend: () => set(place) });
  },
);

it('continues a session and the order of its recording when a rotation left wrong keys', async () => {
  await survives(await open(), () => admin.patch(storage(), { access_key: 'revoked' }), {
    problem: 'InvalidAccessKeyId',
    mend: () => admin.patch(storage(), { access_key: s3.accessKey }),
  });
});

it('keeps recordings in two buckets, and continues with one of them', async () => {
  const other = await startS3();
  const otherProxy = await startHoldingProxy(other.endpoint);
  const { body: second } = await admin.post<Json>('terminal/replay-storages/', {
    name: unique('second'),
    type: 's3',
    bucket: other.bucket,
    endpoint: otherProxy.endpoint,
    access_key: other.accessKey,
    secret_key: other.secretKey,
    path_style: true,
  });
  expect((await admin.patch(storage(), { second: second.id })).status).toBe(200);
  const keysIn = async (server: S3Server, session: string) => {
    const keys: string[] = [];
    for await (const key of createS3Storage({ ...server, pathStyle: true }).list())
      if (key.includes(session)) keys.push(key.replace(/.*\.cast/, '.cast'));
    return keys;
  };
  try {
    const { session, print, isCopied, end } = await open();
    await print('in both');
    await isCopied('in both');
    await until(
      async () => (await keysIn(other, session)).length > 0,
      'the second bucket has a part',
    );
    // The second bucket is away: the first one takes all parts, and the problem is named.
    otherProxy.refuse(() => true);
    await print('in one');
    await isCopied('in one');
    await problemIs('AccessDenied');
    await end();
    await until(
      async () => (await keysIn(s3, session)).includes('.cast.gz'),
      'the first bucket has the recording',
    );
    // The row names no bucket before both have it.
    const isMoved = async () =>
      (
        await sql<{ is: boolean }>`select replay_storage is not null as is from session
          where id = ${session}`.execute(world.test.db)
      ).rows[0]?.is;
    expect(await isMoved()).toBe(false);
    otherProxy.release();
    await until(async () => {
      await sql`select pg_notify('upload_recordings', '')`.execute(world.test.db);
      return (await isMoved()) === true;
    }, 'both buckets have the recording');
    await problemIs('');
    for (const server of [s3, other])
      await until(
        async () => (await keysIn(server, session)).join() === '.cast.gz',
        'the recording took the place of its parts',
      );
    // The first bucket is away: the second one replays.
    proxy.refuse(() => true);
    const path = `terminal/sessions/${session}/replay/download/`;
    const { status, text } = await world.administrator.get(path);
    expect([status, text]).toEqual([200, expect.stringContaining('in one')]);
    otherProxy.refuse(() => true);
    expect((await world.administrator.get(path)).status).toBe(503);
  } finally {
    proxy.release();
    await admin.patch(storage(), { second: null });
    await otherProxy.stop();
    await other.stop();
  }
});

it('moves and replays recordings in a bucket that locks its objects, and says so in its test', async () => {
  const put = new Set<string>();
  proxy.refuse(({ method, url = '' }) => {
    const [path = ''] = url.split('?');
    if (method === 'DELETE') return true;
    if (method !== 'PUT') return false;
    return put.size === put.add(path).size;
  }, 'the object is protected by an object lock');
  const tested = await admin.get<Json>(`${storage()}test-connective/`);
  expect(tested.body).toMatchObject({
    is_valid: true,
    msg: expect.stringMatching(/locks its obj/),
  });
  const chinese = admin.with({ 'accept-language': 'zh' });
  expect((await chinese.get(`${storage()}test-connective/`)).text).toContain('存储桶锁定对象');
  const { session, print, isCopied, end } = await open();
  await print('locked');
  await isCopied('locked');
  await end();
  const remote = createS3Storage({ ...s3, pathStyle: true });
  await until(async () => {
    for await (const key of remote.list()) if (key.endsWith(`${session}.cast.gz`)) return true;
    return false;
  }, 'the bucket has the recording');
  const row = async () =>
    (
      await sql<{ isMoved: boolean; hasCopy: boolean }>`
        select replay_storage is not null as "isMoved",
          exists (select from recording_copy where session = s.id) as "hasCopy"
        from session s where id = ${session}`.execute(world.test.db)
    ).rows[0];
  await until(
    async () => JSON.stringify(await row()) === '{"isMoved":true,"hasCopy":false}',
    'the row names the bucket and no copy',
  );
  await problemIs('');
  const { text } = await world.administrator.get(`terminal/sessions/${session}/replay/download/`);
  expect(text).toContain('locked');

  // Retention leaves locked objects, and deletes them when their lock has ended.
  await sql`delete from session where id = ${session}`.execute(world.test.db);
  const { db, program } = world.test;
  const expire = () =>
    removeRecordings({
      db,
      log: createLog('silent'),
      recordings: program.recordings,
      settings: { get: () => -1 as never },
      keepAtLeast: {},
    });
  const kept = await expire();
  expect(kept.keptRecordings).toBeGreaterThan(1);
  proxy.release();
  expect(await expire()).toEqual({ recordings: kept.keptRecordings, keptRecordings: 0 });
  for await (const key of remote.list()) expect(key).not.toContain(session);
});
