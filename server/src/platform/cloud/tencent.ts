import type { Language } from '@sallyport/contract';
import { type Ask, hmac, jsonOf, patiently, sha256 } from './ask.ts';
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

const ALGORITHM = 'TC3-HMAC-SHA256';
const SERVICE = 'cvm';
const VERSION = '2017-03-12';
const PAGE = 100;
const TYPE = 'application/json; charset=utf-8';
const LANGUAGES: Readonly<Record<Language, string>> = { en: 'en-US', zh: 'zh-CN' };

const PROBLEMS: readonly (readonly [code: RegExp, problem: CloudProblem])[] = [
  [/^AuthFailure\.UnauthorizedOperation|^UnauthorizedOperation/, 'no_right'],
  [/^AuthFailure/, 'wrong_key'],
  [/^UnsupportedRegion|^InvalidParameterValue\.Region|^ResourceUnavailable/, 'region_closed'],
  [/^RequestLimitExceeded/, 'throttled'],
  [/^InternalError|^InternalServerError/, 'unavailable'],
];

interface TencentInstance {
  readonly InstanceId: string;
  readonly InstanceName?: string;
  readonly OsName?: string;
  readonly PrivateIpAddresses?: readonly string[] | null;
  readonly PublicIpAddresses?: readonly string[] | null;
}

/**
 * Signs a request with signature version 3 and returns the `Authorization` header
 * (cloud.tencent.com/document/api/213/30654). `seconds` counts from 1970.
 */
export function signTencent(
  {
    host,
    payload,
    seconds,
  }: { readonly host: string; readonly payload: string; readonly seconds: number },
  { keyId, secret }: Pick<CloudAccess, 'keyId' | 'secret'>,
): string {
  const names = 'content-type;host';
  const canonical = [
    'POST',
    '/',
    '',
    `content-type:${TYPE}\nhost:${host}\n`,
    names,
    sha256(payload),
  ].join('\n');
  const date = new Date(seconds * 1_000).toISOString().slice(0, 10);
  const scope = `${date}/${SERVICE}/tc3_request`;
  const key = hmac(hmac(hmac(`TC3${secret}`, date), SERVICE), 'tc3_request');
  const signature = hmac(key, `${ALGORITHM}\n${seconds}\n${scope}\n${sha256(canonical)}`).toString(
    'hex',
  );
  return `${ALGORITHM} Credential=${keyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
}

/** Client of Tencent Cloud: `DescribeRegions` and `DescribeInstances` of CVM. */
export function createTencent(access: CloudAccess, ask: Ask, signal: AbortSignal): Cloud {
  const call = (
    action: string,
    parameters: object,
    { region, language = 'en' }: { readonly region?: string; readonly language?: Language },
  ) =>
    patiently(async () => {
      const url = new URL(access.endpoint || `https://${SERVICE}.tencentcloudapi.com`);
      const payload = JSON.stringify(parameters);
      const seconds = Math.floor(Date.now() / 1_000);
      const headers = {
        authorization: signTencent({ host: url.host, payload, seconds }, access),
        'content-type': TYPE,
        'x-tc-action': action,
        'x-tc-version': VERSION,
        'x-tc-timestamp': String(seconds),
        'x-tc-language': LANGUAGES[language],
        ...(region !== undefined && { 'x-tc-region': region }),
      };
      const answer = await ask({ method: 'POST', url, headers, body: payload });
      const body = (jsonOf(answer).Response ?? {}) as Readonly<Record<string, unknown>>;
      const failure = body.Error as { readonly Code?: string } | undefined;
      if (answer.status === 200 && !failure) return body;
      const code = failure?.Code ?? '';
      const known = PROBLEMS.find(([pattern]) => pattern.test(code))?.[1];
      throw new CloudError(
        known ?? problemOfStatus(answer.status),
        code || `HTTP ${answer.status}`,
      );
    }, signal);

  return {
    async regions(language) {
      const { RegionSet } = await call('DescribeRegions', {}, { language });
      const regions = listIn<{
        readonly Region: string;
        readonly RegionName?: string;
        readonly RegionState?: string;
      }>(RegionSet);
      return regions
        .filter(({ RegionState: state }) => state !== 'UNAVAILABLE')
        .map(({ Region: id, RegionName: name }) => ({ id, name: name || id }));
    },
    instances: (region) =>
      pagesOf(async (token) => {
        const offset = Number(token ?? 0);
        const body = await call('DescribeInstances', { Offset: offset, Limit: PAGE }, { region });
        const machines = listIn<TencentInstance>(body.InstanceSet);
        const end = offset + machines.length;
        const hasMore = machines.length > 0 && end < Number(body.TotalCount ?? 0);
        return {
          instances: machines.map((one) => instanceOf(one, region)),
          next: hasMore ? String(end) : undefined,
        };
      }),
  };
}

function instanceOf(
  {
    InstanceId: id,
    InstanceName: name,
    OsName: os,
    PrivateIpAddresses: inner,
    PublicIpAddresses: outer,
  }: TencentInstance,
  region: string,
): Instance {
  return {
    id,
    name: name ?? '',
    region,
    privateIp: inner?.[0] ?? '',
    publicIp: outer?.[0] ?? '',
    isWindows: /^windows/i.test(os ?? ''),
  };
}
