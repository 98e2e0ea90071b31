import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  buildMachines,
  CLOUD_SERVERS,
  type CloudServer,
} from '../../testing/services/cloud-servers/index.ts';
import { createAddressPolicy } from '../address-policy.ts';
import { signAliyun } from './aliyun.ts';
import { createAsk, patiently, pauseAfter } from './ask.ts';
import { type Cloud, CloudError, type Instance } from './cloud.ts';
import { signHuawei } from './huawei.ts';
import { openCloud } from './open.ts';
import { signTencent } from './tencent.ts';

const never = new AbortController().signal;
const policy = createAddressPolicy(['127.0.0.0/8'], () => []);

const open = (
  server: CloudServer,
  changes: { keyId?: string; secret?: string; certificate?: string } = {},
  allowed = policy,
) => {
  const { provider, keyId, secret, url: endpoint, authority: certificate } = server;
  return openCloud(
    { provider, keyId, secret, endpoint, certificate, ...changes },
    { policy: allowed, signal: never },
  );
};

async function all(cloud: Cloud, region: string): Promise<Instance[]> {
  const instances: Instance[] = [];
  for await (const page of cloud.instances(region)) instances.push(...page);
  return instances;
}

/** Returns the problem that `work` fails with. */
const problemOf = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    await work();
    return 'none';
  } catch (error) {
    if (error instanceof CloudError) return error.problem;
    throw error;
  }
};

// The test servers follow the documentation of the providers: see testing/cloud-servers.
describe.each(Object.keys(CLOUD_SERVERS))('%s', (provider) => {
  const [near, far] =
    provider === 'aws_china' ? ['cn-north-1', 'cn-northwest-1'] : ['us-east-1', 'eu-west-1'];
  let server: CloudServer;
  beforeAll(async () => {
    server = (await CLOUD_SERVERS[provider]?.()) as CloudServer;
    server.machines.set(near, buildMachines(230, 1));
    server.machines.set(far, []);
  });
  afterAll(() => server?.stop());

  it('lists regions, and all instances of a region across pages', async () => {
    const cloud = await open(server);
    const regions = await cloud.regions('en');
    expect(regions.map(({ id }) => id)).toEqual([near, far]);
    if (!provider.startsWith('aws'))
      expect((await cloud.regions('zh'))[0]?.name).not.toBe(regions[0]?.name);
    server.requests.length = 0;
    const instances = await all(cloud, near);
    const expected = server.machines
      .get(near)
      ?.map(({ id, name, privateIp, publicIp, isWindows }) => ({
        id,
        name,
        region: near,
        privateIp,
        publicIp,
        isWindows,
      }));
    expect(instances).toEqual(expected);
    expect(
      server.requests.filter((one) => /DescribeInstances|cloudservers/.test(one)),
    ).toHaveLength(3);
    expect(await all(cloud, far)).toEqual([]);
  });

  it('distinguishes a wrong key, a wrong secret, a missing right and a closed region', async () => {
    expect(
      await problemOf(async () => (await open(server, { keyId: 'AKIDOTHER' })).regions('en')),
    ).toBe('wrong_key');
    expect(
      await problemOf(async () => (await open(server, { secret: 'another secret' })).regions('en')),
    ).toBe('wrong_key');
    server.mayRead = false;
    expect(await problemOf(async () => all(await open(server), near))).toBe('no_right');
    server.mayRead = true;
    server.closed.add(far);
    // AWS answers as for a wrong key; a run of a sync task distinguishes the two.
    expect(await problemOf(async () => all(await open(server), far))).toBe(
      provider.startsWith('aws') ? 'wrong_key' : 'region_closed',
    );
    server.closed.clear();
  });

  it('retries when the provider throttles', async () => {
    server.throttled = 2;
    server.requests.length = 0;
    expect(await (await open(server)).regions('en')).toHaveLength(2);
    expect(server.requests).toHaveLength(3);
  });

  it('rejects oversized, redirecting and malformed responses', async () => {
    for (const [mode, problem] of [
      ['huge', 'too_long'],
      ['redirect', 'unexpected'],
      ['broken', 'unexpected'],
    ] as const) {
      server.mode = mode;
      expect([mode, await problemOf(async () => (await open(server)).regions('en'))]).toEqual([
        mode,
        problem,
      ]);
    }
    // A response without a list must not count as an empty list: all instances would look deleted.
    for (const mode of ['hollow', 'broken'] as const) {
      server.mode = mode;
      expect([mode, await problemOf(async () => all(await open(server), near))]).toEqual([
        mode,
        'unexpected',
      ]);
    }
    server.mode = 'usual';
    expect(server.requests.some((one) => one.includes('elsewhere'))).toBe(false);
  });

  it('sends requests only with a trusted certificate and to an allowed address', async () => {
    expect(
      await problemOf(async () => (await open(server, { certificate: '' })).regions('en')),
    ).toBe('untrusted');
    expect(
      await problemOf(async () =>
        (
          await open(
            server,
            {},
            createAddressPolicy([], () => []),
          )
        ).regions('en'),
      ),
    ).toBe('refused_address');
    expect(await problemOf(async () => all(await open(server), 'us-east-1.example.com/'))).toBe(
      'region_closed',
    );
  });
});

