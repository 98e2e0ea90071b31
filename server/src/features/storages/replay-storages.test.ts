import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { createS3Storage } from '../../platform/storage/s3-storage.ts';
import { recordingFiles } from '../../platform/storage/testing/recording-files.ts';
import { buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { startHoldingProxy } from '../../testing/holding-proxy.ts';
import { until } from '../../testing/poll.ts';
import { startAzure } from '../../testing/services/azure-server.ts';
import { type S3Server, startS3 } from '../../testing/services/s3-server.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import type { Verdicts } from '../audits/verification.ts';
import { createSessionRows } from '../sessions/index.ts';
import { registerTerminal } from './register.ts';

let test: TestProgram;
let admin: Client;
let s3: S3Server;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  s3 = await startS3();
});
afterAll(async () => {
  await test.stop();
  await s3.stop();
});

const STORAGES = 'terminal/replay-storages/';
const bucket = () => ({
  name: unique('minio'),
  type: 's3',
  bucket: s3.bucket,
  endpoint: s3.endpoint,
  access_key: s3.accessKey,
  secret_key: s3.secretKey,
});
const terminal = async () => (await admin.get<Json[]>('terminal/terminals/')).body[0] as Json;
const choose = async (name: unknown) =>
  expect(
    (await admin.patch(`terminal/terminals/${(await terminal()).id}/`, { replay_storage: name }))
      .status,
  ).toBe(200);
/**
 * Notifies the server, as the job does every minute, until a condition holds. Concurrent runs are
 * one.
 */
const uploaded = (isSo: () => Promise<boolean> | boolean, what: string) =>
  until(async () => {
    await sql`select pg_notify('upload_recordings', '')`.execute(test.db);
    return isSo();
  }, what);

async function recorded(text: string) {
  const rows = createSessionRows(test.db, 'test');
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
  const recording = await test.program.recordings.add({ id, startedAt }, text);
  await rows.finish(id, {
    dateEnd: new Date(),
    reason: 'session_finished',
    success: true,
    replayState: 'finished',
    recording,
  });
  return {
    id,
    key: `${startedAt.toISOString().slice(0, 10)}/${id}.cast.gz`,
    file: recordingFiles(join(test.dataDirectory, 'recordings'), { id, startedAt }).finished,
  };
}

