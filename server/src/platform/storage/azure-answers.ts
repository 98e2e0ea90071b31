import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { StorageError, type StorageProblem } from './storage.ts';

/** A request to the blob service before signing. */
interface AzureRequest {
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

/** Maximum bytes of a response other than an object: a page of a list, an error. */
const ANSWER_BYTES = 8 * 1024 * 1024;
const MESSAGE_MAX = 200;
const PROBLEMS: Readonly<Record<string, StorageProblem>> = {
  BlobNotFound: 'missing',
  InvalidRange: 'range',
  AuthenticationFailed: 'refused',
  AuthorizationFailure: 'refused',
  InsufficientAccountPermissions: 'refused',
  AccountIsDisabled: 'refused',
  BlobImmutableDueToPolicy: 'retained',
};

/** An error of the service; status 0 if it did not answer. */
export class AzureError extends StorageError {
  readonly status: number;

  constructor(problem: StorageProblem, status: number, message: string, cause?: unknown) {
    super(problem, message, cause);
    this.status = status;
  }
}

/** Returns the date of an object. */
export const modifiedAt = ({ headers }: IncomingMessage) => new Date(headers['last-modified'] ?? 0);

/** Decodes the text of an XML element. */
export const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

/**
 * Reads a short response as text.
 * @throws StorageError if it breaks off or exceeds `ANSWER_BYTES`
 */
export async function textOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > ANSWER_BYTES) throw new Error('the answer is too large');
      parts.push(part);
    }
  } catch (error) {
    throw new AzureError('unavailable', 0, (error as Error).message, error);
  }
  return Buffer.concat(parts, size).toString('utf8');
}

/**
 * Maps an error response. Administrators may see the service's code: it quotes nothing from the
 * request.
 */
export function errorOf({ statusCode = 0, headers }: IncomingMessage, body: string): AzureError {
  const code = String(
    headers['x-ms-error-code'] ?? /<Code>([^<]{1,100})<\/Code>/.exec(body)?.[1] ?? '',
  );
  const isRefused = statusCode === 401 || statusCode === 403;
  const byStatus: StorageProblem = isRefused
    ? 'refused'
    : statusCode === 404 && code === ''
      ? 'missing'
      : statusCode === 416
        ? 'range'
        : 'unavailable';
  return new AzureError(
    PROBLEMS[code] ?? byStatus,
    statusCode,
    [statusCode, code].filter(Boolean).join(' ').slice(0, MESSAGE_MAX),
  );
}
