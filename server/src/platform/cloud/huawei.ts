import { type Ask, hmac, jsonOf, patiently, sha256, sortedQuery } from './ask.ts';
import {
  type Cloud,
  type CloudAccess,
  CloudError,
  type CloudProblem,
  type Instance,
  listIn,
  pagesOf,
  problemOfStatus,
} from './cloud.ts';

const ALGORITHM = 'SDK-HMAC-SHA256';
const PAGE = 100;
const SUFFIX = 'myhuaweicloud.com';

const PROBLEMS: readonly (readonly [code: RegExp, problem: CloudProblem])[] = [
  [/^APIGW\.0301|^APIGW\.0302|^APIGW\.0303/, 'wrong_key'],
  [/^APIGW\.0308/, 'throttled'],
  [/^APIGW\.0201$|^APIGW\.0307/, 'unavailable'],
];

interface HuaweiServer {
  readonly id: string;
  readonly name?: string;
  readonly addresses?: Readonly<
    Record<string, readonly { readonly addr: string; readonly 'OS-EXT-IPS:type'?: string }[]>
  >;
  readonly metadata?: { readonly os_type?: string };
}

/**
 * Signs a request with access key and secret key and returns its headers (support.huaweicloud.com,
 * "AK/SK signing"). `date` is `YYYYMMDD'T'HHMMSS'Z'`.
 */
export function signHuawei(
  {
    url,
    date,
    project,
  }: { readonly url: URL; readonly date: string; readonly project?: string | undefined },
  { keyId, secret }: Pick<CloudAccess, 'keyId' | 'secret'>,
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    host: url.host,
    ...(project !== undefined && { 'x-project-id': project }),
    'x-sdk-date': date,
  };
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const path = url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`;
  const canonical = ['GET', path, url.search.slice(1), lines.join(''), names, sha256('')].join(
    '\n',
  );
  const signature = hmac(secret, `${ALGORITHM}\n${date}\n${sha256(canonical)}`).toString('hex');
  return {
    ...headers,
    authorization: `${ALGORITHM} Access=${keyId}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/**
 * Client of Huawei Cloud: regions and projects of IAM, servers of each project of a region of ECS.
 */
export function createHuawei(access: CloudAccess, ask: Ask, signal: AbortSignal): Cloud {
  const call = (
    host: string,
    path: string,
    parameters: Readonly<Record<string, string>> = {},
    project?: string,
  ) =>
    patiently(async () => {
      const url = new URL(path, access.endpoint || `https://${host}.${SUFFIX}`);
      url.search = sortedQuery(parameters);
      const date = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
      const answer = await ask({
        method: 'GET',
        url,
        headers: signHuawei({ url, date, project }, access),
      });
      const body = jsonOf(answer);
      if (answer.status >= 200 && answer.status < 300) return body;
      // The API gateway puts the code at the top level, the services put it into an object.
      const nested = body.error as { readonly code?: unknown } | undefined;
      const code = String(body.error_code ?? nested?.code ?? '');
      const known = PROBLEMS.find(([pattern]) => pattern.test(code))?.[1];
      throw new CloudError(
        known ?? problemOfStatus(answer.status),
        code || `HTTP ${answer.status}`,
      );
    }, signal);

  async function* instances(region: string): AsyncGenerator<readonly Instance[]> {
    const projects = listIn<{ readonly id: string }>(
      (await call('iam', '/v3/projects', { name: region })).projects,
    );
    // An account opens a region by creating a project there.
    if (projects.length === 0) throw new CloudError('region_closed', region);
    for (const { id: project } of projects) {
      if (!/^[0-9a-f]{32}$/.test(project)) throw new CloudError('unexpected', 'project');
      yield* pagesOf(async (token) => {
        // In this API the offset is a page number.
        const page = Number(token ?? 1);
        const body = await call(
          `ecs.${region}`,
          `/v1/${project}/cloudservers/detail`,
          { limit: String(PAGE), offset: String(page) },
          project,
        );
        const servers = listIn<HuaweiServer>(body.servers);
        const hasMore = servers.length > 0 && page * PAGE < Number(body.count ?? 0);
        return {
          instances: servers.map((one) => instanceOf(one, region)),
          next: hasMore ? String(page + 1) : undefined,
        };
      });
    }
  }

  return {
    async regions(language) {
      interface HuaweiRegion {
        readonly id: string;
        readonly locales?: { readonly 'zh-cn'?: string; readonly 'en-us'?: string };
      }
      const regions = listIn<HuaweiRegion>((await call('iam', '/v3/regions')).regions);
      return regions.map(({ id, locales }) => ({
        id,
        name: locales?.[language === 'zh' ? 'zh-cn' : 'en-us'] || id,
      }));
    },
    instances,
  };
}

function instanceOf(
  { id, name, addresses = {}, metadata }: HuaweiServer,
  region: string,
): Instance {
  const all = Object.values(addresses).flat();
  const addressOf = (type: string) =>
    all.find((address) => (address['OS-EXT-IPS:type'] ?? 'fixed') === type)?.addr ?? '';
  return {
    id,
    name: name ?? '',
    region,
    privateIp: addressOf('fixed'),
    publicIp: addressOf('floating'),
    isWindows: /^windows/i.test(metadata?.os_type ?? ''),
  };
}
