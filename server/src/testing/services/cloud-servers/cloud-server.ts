import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { CloudProvider } from '@sallyport/contract';
import { makeCertificates } from '../../certificates.ts';

export interface Machine {
  readonly id: string;
  name: string;
  privateIp: string;
  publicIp: string;
  readonly isWindows?: boolean;
  isGone?: boolean;
}

/** Faulty behavior of a provider. */
export type Mode = 'usual' | 'silent' | 'huge' | 'redirect' | 'endless' | 'broken' | 'hollow';

/**
 * A test double of a cloud provider's API, written from its documentation, because the tests cannot
 * reach providers. It verifies signatures as documented, answers in pages, and rejects unknown
 * requests.
 */
export interface CloudServer {
  readonly provider: CloudProvider;
  readonly url: string;
  /** PEM of the authority of its certificate. */
  readonly authority: string;
  readonly keyId: string;
  readonly secret: string;
  /** Machines by region. */
  readonly machines: Map<string, Machine[]>;
  /** Regions that the account has not opened. */
  readonly closed: Set<string>;
  /** True if the key may read machines. */
  mayRead: boolean;
  /** Number of following requests to throttle. */
  throttled: number;
  mode: Mode;
  /** Received requests, such as `DescribeInstances cn-hangzhou`. */
  readonly requests: string[];
  /** Called before each answer. */
  onRequest: () => Promise<void> | void;
  stop(): Promise<void>;
}

export interface CloudRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface CloudAnswer {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
}

/** Answers a request of one provider, and records it in `requests`. */
export type Answering = (server: CloudServer, request: CloudRequest) => CloudAnswer;

export const sha256 = (of: string): string => createHash('sha256').update(of).digest('hex');
export const hmac = (key: string | Buffer, of: string): Buffer =>
  createHmac('sha256', key).update(of).digest();
export const same = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** Returns the headers covered by a signature, one per line, as most providers require. */
export const signedLines = (names: string, headers: IncomingHttpHeaders): string =>
  names
    .split(';')
    .map((name) => `${name}:${String(headers[name] ?? '').trim()}\n`)
    .join('');

/** Returns the query parameters in the order for signatures. */
export const orderedQuery = (url: URL): string =>
  url.search
    .slice(1)
    .split('&')
    .filter(Boolean)
    .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
    .sort()
    .join('&');

/** Starts a provider's server with a key, a certificate and no machines. */
export async function startCloudServer(
  provider: CloudProvider,
  answering: Answering,
): Promise<CloudServer> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-cloud-'));
  const certificates = await makeCertificates(folder);
  const [authority, cert, key] = [
    certificates.authority,
    certificates.certificate,
    certificates.key,
  ].map((path) => readFileSync(path, 'utf8')) as [string, string, string];
  rmSync(folder, { recursive: true });
  const server: Server = createServer({ cert, key }, (request, response) => {
    const handle = async () => {
      const body = await text(request);
      await state.onRequest();
      if (state.mode === 'silent') return;
      if (state.mode === 'redirect')
        return response.writeHead(302, { location: `${state.url}/elsewhere` }).end();
      if (state.mode === 'broken')
        return response
          .writeHead(200, { 'content-type': 'application/json' })
          .end('<html>not what was asked</html>');
      // A valid answer without content.
      if (state.mode === 'hollow')
        return response
          .writeHead(200, { 'content-type': 'application/json' })
          .end('{"Response":{},"Instances":{}}');
      if (state.mode === 'huge') {
        response.writeHead(200, { 'content-type': 'application/json' });
        const more = () => {
          while (response.writable && response.write(' '.repeat(65_536)));
          if (response.writable) response.once('drain', more);
        };
        return more();
      }
      const url = new URL(request.url ?? '/', state.url);
      const answer = answering(state, {
        method: request.method ?? '',
        url,
        headers: request.headers,
        body,
      });
      response
        .writeHead(answer.status, { 'content-type': answer.type ?? 'application/json' })
        .end(answer.body);
    };
    handle().catch(() => response.destroy());
  });
  // A client that has read enough closes the connection.
  server.on('clientError', () => undefined);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const state: CloudServer = {
    provider,
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authority,
    keyId: 'AKIDEXAMPLE',
    secret: 'a secret of the provider',
    machines: new Map(),
    closed: new Set(),
    mayRead: true,
    throttled: 0,
    mode: 'usual',
    requests: [],
    onRequest: () => undefined,
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return state;
}

/** Counts down the throttled requests. */
export function isThrottled(server: CloudServer): boolean {
  if (server.throttled === 0) return false;
  server.throttled -= 1;
  return true;
}
