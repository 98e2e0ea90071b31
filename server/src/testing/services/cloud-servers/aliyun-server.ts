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

const refused = (status: number, code: string): CloudAnswer => ({
  status,
  body: JSON.stringify({
    RequestId: 'C0003E8B-B930-4F59-ADC0-0E209A9012A8',
    HostId: 'ecs.aliyuncs.com',
    Code: code,
    Message: `said by the provider: ${code}`,
  }),
});
const good = (body: object): CloudAnswer => ({
  status: 200,
  body: JSON.stringify({ RequestId: '473469C7-AA6F-4DC5-B3DB-A3DC0DE3C83E', ...body }),
});

/** ECS of Alibaba Cloud, version 2014-05-26, signature version 3. */
export const startAliyunServer = (): Promise<CloudServer> =>
  startCloudServer('aliyun', (server, { method, url, headers, body }) => {
    const [, keyId = '', names = '', signature = ''] =
      /^ACS3-HMAC-SHA256 Credential=([^,]+),SignedHeaders=([^,]+),Signature=([0-9a-f]{64})$/.exec(
        headers.authorization ?? '',
      ) ?? [];
    if (keyId !== server.keyId) return refused(404, 'InvalidAccessKeyId.NotFound');
    const canonical = [
      method,
      url.pathname,
      orderedQuery(url),
      signedLines(names, headers),
      names,
      headers['x-acs-content-sha256'],
    ].join('\n');
    const expected = hmac(server.secret, `ACS3-HMAC-SHA256\n${sha256(canonical)}`).toString('hex');
    const covers = [
      'host',
      'x-acs-action',
      'x-acs-content-sha256',
      'x-acs-date',
      'x-acs-signature-nonce',
      'x-acs-version',
    ];
    if (
      headers['x-acs-content-sha256'] !== sha256(body) ||
      !covers.every((name) => names.split(';').includes(name)) ||
      !same(expected, signature)
    )
      return refused(400, 'SignatureDoesNotMatch');
    if (Math.abs(Date.now() - Date.parse(String(headers['x-acs-date']))) > 900_000)
      return refused(400, 'InvalidTimeStamp.Expired');
    if (headers['x-acs-version'] !== '2014-05-26') return refused(400, 'InvalidVersion');
    const action = String(headers['x-acs-action']);
    const region = url.searchParams.get('RegionId') ?? '';
    server.requests.push(`${action} ${region}`.trim());
    if (isThrottled(server)) return refused(400, 'Throttling.User');
    if (action === 'DescribeRegions') {
      const name = (id: string) =>
        url.searchParams.get('AcceptLanguage') === 'zh-CN' ? `中国（${id}）` : `China (${id})`;
      const Region = [...server.machines.keys()].map((id) => ({
        RegionId: id,
        LocalName: name(id),
        RegionEndpoint: `ecs.${id}.aliyuncs.com`,
        Status: 'available',
      }));
      return good({ Regions: { Region } });
    }
    if (action !== 'DescribeInstances') return refused(404, 'InvalidAction.NotFound');
    if (!server.mayRead) return refused(403, 'Forbidden.RAM');
    const machines = server.machines.get(region);
    if (!machines || server.closed.has(region)) return refused(404, 'InvalidRegionId.NotFound');
    const size = Number(url.searchParams.get('MaxResults'));
    if (!(size >= 1 && size <= 100)) return refused(400, 'InvalidParameter.MaxResults');
    const from = Number(url.searchParams.get('NextToken') ?? 0);
    const page = machines.slice(from, from + size);
    const next =
      server.mode === 'endless' ? '1' : from + size < machines.length ? String(from + size) : '';
    const Instance = page.map(({ id, name, privateIp, publicIp, isWindows = false }) => ({
      InstanceId: id,
      InstanceName: name,
      RegionId: region,
      Status: 'Running',
      OSType: isWindows ? 'windows' : 'linux',
      InstanceNetworkType: 'vpc',
      InnerIpAddress: { IpAddress: [] },
      PublicIpAddress: { IpAddress: publicIp ? [publicIp] : [] },
      EipAddress: { IpAddress: '', AllocationId: '' },
      VpcAttributes: {
        VpcId: 'vpc-1',
        PrivateIpAddress: { IpAddress: privateIp ? [privateIp] : [] },
      },
    }));
    return good({ TotalCount: machines.length, NextToken: next, Instances: { Instance } });
  });
