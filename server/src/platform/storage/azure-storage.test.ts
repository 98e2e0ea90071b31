import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AzureServer, startAzure } from '../../testing/services/azure-server.ts';
import { sharedKey, textToSign } from './azure-answers.ts';
import { type AzureContainer, createAzureStorage } from './azure-storage.ts';
import { one } from './buckets.ts';
import { describeStorage } from './testing/storage-contract.ts';

let server: AzureServer;
beforeAll(async () => {
  server = await startAzure();
});
afterAll(() => server.stop());

const placeOf = ({ endpoint, container, account, key }: AzureServer): AzureContainer => ({
  endpoint,
  container,
  account,
  key,
  suffix: 'core.windows.net',
});

describeStorage(
  'a container of Azure (a server of ours that follows the documentation)',
  async () => {
    const own = await startAzure();
    const storage = createAzureStorage(placeOf(own));
    return {
      storage,
      dispose: async () => {
        storage.close();
        await own.stop();
      },
    };
  },
);

it('signs the example of the Azure documentation', () => {
  // The example of "Authorize with Shared Key" in the Azure documentation, with its expected lines.
  const request = {
    method: 'GET',
    url: new URL(
      'https://myaccount.blob.core.windows.net/mycontainer?restype=container&comp=metadata&timeout=20',
    ),
    headers: { 'x-ms-date': 'Fri, 26 Jun 2015 23:39:12 GMT', 'x-ms-version': '2015-02-21' },
  };
  expect(textToSign(request, 'myaccount')).toBe(
    'GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2015-02-21\n/myaccount/mycontainer\ncomp:metadata\nrestype:container\ntimeout:20',
  );
  expect(sharedKey(request, 'myaccount', 'a2V5')).toMatch(
    /^SharedKey myaccount:[A-Za-z0-9+/]{43}=$/,
  );
});

it('stores an object larger than one block completely or not at all, and retries when the service is busy', async () => {
  const storage = createAzureStorage(placeOf(server));
  const large = randomBytes(17 * 1024 * 1024);
  server.beBusy(1);
  await storage.put('day/large', one(large));
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
  expect(await storage.isWritable()).toBe(true);
  storage.close();
});

it('reports a wrong key, a missing container, an unreachable server and a busy one', async () => {
  const put = (change: object) =>
    createAzureStorage({ ...placeOf(server), ...change }).put('day/x', one(Buffer.from('x')));
  const wrong = Buffer.from('hunter2-secret').toString('base64');
  const refused = await put({ key: wrong }).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: 'refused',
    message: expect.stringContaining('403 AuthenticationFailed'),
  });
  expect(String(refused)).not.toContain(wrong);
  await expect(put({ container: 'missing' })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('ContainerNotFound'),
  });
  expect(await createAzureStorage({ ...placeOf(server), container: 'missing' }).isWritable()).toBe(
    false,
  );
  await expect(put({ endpoint: 'http://127.0.0.1:1' })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('ECONNREFUSED'),
  });
  server.beBusy(10);
  await expect(put({})).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('ServerBusy'),
  });
  server.beBusy(0);
});
