import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { KeyWithCertificate } from '../certificates.ts';

const DEFAULT_ORG = '00000000-0000-0000-0000-000000000002';

type Item = Readonly<Record<string, unknown>>;

/** The access key that the server accepts. */
export const API_KEY = {
  id: 'a2f0b7c1-3d5e-4f60-8a9b-0c1d2e3f4a5b',
  secret: '6f1c2d3e-secret-of-the-api',
};

/** A server of this process that answers lists as JumpServer does, to signed requests only. */
export interface ApiServer {
  readonly url: string;
  /** Lists of the default organization by path, and of others by `ID path`. */
  readonly lists: Map<string, readonly Item[]>;
  /** Statuses of paths that are refused. */
  readonly refused: Map<string, number>;
  /** Path and organization of each request. */
  readonly requests: string[];
  /** Answers a request instead of the lists; returns false to let them answer. */
  interfere: (path: string, response: ServerResponse) => boolean;
  stop(): Promise<void>;
}

/** Returns true if the request was signed with the key: its path and date. */
function isSigned({ method = '', url, headers }: IncomingMessage): boolean {
  const signed = `(request-target): ${method.toLowerCase()} ${url}\ndate: ${headers.date}`;
  const signature = createHmac('sha256', API_KEY.secret).update(signed).digest('base64');
  return (
    headers.authorization ===
    `Signature keyId="${API_KEY.id}",algorithm="hmac-sha256",headers="(request-target) date",signature="${signature}"`
  );
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** @param most maximum objects of a page, as newer versions have */
export async function startApiServer(
  tls?: KeyWithCertificate,
  most = Number.POSITIVE_INFINITY,
): Promise<ApiServer> {
  const lists: ApiServer['lists'] = new Map();
  const refused: ApiServer['refused'] = new Map();
  const requests: string[] = [];
  const state = { interfere: (_path: string, _response: ServerResponse) => false };
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    const path = url.pathname.replace('/api/v1/', '');
    const organization = String(request.headers['x-jms-org'] ?? '').replace(DEFAULT_ORG, '');
    const place = `${organization} ${path}`.trim();
    requests.push(place);
    if (state.interfere(path, response)) return;
    if (!isSigned(request)) return answer(response, 401, { detail: 'Invalid signature.' });
    const status = refused.get(path);
    if (status !== undefined) return answer(response, status, { detail: 'refused' });
    const isList = [...lists.keys()].some((key) => key.split(' ').at(-1) === path);
    const all = lists.get(place) ?? (isList ? [] : undefined);
    if (!all) {
      const [, list = '', id] = /^(.*\/)([^/]+)\/$/.exec(place) ?? [];
      const one = lists.get(list)?.find((item) => item.id === id);
      return one ? answer(response, 200, one) : answer(response, 404, { detail: 'Not found.' });
    }
    const number = (name: string) => Number(url.searchParams.get(name) ?? 0);
    const offset = number('offset');
    const results = all.slice(offset, offset + Math.min(most, number('limit')));
    answer(response, 200, { count: all.length, next: null, previous: null, results });
  };
  const server = tls
    ? createTlsServer({ key: tls.key, cert: tls.certificate }, handle)
    : createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://localhost:${port}`,
    lists,
    refused,
    requests,
    get interfere() {
      return state.interfere;
    },
    set interfere(work) {
      state.interfere = work;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
