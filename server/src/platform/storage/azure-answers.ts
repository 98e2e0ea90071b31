import type { IncomingMessage } from 'node:http';
import { StorageError, type StorageProblem } from './storage.ts';

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