describe('a replay storage', () => {
  it('creates, reads, changes, tests and deletes a storage; hides the secrets, and keeps one if the new one is blank', async () => {
    const created = await admin.post<Json>(STORAGES, bucket());
    expect([created.status, created.text.includes('S3RVER')]).toEqual([201, false]);
    const path = `${STORAGES}${created.body.id}/`;
    expect((await admin.get<Json>(path)).body).toMatchObject({
      type: 's3',
      bucket: s3.bucket,
      meta: { BUCKET: s3.bucket, ENDPOINT: s3.endpoint },
      path_style: true,
    });
    expect(
      (
        await admin.put(path, {
          ...bucket(),
          name: created.body.name,
          access_key: '',
          secret_key: '',
          comment: 'rack 4',
        })
      ).status,
    ).toBe(200);
    expect((await admin.get<Json>(`${path}test-connective/`)).body).toMatchObject({
      is_valid: true,
    });
    const { rows } = await sql<{
      secret_key: string;
    }>`select secret_key from replay_storage where id = ${created.body.id}`.execute(test.db);
    expect(rows[0]?.secret_key).toMatch(/^v2\$/);
    expect((await admin.delete(path)).status).toBe(204);
  });

  it('accepts and changes settings in meta, as established clients send them, and rejects unknown members', async () => {
    const name = unique('meta');
    const common = { name, type: 's3', comment: '' };
    const settings = {
      s3_bucket: s3.bucket,
      s3_endpoint: s3.endpoint,
      s3_access_key: s3.accessKey,
      s3_secret_key: s3.secretKey,
    };
    const created = await admin.post<Json>(STORAGES, { ...common, meta: settings });
    expect(created).toMatchObject({
      status: 201,
      body: { bucket: s3.bucket, endpoint: s3.endpoint, path_style: true },
    });
    const path = `${STORAGES}${created.body.id}/`;
    expect((await admin.get<Json>(`${path}test-connective/`)).body).toMatchObject({
      is_valid: true,
    });

    // Changes bucket and keys, as a script that rotates keys does.
    const changed = await admin.put<Json>(path, {
      ...common,
      meta: { BUCKET: 'b2', ENDPOINT: s3.endpoint, ACCESS_KEY: 'nobody', SECRET_KEY: '' },
    });
    expect(changed).toMatchObject({ status: 200, body: { bucket: 'b2', meta: { BUCKET: 'b2' } } });
    expect((await admin.get<Json>(`${path}test-connective/`)).body).toMatchObject({
      is_valid: false,
      msg: expect.stringContaining('InvalidAccessKeyId'),
    });

    // Sends a stored object back with either form changed.
    const read = (await admin.get<Json>(path)).body;
    expect(
      await admin.put(path, { ...read, meta: { ...(read.meta as object), BUCKET: 'b3' } }),
    ).toMatchObject({ status: 200, body: { bucket: 'b3' } });
    const again = (await admin.get<Json>(path)).body;
    expect(await admin.put(path, { ...again, bucket: 'b4' })).toMatchObject({
      status: 200,
      body: { bucket: 'b4', meta: { BUCKET: 'b4' } },
    });

    for (const [method, body, field] of [
      ['put', { ...common, bucket: 'b5', meta: { s3_bucket: 'b6' } }, 'meta.s3_bucket'],
      ['put', { ...common, meta: { s3_bukcet: 'b5' } }, 'meta.s3_bukcet'],
      ['put', { ...common, meta: { s3_endpoint: 'no address' } }, 'meta.s3_endpoint'],
      ['put', { ...common, meta: 's3' }, 'meta'],
      [
        'post',
        { ...common, name: unique('meta'), meta: { ...settings, s3_bucket: '' } },
        'meta.s3_bucket',
      ],
      ['post', { ...common, name: unique('meta'), meta: { s3_bucket: 'b' } }, 'meta.access_key'],
    ] as const) {
      const refused =
        method === 'put'
          ? await admin.put<Json>(path, body)
          : await admin.post<Json>(STORAGES, body);
      expect([refused.status, Object.keys(refused.body)]).toEqual([400, [field]]);
    }
    expect((await admin.get<Json>(path)).body.bucket).toBe('b4');
  });

  it('accepts the meta of Azure, OSS and Swift', async () => {
    const azure = {
      azure_container_name: 'c',
      azure_account_name: 'a',
      azure_account_key: 'a2V5',
      azure_endpoint_suffix: 'core.chinacloudapi.cn',
    };
    expect(
      await admin.post(STORAGES, { name: unique('az'), type: 'azure', meta: azure }),
    ).toMatchObject({
      status: 201,
      body: { container_name: 'c', account_name: 'a', endpoint_suffix: 'core.chinacloudapi.cn' },
    });
    const keys = (type: string) => ({
      [`${type}_bucket`]: 'b',
      [`${type}_access_key`]: 'k',
      [`${type}_secret_key`]: 's',
    });
    const oss = { ...keys('oss'), oss_endpoint: 'https://oss-cn-hangzhou.aliyuncs.com' };
    expect(
      await admin.post(STORAGES, { name: unique('oss'), type: 'oss', meta: oss }),
    ).toMatchObject({ status: 201, body: { path_style: false } });
    const swift = {
      ...keys('swift'),
      swift_region: 'r1',
      swift_protocol: 'https',
      swift_endpoint: 'swift.example.com',
    };
    expect(
      await admin.post(STORAGES, { name: unique('sw'), type: 'swift', meta: swift }),
    ).toMatchObject({
      status: 201,
      body: { region: 'r1', endpoint: 'https://swift.example.com', meta: { PROTOCOL: 'https' } },
    });
    const contrary = { ...swift, swift_endpoint: 'http://swift.example.com' };
    expect(
      await admin.post(STORAGES, { name: unique('sw'), type: 'swift', meta: contrary }),
    ).toMatchObject({
      status: 400,
      body: { 'meta.swift_protocol': [expect.any(String)] },
    });
  });

  it('reports why an unreachable or rejecting storage fails its test', async () => {
    const tried = async (change: object) => {
      const { body } = await admin.post<Json>(STORAGES, { ...bucket(), ...change });
      return (await admin.get<Json>(`${STORAGES}${body.id}/test-connective/`)).body;
    };
    expect(await tried({ endpoint: 'http://127.0.0.1:1' })).toMatchObject({
      is_valid: false,
      msg: expect.stringContaining('ECONNREFUSED'),
    });
    expect(await tried({ bucket: 'missing' })).toMatchObject({
      is_valid: false,
      msg: expect.stringContaining('NoSuchBucket'),
    });
    expect(await tried({ access_key: 'nobody' })).toMatchObject({
      is_valid: false,
      msg: expect.stringContaining('InvalidAccessKeyId'),
    });
  });

  const OBJECT = /\/sallyport-test\/[^?]/;
  it.each([
    ['written', 'PUT', OBJECT],
    ['read', 'GET', OBJECT],
    ['listed', 'GET', /list-type/],
    ['deleted', 'DELETE', OBJECT],
  ] as const)(
    'names the step that the account may not do: the test object is not %s',
    async (verb, method, url) => {
      const proxy = await startHoldingProxy(s3.endpoint);
      try {
        const { body } = await admin.post<Json>(STORAGES, {
          ...bucket(),
          endpoint: proxy.endpoint,
        });
        const path = `${STORAGES}${body.id}/test-connective/`;
        expect((await admin.get<Json>(path)).body).toMatchObject({ is_valid: true });
        proxy.refuse(
          (request) => request.method === method && url.test(decodeURIComponent(request.url ?? '')),
        );
        const { is_valid: isValid, msg } = (await admin.get<Json>(path)).body;
        expect([isValid, msg]).toEqual([
          false,
          expect.stringMatching(
            new RegExp(`refused: the test object could not be ${verb}: .*AccessDenied`),
          ),
        ]);
      } finally {
        await proxy.stop();
      }
    },
  );

  it('requires address and keys, and keeps the built-in storages unchanged', async () => {
    for (const [change, field] of [
      [{ bucket: '' }, 'bucket'],
      [{ secret_key: '' }, 'secret_key'],
      [{ type: 'server' }, 'type'],
      [{ endpoint: 'no address' }, 'endpoint'],
    ] as const) {
      const refused = await admin.post<Json>(STORAGES, { ...bucket(), ...change });
      expect([refused.status, Object.keys(refused.body)]).toEqual([400, [field]]);
    }
    for (const name of ['default', 'null']) {
      const [row] = (await admin.get<Json[]>(`${STORAGES}?name=${name}`)).body;
      expect((await admin.patch(`${STORAGES}${row?.id}/`, { comment: 'x' })).status).toBe(403);
      expect((await admin.delete(`${STORAGES}${row?.id}/`)).status).toBe(403);
    }
    for (const [role, read] of [
      ['Auditor', 200],
      ['User', 403],
    ] as const) {
      const client = await bearer(test, await buildUser(test.db, { role }));
      expect([role, (await client.get(STORAGES)).status]).toEqual([role, read]);
    }
  });
});

