import { createHmac } from 'node:crypto';

/** A request to the blob service before signing. */
export interface AzureRequest {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

const LENGTH = 'content-length';

/** Standard headers that are signed by position; an absent header is an empty line. */
const SIGNED = [
  'content-encoding',
  'content-language',
  LENGTH,
  'content-md5',
  'content-type',
  'date',
  'if-modified-since',
  'if-match',
  'if-none-match',
  'if-unmodified-since',
  'range',
];

const inOrder = <Value>(entries: Iterable<readonly [string, Value]>) =>
  [...entries].toSorted(([one], [other]) => (one < other ? -1 : 1));

/**
 * Returns the string to sign ("Authorize with Shared Key", Azure Storage REST API, versions since
 * 2015-02-21).
 */
export function textToSign({ method, url, headers }: AzureRequest, account: string): string {
  const signedValue = (name: string) =>
    name === LENGTH && headers[name] === '0' ? '' : (headers[name] ?? '');
  const own = inOrder(Object.entries(headers).filter(([name]) => name.startsWith('x-ms-')));
  return [
    method,
    ...SIGNED.map(signedValue),
    ...own.map(([name, value]) => `${name}:${value}`),
    `/${account}${url.pathname}`,
    ...inOrder(url.searchParams).map(([name, value]) => `${name}:${value}`),
  ].join('\n');
}

/** Returns the value of the `Authorization` header. `key` is the account key in base64. */
export function sharedKey(request: AzureRequest, account: string, key: string): string {
  const signature = createHmac('sha256', Buffer.from(key, 'base64'))
    .update(textToSign(request, account), 'utf8')
    .digest('base64');
  return `SharedKey ${account}:${signature}`;
}
