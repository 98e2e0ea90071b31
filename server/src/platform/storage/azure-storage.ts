import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { refuseMetadata } from '../metadata-address.ts';
import { sharedKey } from './azure-signature.ts';
import { inParts, PART_BYTES } from './parts.ts';
import { openRange } from './range.ts';
import {
  assertKey,
  isKey,
  type OpenObject,
  type Storage,
  StorageError,
  type StorageProblem,
} from './storage.ts';

/** Address of an Azure Blob Storage container, and its account. */
export interface AzureContainer {
  readonly container: string;
  readonly account: string;
  /** Base64, as the portal shows it. */
  readonly key: string;
  /** Host name suffix after `ACCOUNT.blob.`, such as `core.windows.net`. */
  readonly suffix: string;
  /**
   * `https://host:port/path` of a service with another address; the path then contains the account.
   */
  readonly endpoint?: string | undefined;
}

const VERSION = '2021-08-06';
/** Maximum silence in either direction, in milliseconds. */
const SILENT_MILLISECONDS = 30_000;
const TRIES = 3;
const PAUSE_MILLISECONDS = 200;
/** Maximum bytes of a response other than an object: a page of a list, an error. */
const ANSWER_BYTES = 8 * 1024 * 1024;
const MESSAGE_MAX = 200;
/** The service is overloaded: a retry may succeed. */
const PASSING = [0, 429, 500, 502, 503, 504];

const PROBLEMS: Readonly<Record<string, StorageProblem>> = {
  BlobNotFound: 'missing',
  InvalidRange: 'range',
  AuthenticationFailed: 'refused',
  AuthorizationFailure: 'refused',
  InsufficientAccountPermissions: 'refused',
  AccountIsDisabled: 'refused',
};

interface BlobRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** '' for the container itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly content?: Buffer;
}

class AzureError extends StorageError {
  readonly status: number;

  constructor(problem: StorageProblem, status: number, message: string, cause?: unknown) {
    super(problem, message, cause);
    this.status = status;
  }
}

