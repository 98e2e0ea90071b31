import { randomUUID } from 'node:crypto';
import type { Language } from '@sallyport/contract';
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

const ALGORITHM = 'ACS3-HMAC-SHA256';
const VERSION = '2014-05-26';
const PAGE = '100';
const LANGUAGES: Readonly<Record<Language, string>> = { en: 'en-US', zh: 'zh-CN' };

/** Meanings of Alibaba Cloud error codes, by their beginning. */
const PROBLEMS: readonly (readonly [code: RegExp, problem: CloudProblem])[] = [
  [
    /^(InvalidAccessKeyId|InvalidAccessKeySecret|SignatureDoesNotMatch|IncompleteSignature|MissingAccessKeyId)/,
    'wrong_key',
  ],
  [/^InvalidRegionId|^RegionNotOpen|^Forbidden\.Region/i, 'region_closed'],
  [/^(Forbidden|NoPermission|UnauthorizedOperation)/, 'no_right'],
  [/^Throttling/, 'throttled'],
  [/^(ServiceUnavailable|InternalError)/, 'unavailable'],
];

interface AliyunInstance {
  readonly InstanceId: string;
  readonly InstanceName?: string;
  readonly OSType?: string;
  readonly InnerIpAddress?: { readonly IpAddress?: readonly string[] };
  readonly PublicIpAddress?: { readonly IpAddress?: readonly string[] };
  readonly EipAddress?: { readonly IpAddress?: string };
  readonly VpcAttributes?: {
    readonly PrivateIpAddress?: { readonly IpAddress?: readonly string[] };
  };
}

/**
 * Signs a request with signature version 3 and returns its headers (help.aliyun.com, "V3 request
 * structure and signature").
 */
export function signAliyun(
  request: {
    readonly host: string;
    readonly action: string;
    readonly query: string;
    readonly date: string;
    readonly nonce: string;
  },
  { keyId, secret }: Pick<CloudAccess, 'keyId' | 'secret'>,
): Record<string, string> {
  const headers: Record<string, string> = {
    host: request.host,
    'x-acs-action': request.action,
    'x-acs-content-sha256': sha256(''),
    'x-acs-date': request.date,
    'x-acs-signature-nonce': request.nonce,
    'x-acs-version': VERSION,
  };
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = ['POST', '/', request.query, lines.join(''), names, sha256('')].join('\n');
  const signature = hmac(secret, `${ALGORITHM}\n${sha256(canonical)}`).toString('hex');
  return {
    ...headers,
    authorization: `${ALGORITHM} Credential=${keyId},SignedHeaders=${names},Signature=${signature}`,
  };
}

/** Client of Alibaba Cloud: `DescribeRegions` and `DescribeInstances` of ECS. */
export function createAliyun(access: CloudAccess, ask: Ask, signal: AbortSignal): Cloud {
  const call = (
    region: string | undefined,
    action: string,
    parameters: Readonly<Record<string, string>>,
  ) =>
    patiently(async () => {
      const url = new URL(
        access.endpoint || `https://ecs.${region === undefined ? '' : `${region}.`}aliyuncs.com`,
      );
      const query = sortedQuery(parameters);
      url.search = query;
      const date = new Date().toISOString().replace(/\.\d+/, '');
      const headers = signAliyun(
        { host: url.host, action, query, date, nonce: randomUUID() },
        access,
      );
      const answer = await ask({
        method: 'POST',
        url,
        headers: { ...headers, accept: 'application/json' },
        body: '',
      });
      const body = jsonOf(answer);
      if (answer.status >= 200 && answer.status < 300) return body;
      const code = String(body.Code ?? '');
      const known = PROBLEMS.find(([pattern]) => pattern.test(code))?.[1];
      throw new CloudError(
        known ?? problemOfStatus(answer.status),
        code || `HTTP ${answer.status}`,
      );
    }, signal);

  return {
    async regions(language) {
      const body = await call(undefined, 'DescribeRegions', {
        AcceptLanguage: LANGUAGES[language],
      });
      const regions = listIn<{ readonly RegionId: string; readonly LocalName?: string }>(
        (body.Regions as { readonly Region?: unknown } | undefined)?.Region,
      );
      return regions.map(({ RegionId: id, LocalName: name }) => ({ id, name: name || id }));
    },
    instances: (region) =>
      pagesOf(async (token) => {
        const body = await call(region, 'DescribeInstances', {
          RegionId: region,
          MaxResults: PAGE,
          ...(token && { NextToken: token }),
        });
        const machines = listIn<AliyunInstance>(
          (body.Instances as { readonly Instance?: unknown } | undefined)?.Instance,
        );
        return {
          instances: machines.map((one) => instanceOf(one, region)),
          next: String(body.NextToken ?? ''),
        };
      }),
  };
}

function instanceOf(machine: AliyunInstance, region: string): Instance {
  const {
    InstanceId: id,
    InstanceName: name,
    OSType: os,
    InnerIpAddress,
    PublicIpAddress,
    EipAddress,
    VpcAttributes,
  } = machine;
  return {
    id,
    name: name ?? '',
    region,
    privateIp:
      VpcAttributes?.PrivateIpAddress?.IpAddress?.[0] ?? InnerIpAddress?.IpAddress?.[0] ?? '',
    publicIp: EipAddress?.IpAddress || (PublicIpAddress?.IpAddress?.[0] ?? ''),
    isWindows: os === 'windows',
  };
}