it('moves finished recordings to their storage, and replays, downloads, verifies and deletes them there', async () => {
  const { body: storage } = await admin.post<Json>(STORAGES, bucket());
  await choose(storage.name);
  const { id, key, file } = await recorded(
    '{"version":2,"width":80,"height":24}\n[0.1,"o","kept elsewhere"]\n',
  );
  await uploaded(async () => !existsSync(file), 'the recording has left the disk');
  const remote = createS3Storage({ ...s3, pathStyle: true });
  expect((await remote.stat(key))?.size).toBeGreaterThan(0);
  expect((await admin.get(`terminal/sessions/${id}/replay/`)).status).toBe(200);
  expect((await admin.get(`terminal/sessions/${id}/replay/download/`)).text).toContain(
    'kept elsewhere',
  );
  expect((await admin.post<Verdicts>('audits/verify/')).body.sessions).toMatchObject({ wrong: 0 });
  // A storage with recordings cannot be deleted.
  await choose('default');
  expect((await admin.delete(`${STORAGES}${storage.id}/`)).status).toBe(409);
  const tampered = (async function* () {
    yield Buffer.from('another recording');
  })();
  await remote.put(key, tampered);
  expect((await admin.post<Verdicts>('audits/verify/')).body.sessions.broken).toEqual([
    { session: id, problem: 'recording_changed' },
  ]);
  const known: string[] = [];
  for await (const recording of test.program.recordings.upTo('9999-12-31')) {
    known.push(recording.sessionId);
    await recording.remove();
  }
  expect(known).toContain(id);
  expect(await remote.stat(key)).toBeUndefined();
});