/** Stores objects in an Azure Blob Storage container, through its REST API with the account key. */
export function createAzureStorage({
  container,
  account,
  key: accountKey,
  suffix,
  endpoint,
}: AzureContainer): Storage & { close(): void } {
  const base = (endpoint || `https://${account}.blob.${suffix}`).replace(/\/+$/, '');
  const isSecure = base.startsWith('https:');
  const agent = isSecure ? new Agent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });

  /** Sends one request; the caller reads the response. */
  const once = ({
    method,
    key = '',
    query = {},
    headers = {},
    content,
  }: BlobRequest): Promise<IncomingMessage> =>
    new Promise((settle, fail) => {
      const url = new URL(`${base}/${container}${key && `/${key}`}`);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const sent: Record<string, string> = {
        ...headers,
        'x-ms-date': new Date().toUTCString(),
        'x-ms-version': VERSION,
      };
      if (method === 'PUT') sent['content-length'] = String(content?.length ?? 0);
      const authorization = sharedKey({ method, url, headers: sent }, account, accountKey);
      const ask = isSecure ? requestHttps : requestHttp;
      const request = ask(url, {
        method,
        agent,
        timeout: SILENT_MILLISECONDS,
        headers: { ...sent, authorization },
      });
      const broken = (error: NodeJS.ErrnoException) =>
        fail(new AzureError('unavailable', 0, error.message || error.code || 'no answer', error));
      request.on('timeout', () => request.destroy(new Error('no answer')));
      request.on('error', broken);
      request.on('response', settle);
      request.end(content);
    });

  /**
   * Sends a request with retries and returns a successful response, which the caller reads. The
   * content is in memory, so a retry can send it again.
   */
  const send = async (blobRequest: BlobRequest): Promise<IncomingMessage> => {
    for (let attempt = 1; ; attempt++) {
      try {
        await refuseMetadata(new URL(base).hostname).catch((error: Error) => {
          throw new AzureError('unavailable', 0, error.message, error);
        });
        const answer = await once(blobRequest);
        if ((answer.statusCode ?? 0) < 400) return answer;
        throw errorOf(answer, await textOf(answer));
      } catch (error) {
        if (!(error instanceof AzureError) || attempt >= TRIES || !PASSING.includes(error.status))
          throw error;
      }
      await wait(PAUSE_MILLISECONDS * attempt);
    }
  };
  const done = async (blobRequest: BlobRequest): Promise<string> => textOf(await send(blobRequest));

  const stat: Storage['stat'] = async (key) => {
    assertKey(key);
    try {
      const answer = await send({ method: 'HEAD', key });
      answer.resume();
      return {
        size: Number(answer.headers['content-length'] ?? 0),
        modifiedAt: modifiedAt(answer),
      };
    } catch (error) {
      if (error instanceof StorageError && error.code === 'missing') return undefined;
      throw error;
    }
  };
  const read = async (key: string, range: string | undefined): Promise<OpenObject> => {
    const answer = await send({
      method: 'GET',
      key,
      ...(range && { headers: { 'x-ms-range': range } }),
    });
    const size = Number(
      /\/(\d+)$/.exec(answer.headers['content-range'] ?? '')?.[1] ??
        answer.headers['content-length'] ??
        0,
    );
    answer.setTimeout(SILENT_MILLISECONDS, () =>
      answer.destroy(new StorageError('unavailable', 'the answer stopped')),
    );
    return { size, modifiedAt: modifiedAt(answer), stream: answer };
  };
  /**
   * Uploads blocks and then their list, which makes them an object. The service deletes blocks
   * without a list after a week.
   */
  const putBlocks = async (key: string, first: Buffer, rest: AsyncIterator<Buffer>) => {
    const ids: string[] = [];
    for (let part: Buffer | undefined = first; part !== undefined; ) {
      const id = Buffer.from(String(ids.length).padStart(8, '0')).toString('base64');
      await done({ method: 'PUT', key, query: { comp: 'block', blockid: id }, content: part });
      ids.push(id);
      const next: IteratorResult<Buffer> = await rest.next();
      part = next.done ? undefined : next.value;
    }
    const list = `<?xml version="1.0" encoding="utf-8"?><BlockList>${ids.map((id) => `<Latest>${id}</Latest>`).join('')}</BlockList>`;
    await done({
      method: 'PUT',
      key,
      query: { comp: 'blocklist' },
      headers: { 'content-type': 'application/xml' },
      content: Buffer.from(list),
    });
  };

  return {
    async put(key, content) {
      assertKey(key);
      try {
        const parts = inParts(content);
        const first = (await parts.next()).value ?? Buffer.alloc(0);
        if (first.length < PART_BYTES)
          await done({
            method: 'PUT',
            key,
            headers: { 'x-ms-blob-type': 'BlockBlob' },
            content: first,
          });
        else await putBlocks(key, first, parts);
      } catch (error) {
        throw error instanceof StorageError
          ? error
          : new StorageError('unavailable', String(error), error);
      }
    },
    async open(key, range) {
      assertKey(key);
      return openRange({ key, range, stat, read: (header) => read(key, header) });
    },
    stat,
    async delete(key) {
      assertKey(key);
      await done({ method: 'DELETE', key }).catch((error: unknown) => {
        if (!(error instanceof StorageError && error.code === 'missing')) throw error;
      });
    },
    async *list() {
      for (let marker = ''; ; ) {
        const page = await done({
          method: 'GET',
          query: { restype: 'container', comp: 'list', ...(marker && { marker }) },
        });
        // Our object names need no XML escapes; other names are skipped.
        for (const [, name = ''] of page.matchAll(/<Name>([^<]*)<\/Name>/g))
          if (isKey(name)) yield name;
        marker = unescaped(/<NextMarker>([^<]+)<\/NextMarker>/.exec(page)?.[1] ?? '');
        if (marker === '') return;
      }
    },
    // Other servers may be uploading now, and the service itself deletes unused blocks.
    removeRemains: async () => undefined,
    isWritable: async () =>
      done({ method: 'HEAD', query: { restype: 'container' } }).then(
        () => true,
        () => false,
      ),
    close: () => agent.destroy(),
  };
}

const modifiedAt = ({ headers }: IncomingMessage) => new Date(headers['last-modified'] ?? 0);

const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

/**
 * Reads a short response as text.
 * @throws StorageError if it breaks off or exceeds `ANSWER_BYTES`
 */
async function textOf(answer: IncomingMessage): Promise<string> {
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
function errorOf({ statusCode = 0, headers }: IncomingMessage, body: string): AzureError {
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
