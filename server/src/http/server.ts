import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  METHODS,
  type Server,
  type ServerResponse,
} from 'node:http';
import { BlockList, isIPv4, isIPv6, type Socket } from 'node:net';
import { ERRORS, HTTP_TIMEOUT, say } from '@sallyport/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../platform/actor.ts';
import { partOf, Work } from '../platform/db/work.ts';
import { Unavailable } from '../platform/errors.ts';
import { networkOf } from '../platform/network-of.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** Requests that only read; the server stops them when the client disconnects. */
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

const works = new WeakMap<FastifyRequest, Work>();
const lateness = new WeakMap<FastifyReply, NodeJS.Timeout>();

/**
 * Limits the time until an answer begins, except for sockets, and cancels the queries of a late or
 * abandoned request. Changes of a disconnected client still finish: hanging up must not keep a
 * failed sign-in out of the log. Streamed answers may take longer; the database limits each of
 * their reads.
 */
export function limitRequests(http: FastifyInstance, patience = HTTP_TIMEOUT): void {
  http.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config?.socket) return done();
    const work = new Work();
    works.set(request, work);
    const late = setTimeout(() => {
      work.stop('late');
      if (!reply.sent) reply.send(new Unavailable('timeout'));
    }, patience);
    reply.raw.once('close', () => {
      clearTimeout(late);
      if (!reply.raw.writableFinished && READS.has(request.method)) work.stop('abandoned');
    });
    lateness.set(reply, late);
    partOf(work, done);
  });
  // Reading the body loses the asynchronous context of the first hook, so set it again.
  http.addHook('preValidation', (request, _reply, done) => {
    const work = works.get(request);
    if (work) partOf(work, done);
    else done();
  });
  http.addHook('onSend', (_request, reply, _payload, done) => {
    clearTimeout(lateness.get(reply));
    done();
  });
}

/** Returns true if the request failed because it was stopped. */
export function wasStopped(request: FastifyRequest): boolean {
  return works.get(request)?.stopped !== undefined;
}

/** Maximum connections per address. WebSockets do not count here; they are limited per user. */
const CONNECTIONS_PER_ADDRESS = 500;
/** Maximum connections in all. */
const CONNECTIONS = 10_000;
/** Milliseconds until a request's headers must be complete. */
const HEADERS_TIMEOUT = 20_000;
/** Milliseconds between checks for late requests. */
const CHECK_INTERVAL = 5_000;
/** Milliseconds until a connection without traffic closes, even if its client stopped reading. */
const IDLE_TIMEOUT = 2 * HTTP_TIMEOUT;
const KEEP_ALIVE_TIMEOUT = 65_000;
/** Methods that crash the router. */
const UNROUTABLE = new Set(['QUERY']);

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface ServerOptions {
  /** Proxies that carry requests of many users; their connections are not limited. */
  readonly trustedProxies: readonly string[];
  /** Trust `X-Forwarded-Host` from a trusted proxy. */
  readonly trustForwardedHost: boolean;
}

/** Callers of requests that another process of this server has authenticated and relayed. */
const relayed = new WeakMap<IncomingMessage, Actor>();

/** Returns the caller of a relayed request. Undefined for a request of a client. */
export const callerOfRelayed = (request: IncomingMessage): Actor | undefined =>
  relayed.get(request);

/** A request as it travels between processes. */
export interface RelayedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string | undefined;
  readonly actor: Actor;
}

/** Serves a relayed request as if its client had sent it to this process. */
export function serveRelayed(
  http: FastifyInstance,
  { actor, remoteAddress, ...head }: RelayedRequest,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  relayed.set(request, actor);
  Object.assign(request, head);
  // The socket is that of the other process, and encrypted.
  Object.defineProperties(request.socket, {
    remoteAddress: { value: remoteAddress },
    encrypted: { value: false },
  });
  http.server.emit('request', request, response);
}

const counted = new WeakMap<Socket, () => void>();

/** Stops counting a connection against its address, once it is a WebSocket. */
export function stopCounting(socket: unknown): void {
  counted.get(socket as Socket)?.();
}

/** Returns true for a WebSocket, and for the streams of older Kubernetes clients. */
function isUpgrade({ headers, url }: IncomingMessage): boolean {
  const name = headers.upgrade?.toLowerCase();
  return name === 'websocket' || (name === 'spdy/3.1' && url?.startsWith('/k8s/') === true);
}

/** Creates the HTTP server with limits on connections, timeouts and methods. */
export function createHttpServer(
  handler: Handler,
  { trustedProxies, trustForwardedHost }: ServerOptions,
): Server {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT,
      requestTimeout: HTTP_TIMEOUT,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
      connectionsCheckingInterval: CHECK_INTERVAL,
      // Node would answer without our headers.
      requireHostHeader: false,
      // Ignore other upgrades (RFC 9110 §7.8) and serve the request as HTTP.
      shouldUpgradeCallback: isUpgrade,
    },
    (request, response) => {
      if (!trustForwardedHost) delete request.headers['x-forwarded-host'];
      if (request.headers.host === undefined && request.httpVersion === '1.1')
        refuse(request, response, [400, 'malformed_request']);
      else if (UNROUTABLE.has(request.method ?? ''))
        refuse(request, response, [405, 'method_not_allowed']);
      else handler(request, response);
    },
  );
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    refuse(request, response, [417, 'malformed_request']),
  );
  server.setTimeout(IDLE_TIMEOUT);
  server.maxConnections = CONNECTIONS;
  limitByAddress(server, trustedProxies);
  return server;
}

function limitByAddress(server: Server, trustedProxies: readonly string[]): void {
  const exempt = blockListOf(trustedProxies);
  const connections = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    if (exempt.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return;
    const key = networkOf(address);
    const held = connections.get(key) ?? 0;
    if (held >= CONNECTIONS_PER_ADDRESS) {
      socket.destroy();
      return;
    }
    connections.set(key, held + 1);
    const release = () => {
      if (!counted.delete(socket)) return;
      const left = (connections.get(key) ?? 1) - 1;
      if (left > 0) connections.set(key, left);
      else connections.delete(key);
    };
    counted.set(socket, release);
    socket.once('close', release);
  });
}

const plainAddress = (address: string): string =>
  address.startsWith('::ffff:') && isIPv4(address.slice(7)) ? address.slice(7) : address;

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** Rejects a request that the application must not receive, such as one of an unknown method. */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  [status, code]: readonly [number, 'malformed_request' | 'method_not_allowed'],
): void {
  const method = METHODS.includes(request.method ?? '') ? (request.method ?? '') : '';
  const { headers, body } = answerOf(code, say(ERRORS[code], 'en', { method }));
  response.writeHead(status, headers).end(body);
  request.resume();
}

/** Returns an error answer that no hook of the application completes. */
function answerOf(code: string, detail: string) {
  return {
    headers: {
      ...SECURITY_HEADERS,
      'content-type': 'application/json; charset=utf-8',
      'x-error-code': code,
    },
    body: JSON.stringify({ code, detail, msg: detail, error: detail }),
  };
}

/** Answers bytes that are no HTTP request. The answer and the log repeat none of them. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const [status, code] =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? (['408 Request Timeout', 'timeout'] as const)
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? (['431 Request Header Fields Too Large', 'malformed_request'] as const)
        : (['400 Bad Request', 'malformed_request'] as const);
  const { headers, body } = answerOf(code, ERRORS[code].en);
  const lines = Object.entries({
    ...headers,
    connection: 'close',
    'content-length': Buffer.byteLength(body),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  if (socket.writable) socket.write(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`);
  socket.destroySoon();
}
