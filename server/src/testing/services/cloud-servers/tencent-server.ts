import {
  type CloudAnswer,
  type CloudServer,
  hmac,
  isThrottled,
  orderedQuery,
  same,
  sha256,
  signedLines,
  startCloudServer,
} from './cloud-server.ts';

const say = (body: object): CloudAnswer => ({
  status: 200,
  body: JSON.stringify({
    Response: { ...body, RequestId: '98f0e7e7-9df3-4c0a-8e11-000000000001' },
  }),
});
const refused = (code: string): CloudAnswer =>
  say({ Error: { Code: code, Message: `said by the provider: ${code}` } });

/** CVM of Tencent Cloud, version 2017-03-12, signature version 3. */
export const startTencentServer = (): Promise<CloudServer> =>
  startCloudServer('qcloud', (server, { method, url, headers, body }) => {
    const [, keyId = '', date = '', names = '', signature = ''] =
      /^TC3-HMAC-SHA256 Credential=([^/]+)\/(\d{4}-\d\d-\d\d)\/cvm\/tc3_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
        headers.authorization ?? '',
      ) ?? [];
    if (keyId !== server.keyId) return refused('AuthFailure.SecretIdNotFound');
    const seconds = String(headers['x-tc-timestamp']);
    const canonical = [
      method,
      url.pathname,
      orderedQuery(url),
      signedLines(names, headers),
      names,
      sha256(body),
    ].join('\n');
    const toSign = ['TC3-HMAC-SHA256', seconds, `${date}/cvm/tc3_request`, sha256(canonical)].join(
      '\n',
    );
    const expected = hmac(
      hmac(hmac(hmac(`TC3${server.secret}`, date), 'cvm'), 'tc3_request'),
      toSign,
    ).toString('hex');
    if (
      !['content-type', 'host'].every((name) => names.split(';').includes(name)) ||
      !same(expected, signature)
    )
      return refused('AuthFailure.SignatureFailure');
    if (Math.abs(Date.now() / 1_000 - Number(seconds)) > 300)
      return refused('AuthFailure.SignatureExpire');
    if (headers['x-tc-version'] !== '2017-03-12') return refused('InvalidParameter');
    const action = String(headers['x-tc-action']);
    const region = String(headers['x-tc-region'] ?? '');
    server.requests.push(`${action} ${region}`.trim());
    if (isThrottled(server)) return refused('RequestLimitExceeded');
    if (action === 'DescribeRegions') {
      const name = (id: string) =>
        headers['x-tc-language'] === 'zh-CN' ? `华南地区(${id})` : `South China (${id})`;
      const RegionSet = [...server.machines.keys()].map((id) => ({
        Region: id,
        RegionName: name(id),
        RegionState: 'AVAILABLE',
      }));
      return say({ TotalCount: RegionSet.length, RegionSet });
    }
    if (action !== 'DescribeInstances') return refused('InvalidAction');
    if (!server.mayRead) return refused('UnauthorizedOperation');
    const machines = server.machines.get(region);
    if (!machines || server.closed.has(region)) return refused('UnsupportedRegion');
    const { Offset: from, Limit: size } = JSON.parse(body) as { Offset: number; Limit: number };
    if (!(size >= 1 && size <= 100)) return refused('InvalidParameterValue.LimitExceeded');
    const page = server.mode === 'endless' ? machines : machines.slice(from, from + size);
    const InstanceSet = page.map(({ id, name, privateIp, publicIp, isWindows = false }) => ({
      InstanceId: id,
      InstanceName: name,
      InstanceState: 'RUNNING',
      OsName: isWindows ? 'Windows Server 2019 DataCenter 64bit' : 'TencentOS Server 3.1 (TK4)',
      Placement: { Zone: `${region}-1` },
      PrivateIpAddresses: privateIp ? [privateIp] : [],
      PublicIpAddresses: publicIp ? [publicIp] : null,
    }));
    return say({
      TotalCount: server.mode === 'endless' ? 1_000_000_000 : machines.length,
      InstanceSet,
    });
  });
