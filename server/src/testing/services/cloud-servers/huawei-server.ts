import { createHash } from 'node:crypto';
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

const good = (body: object): CloudAnswer => ({ status: 200, body: JSON.stringify(body) });
/** Error format of the API gateway. */
const refused = (status: number, code: string): CloudAnswer => ({
  status,
  body: JSON.stringify({
    error_msg: `said by the provider: ${code}`,
    error_code: code,
    request_id: '1d9e2f8a',
  }),
});
/** Returns the project of a region. */
const projectOf = (region: string) => createHash('md5').update(region).digest('hex');

/** IAM and ECS of Huawei Cloud, with AK/SK signatures. */
export const startHuaweiServer = (): Promise<CloudServer> =>
  startCloudServer('huaweicloud', (server, { method, url, headers, body }) => {
    const [, keyId = '', names = '', signature = ''] =
      /^SDK-HMAC-SHA256 Access=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
        headers.authorization ?? '',
      ) ?? [];
    if (keyId !== server.keyId) return refused(401, 'APIGW.0301');
    const date = String(headers['x-sdk-date']);
    const path = url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`;
    const canonical = [
      method,
      path,
      orderedQuery(url),
      signedLines(names, headers),
      names,
      sha256(body),
    ].join('\n');
    const expected = hmac(server.secret, `SDK-HMAC-SHA256\n${date}\n${sha256(canonical)}`).toString(
      'hex',
    );
    if (
      !['host', 'x-sdk-date'].every((name) => names.split(';').includes(name)) ||
      !same(expected, signature)
    )
      return refused(401, 'APIGW.0301');
    const [, year, month, day, hour, minute, second] =
      /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
    if (
      Math.abs(Date.now() - Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)) >
      900_000
    )
      return refused(401, 'APIGW.0301');
    server.requests.push(`${url.pathname}${url.search}`);
    if (isThrottled(server)) return refused(429, 'APIGW.0308');
    if (url.pathname === '/v3/regions') {
      const regions = [...server.machines.keys()].map((id) => ({
        id,
        type: 'public',
        locales: { 'zh-cn': `华北-${id}`, 'en-us': `CN North-${id}` },
      }));
      return good({ regions, links: {} });
    }
    if (url.pathname === '/v3/projects') {
      const region = url.searchParams.get('name') ?? '';
      const isOpen = server.machines.has(region) && !server.closed.has(region);
      return good({
        projects: isOpen ? [{ id: projectOf(region), name: region, enabled: true }] : [],
        links: {},
      });
    }
    const [, project = ''] =
      /^\/v1\/([0-9a-f]{32})\/cloudservers\/detail$/.exec(url.pathname) ?? [];
    const region = [...server.machines.keys()].find((id) => projectOf(id) === project);
    if (region === undefined || headers['x-project-id'] !== project)
      return refused(404, 'APIGW.0101');
    if (!server.mayRead)
      return {
        status: 403,
        body: JSON.stringify({
          error: { code: 'Ecs.0015', message: 'Policy does not allow ecs:cloudServers:list' },
        }),
      };
    const machines = server.machines.get(region) ?? [];
    const [size, number] = [
      Number(url.searchParams.get('limit')),
      Number(url.searchParams.get('offset')),
    ];
    if (!(size >= 1 && size <= 1_000 && number >= 1))
      return {
        status: 400,
        body: JSON.stringify({ error: { code: 'Ecs.0005', message: 'bad page' } }),
      };
    const servers = machines
      .slice((number - 1) * size, number * size)
      .map(({ id, name, privateIp, publicIp, isWindows = false }) => ({
        id,
        name,
        status: 'ACTIVE',
        metadata: { os_type: isWindows ? 'Windows' : 'Linux' },
        addresses: {
          'vpc-1': [
            ...(publicIp ? [{ version: '4', addr: publicIp, 'OS-EXT-IPS:type': 'floating' }] : []),
            ...(privateIp ? [{ version: '4', addr: privateIp, 'OS-EXT-IPS:type': 'fixed' }] : []),
          ],
        },
      }));
    return good({ servers, count: machines.length });
  });