it('keeps recordings while their storage is unreachable, reports the problem, and moves them once it is back', async () => {
  const gone = await startS3();
  const { body: storage } = await admin.post<Json>(STORAGES, {
    ...bucket(),
    endpoint: gone.endpoint,
  });
  await gone.stop();
  await choose(storage.name);
  const { id, file } = await recorded('still here');
  await uploaded(
    async () => String((await terminal()).storage_problem).includes('ECONNREFUSED'),
    'the terminal shows the problem',
  );
  expect(existsSync(file)).toBe(true);
  expect((await admin.get(`terminal/sessions/${id}/replay/download/`)).text).toBe('still here');
  const health = await test.visitor.get<{ status: number; dependencies: Json }>('/api/health/');
  expect([health.status, health.body.dependencies.recording_storage]).toEqual([
    200,
    { status: 'down' },
  ]);
  const back = await startS3(gone.port);
  await uploaded(async () => !existsSync(file), 'the recording has left the disk');
  await until(async () => (await terminal()).storage_problem === '', 'the problem is over');
  expect((await admin.get(`terminal/sessions/${id}/replay/download/`)).text).toBe('still here');
  await choose('default');
  await back.stop();
});

it('deletes recordings of ended sessions on a server that keeps none, and verification does not miss them', async () => {
  const before = await recorded('from before');
  await choose('null');
  const { id, file } = await recorded('nobody needs it');
  await uploaded(async () => !existsSync(file), 'the recording is gone');
  // Earlier recordings stay.
  expect((await admin.get(`terminal/sessions/${before.id}/replay/download/`)).text).toBe(
    'from before',
  );
  expect((await admin.get<Json>(`terminal/sessions/${id}/`)).body).toMatchObject({
    has_replay: false,
    replay_state: 'none',
  });
  const { sessions } = (await admin.post<Verdicts>('audits/verify/')).body;
  expect(sessions.broken.map(({ session }) => session)).not.toContain(id);
  await choose('default');
});

it('moves recordings to a container of Azure and back, and reaches Swift through its S3 interface', async () => {
  const azure = await startAzure();
  const place = {
    container_name: azure.container,
    account_name: azure.account,
    account_key: azure.key,
    endpoint: azure.endpoint,
  };
  const container = () => ({ name: unique('azure'), type: 'azure', ...place });
  for (const [body, field] of [
    [{ ...container(), container_name: '' }, 'container_name'],
    [{ ...container(), account_key: '' }, 'account_key'],
    [{ ...container(), account_key: 'no base64!' }, 'account_key'],
    [{ ...container(), account_name: 'x.evil.example/' }, 'account_name'],
    [{ ...container(), endpoint_suffix: 'no host' }, 'endpoint_suffix'],
    [{ ...bucket(), type: 'swift', endpoint: '' }, 'endpoint'],
  ] as const) {
    const refused = await admin.post<Json>(STORAGES, body);
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, [field]]);
  }
  const created = await admin.post<Json>(STORAGES, container());
  expect([created.status, created.text.includes(azure.key)]).toEqual([201, false]);
  expect((await admin.get<Json>(`${STORAGES}${created.body.id}/`)).body.meta).toEqual({
    CONTAINER_NAME: azure.container,
    ACCOUNT_NAME: azure.account,
    ENDPOINT_SUFFIX: 'core.windows.net',
  });
  const swift = await admin.post<Json>(STORAGES, {
    ...bucket(),
    type: 'swift',
    region: 'RegionOne',
  });
  expect((await admin.get<Json>(`${STORAGES}${swift.body.id}/`)).body.meta).toMatchObject({
    REGION: 'RegionOne',
    PROTOCOL: 'http',
  });
  for (const { body } of [created, swift])
    expect((await admin.get<Json>(`${STORAGES}${body.id}/test-connective/`)).body).toMatchObject({
      is_valid: true,
    });
  const wrong = await admin.post<Json>(STORAGES, {
    ...container(),
    account_key: Buffer.from('another').toString('base64'),
  });
  expect(
    (await admin.get<Json>(`${STORAGES}${wrong.body.id}/test-connective/`)).body,
  ).toMatchObject({
    is_valid: false,
    msg: expect.stringContaining('AuthenticationFailed'),
  });
  await choose(created.body.name);
  const { id, file } = await recorded('kept in a container');
  await uploaded(async () => !existsSync(file), 'the recording has left the disk');
  expect((await admin.get(`terminal/sessions/${id}/replay/download/`)).text).toBe(
    'kept in a container',
  );
  await choose('default');
  for await (const recording of test.program.recordings.upTo('9999-12-31'))
    await recording.remove();
  await azure.stop();
});

