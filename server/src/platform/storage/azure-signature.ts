import { createHmac } from 'node:crypto';

/** A request to the blob service, before it is signed. */
export interface AzureRequest {
  readonly method: string;
  readonly url: URL;
  /** Small letters. */
  readonly headers: Readonly<Record<string, string>>;
}

const LENGTH = 'content-length';

/** The standard headers that are signed by their place; absent ones are empty lines. */
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

/** The text that is signed with the key of the account (Authorize with Shared Key, Azure Storage REST API, versions from 2015-02-21 on). */
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

/** The value of the header `Authorization`. `key` is that of the account, in base64. */
export function sharedKey(request: AzureRequest, account: string, key: string): string {
  const signature = createHmac('sha256', Buffer.from(key, 'base64'))
    .update(textToSign(request, account), 'utf8')
    .digest('base64');
  return `SharedKey ${account}:${signature}`;
}
