import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A test double of Azure Blob Storage with one empty container. */
export interface AzureServer {
  readonly endpoint: string;
  readonly container: string;
  readonly account: string;
  readonly key: string;
  /** Rejects this many requests as busy. */
  beBusy(requests: number): void;
  stop(): Promise<void>;
}

const CONTAINER = 'recordings';
const ACCOUNT = 'bastionstore';
const KEY = Buffer.from('the key of an account in a test, 256 bit').toString('base64');
/** Small, so that lists need several pages. */
const PAGE = 3;

interface Blob {
  readonly content: Buffer;
  readonly modifiedAt: Date;
}

class Refusal extends Error {
  readonly status: number;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
  }
}

/**
 * Starts the service on a free port. We do not install the real emulator, Azurite: it contains a
 * package that reports about its users. This one follows the documentation: account key signatures,
 * blobs, blocks, ranges, paged lists, error codes.
 */
export async function startAzure(): Promise<AzureServer> {
  const blobs = new Map<string, Blob>();
  const blocks = new Map<string, Map<string, Buffer>>();
  let busy = 0;

  const assertSigned = (request: IncomingMessage, url: URL) => {
    const { headers } = request;
    const line = (name: string) => String(headers[name] ?? '');
    const length = line('content-length') === '0' ? '' : line('content-length');
    const standard = [
      'content-encoding',
      'content-language',
      undefined,
      'content-md5',
      'content-type',
      'date',
      'if-modified-since',
      'if-match',
    ];
    let text = `${request.method}\n`;
    for (const name of [...standard, 'if-none-match', 'if-unmodified-since', 'range'])
      text += `${name === undefined ? length : line(name)}\n`;
    for (const name of Object.keys(headers).sort())
      if (name.startsWith('x-ms-')) text += `${name}:${line(name)}\n`;
    text += `/${ACCOUNT}${url.pathname}`;
    for (const name of [...url.searchParams.keys()].sort())
      text += `\n${name}:${url.searchParams.get(name)}`;
    const expected = `SharedKey ${ACCOUNT}:${createHmac('sha256', Buffer.from(KEY, 'base64')).update(text).digest('base64')}`;
    const actual = line('authorization');
    if (
      actual.length !== expected.length ||
      !timingSafeEqual(Buffer.from(actual), Buffer.from(expected))
    )
      throw new Refusal(403, 'AuthenticationFailed');
  };

  const listed = (url: URL) => {
    const names = [...blobs.keys()]
      .sort()
      .filter((name) => name.startsWith(url.searchParams.get('prefix') ?? ''))
      .filter((name) => name >= (url.searchParams.get('marker') ?? ''));
    const page = names.slice(0, PAGE);
    const items = page.map((name) => `<Blob><Name>${name}</Name><Properties/></Blob>`).join('');
    return `<?xml version="1.0"?><EnumerationResults><Blobs>${items}</Blobs><NextMarker>${names[PAGE] ?? ''}</NextMarker></EnumerationResults>`;
  };

  const put = (key: string, url: URL, content: Buffer, headers: IncomingMessage['headers']) => {
    const modifiedAt = new Date();
    const waiting = blocks.get(key) ?? new Map<string, Buffer>();
    if (url.searchParams.get('comp') === 'block')
      blocks.set(key, waiting.set(url.searchParams.get('blockid') ?? '', content));
    else if (url.searchParams.get('comp') === 'blocklist') {
      const chosen = [...content.toString().matchAll(/<Latest>([^<]+)<\/Latest>/g)].map(
        ([, id = '']) => waiting.get(id),
      );
      if (chosen.some((block) => !block)) throw new Refusal(400, 'InvalidBlockList');
      blobs.set(key, {
        content: Buffer.concat(chosen.flatMap((block) => block ?? [])),
        modifiedAt,
      });
      blocks.delete(key);
    } else if (headers['x-ms-blob-type'] === 'BlockBlob') blobs.set(key, { content, modifiedAt });
    else throw new Refusal(400, 'MissingRequiredHeader');
  };

  const get = (key: string, request: IncomingMessage, response: ServerResponse) => {
    const blob = blobs.get(key);
    if (!blob) throw new Refusal(404, 'BlobNotFound');
    response.setHeader('last-modified', blob.modifiedAt.toUTCString());
    const [, first, last] =
      /^bytes=(\d+)-(\d*)$/.exec(String(request.headers['x-ms-range'] ?? '')) ?? [];
    if (first === undefined) return blob.content;
    const start = Number(first);
    if (start >= blob.content.length) throw new Refusal(416, 'InvalidRange');
    const end = Math.min(last ? Number(last) : Number.POSITIVE_INFINITY, blob.content.length - 1);
    response.statusCode = 206;
    response.setHeader('content-range', `bytes ${start}-${end}/${blob.content.length}`);
    return blob.content.subarray(start, end + 1);
  };

  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<Buffer | undefined> => {
    const content = await buffer(request);
    if (busy > 0) {
      busy -= 1;
      throw new Refusal(503, 'ServerBusy');
    }
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    assertSigned(request, url);
    const [container, ...rest] = url.pathname.slice(1).split('/');
    const key = rest.join('/');
    if (container !== CONTAINER) throw new Refusal(404, 'ContainerNotFound');
    if (key === '')
      return url.searchParams.get('comp') === 'list' ? Buffer.from(listed(url)) : undefined;
    if (request.method === 'PUT') {
      response.statusCode = 201;
      put(key, url, content, request.headers);
    } else if (request.method === 'DELETE') {
      response.statusCode = 202;
      if (!blobs.delete(key)) throw new Refusal(404, 'BlobNotFound');
    } else return get(key, request, response);
    return undefined;
  };

  const server = createServer((request, response) => {
    answer(request, response)
      .then((content) =>
        response
          .setHeader('content-length', content?.length ?? 0)
          .end(request.method === 'HEAD' ? undefined : content),
      )
      .catch((error: unknown) => {
        const code = error instanceof Refusal ? error.message : 'InternalError';
        response.writeHead(error instanceof Refusal ? error.status : 500, {
          'x-ms-error-code': code,
        });
        response.end(
          request.method === 'HEAD'
            ? undefined
            : `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`,
        );
      });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    container: CONTAINER,
    account: ACCOUNT,
    key: KEY,
    beBusy(requests) {
      busy = requests;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