describe('a storage with a recording', () => {
  /** Moves a recording to the bucket of a separate server, and returns both. */
  async function movedRecording() {
    const own = await startS3();
    const { body: storage } = await admin.post<Json>(STORAGES, {
      ...bucket(),
      endpoint: own.endpoint,
    });
    await choose(storage.name);
    const { id, file } = await recorded('kept in a bucket');
    await uploaded(async () => !existsSync(file), 'the recording has left the disk');
    await choose('default');
    const answers = async (language: 'en' | 'zh' = 'en') => {
      const client = admin.with({ 'accept-language': language });
      const replay = `terminal/sessions/${id}/replay/`;
      return Promise.all(
        [replay, `${replay}file/`, `${replay}download/`].map(async (path) => {
          const { status, body } = await client.get<Json>(path);
          return [status, body?.code, body?.detail] as const;
        }),
      );
    };
    return { own, storage, path: `${STORAGES}${storage.id}/`, answers };
  }

  it('answers 503 with the name of the storage when its server stopped, its bucket was deleted or its key was revoked', async () => {
    const { own, storage, path, answers } = await movedRecording();
    const away = (reason: string) => {
      const text = `The recording of this session cannot be read now: the storage “${storage.name}” ${reason}.`;
      return [1, 2, 3].map(() => [503, 'replay_away', text]);
    };
    await sql`update replay_storage set bucket = 'deleted' where id = ${storage.id}`.execute(
      test.db,
    );
    const gone = 'does not answer, or its bucket no longer exists';
    expect(await answers()).toEqual(away(gone));
    await sql`update replay_storage set bucket = ${s3.bucket} where id = ${storage.id}`.execute(
      test.db,
    );
    expect((await admin.patch(path, { access_key: 'revoked' })).status).toBe(200);
    expect(await answers()).toEqual(away('refuses access. Its keys may have changed'));
    expect((await admin.patch(path, { access_key: s3.accessKey })).status).toBe(200);
    expect((await answers()).map(([status]) => status)).toEqual([200, 200, 200]);
    await own.stop();
    expect(await answers()).toEqual(away(gone));
    expect((await answers('zh'))[0]?.[2]).toBe(
      `暂时无法读取该会话的录像：录像存储“${storage.name}”没有响应，或其存储桶已不存在。`,
    );
  });

  it.each([
    ['bucket', { bucket: 'renamed' }, 'NoSuchBucket'],
    ['endpoint', { endpoint: 'http://127.0.0.1:1' }, 'ECONNREFUSED'],
    ['bucket', { meta: { BUCKET: 'renamed' } }, 'NoSuchBucket'],
  ])('rejects another %s where the recording does not open: %j', async (field, change, reason) => {
    const { own, storage, path } = await movedRecording();
    const refused = await admin.patch<Json>(path, change);
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, [field]]);
    expect(String(refused.body[field])).toContain(reason);
    expect((await admin.get<Json>(path)).body).toMatchObject({
      bucket: storage.bucket,
      endpoint: storage.endpoint,
    });
    await own.stop();
  });

  it('accepts another address with a copy of the recording, and rejects one without', async () => {
    const { own, path, answers } = await movedRecording();
    const other = await startS3();
    const empty = await admin.patch<Json>(path, { endpoint: other.endpoint });
    expect(empty.body).toEqual({ endpoint: [expect.stringContaining('it is not there')] });
    const from = createS3Storage({ ...own, pathStyle: true });
    const to = createS3Storage({ ...other, pathStyle: true });
    for await (const key of from.list()) await to.put(key, (await from.open(key)).stream);
    expect((await admin.patch(path, { endpoint: other.endpoint })).status).toBe(200);
    await own.stop();
    expect((await answers()).map(([status]) => status)).toEqual([200, 200, 200]);
    await other.stop();
  });
});

