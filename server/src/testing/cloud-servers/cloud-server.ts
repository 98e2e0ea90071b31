import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { CloudProvider } from '@sallyport/contract';
import { makeCertificates } from '../certificates.ts';

/** A virtual machine of a provider. */
export interface Machine {
  readonly id: string;
  name: string;
  privateIp: string;
  publicIp: string;
  readonly isWindows?: boolean;
  isGone?: boolean;
}

/** What a provider does instead of answering as usual. */
export type Mode = 'usual' | 'silent' | 'huge' | 'redirect' | 'endless' | 'broken' | 'hollow';

/**
 * A server that speaks the API of a provider of machines, for tests: written by us from the documentation of the provider, because no provider can be reached where these
 * tests run. It checks the signature of each request as the documentation describes it, answers in pages, and refuses every request that it does not know.
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
  /** Regions that are not open for the account. */
  readonly closed: Set<string>;
  /** Whether the key has the right to read machines. */
  mayRead: boolean;
  /** How many of the next requests are throttled. */
  throttled: number;
  mode: Mode;
  /** What was asked, such as `DescribeInstances cn-hangzhou`. */
  readonly requests: string[];
  /** Called before each answer. */
  onRequest: () => Promise<void> | void;
  stop(): Promise<void>;
}

/** A request as a provider reads it. */
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

/** What one provider does with a request: it writes down what was asked and answers. */
export type Answering = (server: CloudServer, request: CloudRequest) => CloudAnswer;

export const sha256 = (of: string): string => createHash('sha256').update(of).digest('hex');
export const hmac = (key: string | Buffer, of: string): Buffer =>
  createHmac('sha256', key).update(of).digest();
export const same = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** The headers that a signature covers, as most providers want them: a line for each. */
export const signedLines = (names: string, headers: IncomingHttpHeaders): string =>
  names
    .split(';')
    .map((name) => `${name}:${String(headers[name] ?? '').trim()}\n`)
    .join('');

/** The parameters of an address in the order that signatures want. */
export const orderedQuery = (url: URL): string =>
  url.search
    .slice(1)
    .split('&')
    .filter(Boolean)
    .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
    .sort()
    .join('&');

/** Starts the server of a provider with a key, a certificate and no machines. */
export async function startCloudServer(
  provider: CloudProvider,
  answering: Answering,
): Promise<CloudServer> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-cloud-'));
  const made = await makeCertificates(folder);
  const [authority, cert, key] = [made.authority, made.certificate, made.key].map((path) =>
    readFileSync(path, 'utf8'),
  ) as [string, string, string];
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
      // An answer that is good and has nothing in it.
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

/** Counts down what is throttled. */
export function isThrottled(server: CloudServer): boolean {
  if (server.throttled === 0) return false;
  server.throttled -= 1;
  return true;
}