describe('a list', () => {
  it.each(['aliyun', 'aws_international'])(
    'rejects a list of %s whose pages form a loop',
    async (provider) => {
      const server = (await CLOUD_SERVERS[provider]?.()) as CloudServer;
      server.machines.set('us-east-1', buildMachines(3, 1));
      server.mode = 'endless';
      expect(await problemOf(async () => all(await open(server), 'us-east-1'))).toBe('endless');
      await server.stop();
    },
  );
});

describe('a request', () => {
  it('ends when the response times out and when its work is aborted', async () => {
    const server = (await CLOUD_SERVERS.aliyun?.()) as CloudServer;
    server.mode = 'silent';
    const question = { method: 'GET', url: new URL(server.url), headers: {} } as const;
    const impatient = createAsk({
      policy,
      certificate: server.authority,
      signal: never,
      patience: 300,
    });
    expect(await problemOf(() => impatient(question))).toBe('no_answer');
    const work = new AbortController();
    const problem = problemOf(() =>
      createAsk({ policy, certificate: server.authority, signal: work.signal })(question),
    );
    server.onRequest = () => work.abort();
    expect(await problem).toBe('no_answer');
    await server.stop();
    expect(await problemOf(() => impatient(question))).toBe('no_answer');
  });

  it('retries transient errors a few times with growing pauses', async () => {
    let tries = 0;
    const failing = (problem: 'throttled' | 'wrong_key') =>
      problemOf(() =>
        patiently(
          async () => {
            tries += 1;
            throw new CloudError(problem);
          },
          never,
          2,
        ),
      );
    expect([await failing('throttled'), tries]).toEqual(['throttled', 2]);
    expect([await failing('wrong_key'), tries]).toEqual(['wrong_key', 3]);
    expect(pauseAfter(1)).toBeLessThanOrEqual(500);
    expect(pauseAfter(3)).toBeGreaterThanOrEqual(1_000);
    expect(pauseAfter(99)).toBeLessThanOrEqual(8_000);
  });
});

describe('a signature', () => {
  const key = { keyId: 'AKIDEXAMPLE', secret: 'secret-example' };

  it('signs as the documentation of Alibaba Cloud', () => {
    const query =
      'ImageId=win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd&RegionId=cn-shanghai';
    const moment = { date: '2023-10-26T10:22:32Z', nonce: '3156853299f313e23d1673dc12e1703d' };
    const { authorization } = signAliyun(
      { host: 'ecs.cn-shanghai.aliyuncs.com', action: 'RunInstances', query, ...moment },
      { keyId: 'YourAccessKeyId', secret: 'YourAccessKeySecret' },
    );
    expect(authorization).toMatch(
      /,Signature=06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0$/,
    );
  });

  it("signs as Tencent's own library, version 4.1.220", () => {
    const payload = JSON.stringify({ Offset: 0, Limit: 100 });
    expect(
      signTencent({ host: 'cvm.tencentcloudapi.com', payload, seconds: 1_700_000_000 }, key),
    ).toBe(
      'TC3-HMAC-SHA256 Credential=AKIDEXAMPLE/2023-11-14/cvm/tc3_request, SignedHeaders=content-type;host, Signature=188a269d4eec4d8e702fd52bd1d2f436554583c82602710a560be7befced0d4a',
    );
  });

  it("signs as Huawei's own library, version 3.1.211", () => {
    const project = '0123456789abcdef0123456789abcdef';
    const url = new URL(
      `https://ecs.cn-north-4.myhuaweicloud.com/v1/${project}/cloudservers/detail?limit=100&offset=1`,
    );
    expect(signHuawei({ url, date: '20231114T221320Z', project }, key).authorization).toBe(
      'SDK-HMAC-SHA256 Access=AKIDEXAMPLE, SignedHeaders=content-type;host;x-project-id;x-sdk-date, Signature=83e73bf9cbb5d67a1d8bc7654e69f9feda9b288f45a17f2501883db9a86b1fcf',
    );
  });
});