describe('the storage of all servers', () => {
  const bucketWith = (more: object = {}) => admin.post<Json>(STORAGES, { ...bucket(), ...more });
  const chosen = async () =>
    (await admin.get<Json[]>(STORAGES)).body
      .filter(({ is_for_all: is }) => is)
      .map((row) => row.id);
  const idOf = async (name: string) =>
    (await admin.get<Json[]>(`${STORAGES}?name=${name}`)).body[0]?.id as string;
  const forAll = (id: unknown, client = admin) =>
    client.patch<Json>(`${STORAGES}${id}/`, { is_for_all: true });

  it('passes its test first, and serves servers that register later', async () => {
    const { body: one } = await bucketWith();
    const { body: gone } = await bucketWith({ bucket: 'missing' });
    expect((await forAll(one.id)).status).toBe(200);
    expect((await terminal()).replay_storage).toBe(one.name);
    const refused = await forAll(gone.id);
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringMatching(/is_for_all.*test of the bucket failed: .*NoSuchBucket/),
    ]);
    expect((await terminal()).replay_storage).toBe(one.name);
    expect(await chosen()).toEqual([one.id]);
    const facts = { holder: 'late', hostname: unique('late'), sshPort: 0, httpPort: 0 };
    await registerTerminal(test.db, facts, true);
    const { rows } = await sql`delete from terminal where holder = 'late'
      returning replay_storage`.execute(test.db);
    expect(rows).toEqual([{ replay_storage: one.name }]);
    const created = await bucketWith({ is_for_all: true });
    expect([created.status, await chosen()]).toEqual([201, [created.body.id]]);
    expect((await terminal()).replay_storage).toBe(created.body.name);
    // The disks are a choice, too; "do not save" is none for all servers.
    expect((await forAll(await idOf('null'))).status).toBe(403);
    const disks = await idOf('default');
    expect((await forAll(disks)).status).toBe(200);
    expect([await chosen(), (await terminal()).replay_storage]).toEqual([[disks], 'default']);
    const auditor = await bearer(test, await buildUser(test.db, { role: 'Auditor' }));
    expect((await forAll(one.id, auditor)).status).toBe(403);
  });

  it('has a second bucket, which is another bucket', async () => {
    const { body: second } = await bucketWith();
    const { body: first } = await bucketWith({ second: second.id });
    expect(first.second).toBe(second.id);
    const change = (value: unknown) =>
      admin.patch<Json>(`${STORAGES}${first.id}/`, { second: value });
    for (const id of [first.id, await idOf('default'), await idOf('null')]) {
      const refused = await change(id);
      expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['second']]);
    }
    expect((await admin.delete(`${STORAGES}${second.id}/`)).status).toBe(409);
    expect((await change(null)).status).toBe(200);
    expect((await admin.delete(`${STORAGES}${second.id}/`)).status).toBe(204);
  });
});

it('moves the other recordings when a lock of the bucket keeps another object of one name', async () => {
  const [one, other] = [await recorded('one'), await recorded('other')].toSorted((a, b) =>
    a.key < b.key ? -1 : 1,
  );
  const proxy = await startHoldingProxy(s3.endpoint);
  try {
    proxy.refuse(({ url = '' }) => url.includes(String(one?.id)), 'protected by an object lock');
    const { body } = await admin.post<Json>(STORAGES, { ...bucket(), endpoint: proxy.endpoint });
    await choose(body.name);
    await uploaded(() => !existsSync(String(other?.file)), 'the other recording has left the disk');
    expect(existsSync(String(one?.file))).toBe(true);
    await until(
      async () => /retained: .*object lock/.test(String((await terminal()).storage_problem)),
      'the terminal names the problem',
    );
    proxy.release();
    await uploaded(() => !existsSync(String(one?.file)), 'the recording has left the disk');
    await until(async () => (await terminal()).storage_problem === '', 'the problem is gone');
  } finally {
    await choose('default');
    await proxy.stop();
  }
});
