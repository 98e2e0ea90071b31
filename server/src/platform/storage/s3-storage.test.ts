import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type S3Server, startS3 } from '../../testing/services/s3-server.ts';
import { createS3Storage } from './s3-storage.ts';
import { describeStorage } from './testing/storage-contract.ts';

let server: S3Server;
beforeAll(async () => {
  server = await startS3();
});
afterAll(() => server.stop());

describeStorage('a bucket', openBucket, { isSimple: true });

async function openBucket() {
  const own = await startS3();
  const storage = createS3Storage({ ...own, pathStyle: true });
  return {
    storage,
    dispose: async () => {
      storage.close();
      await own.stop();
    },
  };
}

async function* content(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

it('stores an object larger than one part completely or not at all', async () => {
  const storage = createS3Storage({ ...server, pathStyle: true });
  const large = randomBytes(17 * 1024 * 1024);
  await storage.put('day/large', content(large));
  expect((await storage.stat('day/large'))?.size).toBe(large.length);
  expect((await buffer((await storage.open('day/large')).stream)).equals(large)).toBe(true);
  expect(
    await buffer((await storage.open('day/large', { start: large.length - 3 })).stream),
  ).toEqual(large.subarray(-3));
  const breaking = async function* () {
    yield large;
    throw new Error('the source is gone');
  };
  await expect(storage.put('day/broken', breaking())).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(await storage.stat('day/broken')).toBeUndefined();
});

it('reports an unknown account, a missing bucket and an unreachable server', async () => {
  const put = (change: object) =>
    createS3Storage({ ...server, pathStyle: true, ...change }).put(
      'day/x',
      content(Buffer.from('x')),
    );
  await expect(put({ accessKey: 'nobody' })).rejects.toMatchObject({ code: 'refused' });
  await expect(put({ bucket: 'missing' })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('NoSuchBucket'),
  });
  await expect(put({ endpoint: 'http://127.0.0.1:1' })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('ECONNREFUSED'),
  });
  const refused = await put({ accessKey: 'nobody', secretKey: 'hunter2-secret' }).catch(String);
  expect(refused).not.toContain('hunter2');
});

it('reports an unavailable bucket when the service does not answer', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const storage = createS3Storage({
    ...server,
    endpoint: `http://127.0.0.1:${port}`,
    pathStyle: true,
  });
  try {
    await expect(storage.open('day/x')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('no answer within 10 s'),
    });
    await expect(storage.stat('day/x')).rejects.toMatchObject({ code: 'unavailable' });
  } finally {
    storage.close();
    for (const socket of sockets) socket.destroy();
    silent.close();
  }
}, 30_000);

/** Runs work with a service that answers every request by its query. */
async function withAnswers<Result>(
  answerOf: (query: string) => readonly [status: number, body: string],
  work: (storage: ReturnType<typeof createS3Storage>) => Promise<Result>,
): Promise<Result> {
  const service = createHttpServer((request, response) => {
    const [status, body] = answerOf(request.url?.split('?')[1] ?? '');
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(body);
    });
  });
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  const { port } = service.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const storage = createS3Storage({ ...server, endpoint, pathStyle: true });
  try {
    return await work(storage);
  } finally {
    storage.close();
    service.close();
    service.closeAllConnections();
  }
}

it.each([
  ['full', 403, 'QuotaExceeded', 'The bucket has reached its quota.'],
  ['full', 507, 'XMinioStorageFull', 'Storage backend has reached its minimum free drive space'],
  ['full', 507, 'AnyCode', 'no space'],
  ['retained', 409, 'FileImmutable', 'The object you specified is protected.'],
  ['retained', 403, 'AccessDenied', 'Access Denied because object protected by object lock.'],
  ['retained', 400, 'InvalidRequest', 'Object is WORM protected and cannot be overwritten'],
  ['refused', 403, 'AccessDenied', 'Access Denied.'],
  ['unavailable', 400, 'AuthorizationHeaderMalformed', "expecting 'eu-central-1'"],
] as const)('reports as %s: %i %s %s', async (code, status, name, message) => {
  const body = `<Error><Code>${name}</Code><Message>${message}</Message></Error>`;
  await withAnswers(
    () => [status, body],
    (storage) =>
      expect(storage.put('day/x', content(Buffer.from('x')))).rejects.toMatchObject({
        code,
        message: expect.stringContaining(message),
      }),
  );
});

it('reads versions and the default lock of a bucket, and expects none of services that do not say', async () => {
  const versions = (status: string) =>
    `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`;
  const lock = (retention: string) =>
    `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled>${retention}</ObjectLockConfiguration>`;
  const days = '<Mode>COMPLIANCE</Mode><Days>30</Days>';
  const rule = `<Rule><DefaultRetention>${days}</DefaultRetention></Rule>`;
  const kept = (versioning: string, locking: string, status = 200) =>
    withAnswers(
      (query) => [status, /versioning/.test(query) ? versioning : locking],
      (storage) => storage.keptContent?.() ?? Promise.reject(new Error('no answer')),
    );
  expect(await kept(versions('Enabled'), lock(rule))).toEqual({
    keepsVersions: true,
    lock: 'COMPLIANCE, 30 days',
  });
  const none = { keepsVersions: false, lock: '' };
  expect(await kept(versions('Suspended'), lock(''))).toEqual(none);
  const unknown = '<Error><Code>NotImplemented</Code><Message>unknown</Message></Error>';
  expect(await kept(unknown, unknown, 501)).toEqual(none);
  expect(await kept('', '')).toEqual(none);
});
