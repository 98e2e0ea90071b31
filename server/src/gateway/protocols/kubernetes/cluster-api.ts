import { Agent, type IncomingMessage, request } from 'node:http';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { certificateProblemOf } from '../../../platform/certificate-problem.ts';
import { Refusal } from '../../refusal.ts';
import type { Route } from '../connector.ts';
import { peerOf, refusalOf } from '../ssh/ssh-errors.ts';
import { openTransport } from '../ssh/transport.ts';

/** Maximum connections of one session to its API server: each watch holds one. */
const MAX_CONNECTIONS = 100;
const MAX_IDLE = 4;

/** A request to an API server. Headers never name a user: the session adds its own. */
export interface ClusterRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: Readable | Uint8Array | undefined;
}

/** An API server, reached over the route of its cluster, with the account of the bastion. */
export interface ClusterApi {
  /** Sends a request. The answer streams. @throws Refusal */
  request(asked: ClusterRequest, signal: AbortSignal): Promise<IncomingMessage>;
  /** Opens another stream, for an upgrade. The caller closes it. @throws Refusal */
  dial(signal: AbortSignal): Promise<TLSSocket>;
  /** The header with the account of the bastion. */
  readonly authorization: string;
  /** The name for the Host header. */
  readonly host: string;
  close(): void;
}

/** Opens TLS to an API server over its route. The certificate is always verified. */
async function openTls(route: Route, signal: AbortSignal): Promise<TLSSocket> {
  const { target, cluster, timeoutMs } = route;
  const transport = await openTransport(route, signal);
  const { stream } = transport;
  const name = cluster?.tlsName || target.host;
  return new Promise((done, failed) => {
    const socket = connectTls({
      socket: stream,
      host: name,
      ...(!isIP(name) && { servername: name }),
      minVersion: 'TLSv1.2',
      ALPNProtocols: ['http/1.1'],
      ...(cluster?.authority && { ca: cluster.authority }),
    });
    const timer = setTimeout(
      () => socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })),
      timeoutMs,
    );
    const leave = () => socket.destroy();
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    };
    let isOpen = false;
    socket.on('error', (error) => {
      if (!isOpen) failed(error);
    });
    socket.once('secureConnect', () => {
      isOpen = true;
      settle();
      done(socket);
    });
    socket.once('close', () => {
      settle();
      transport.close();
      stream.destroy();
      if (!isOpen) failed(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    });
    stream.on('error', (error) => socket.destroy(error));
  });
}

/** Maps the failure of a connection to a Refusal. */
export function clusterRefusalOf(error: unknown, { target }: Route): Refusal {
  if (error instanceof Refusal) return error;
  const problem = certificateProblemOf(error, `${target.host}:${target.port}`);
  if (problem) return new Refusal(problem.code, problem.params);
  const refusal = refusalOf(error, peerOf(target));
  return refusal.problem.code === 'connect_protocol_error'
    ? new Refusal('connect_cluster_answer', { host: `${target.host}:${target.port}` })
    : refusal;
}

/** Connects of one route, which requests use again. */
class RouteAgent extends Agent {
  private readonly open: () => Promise<TLSSocket>;

  constructor(open: () => Promise<TLSSocket>) {
    super({ keepAlive: true, maxSockets: MAX_CONNECTIONS, maxFreeSockets: MAX_IDLE });
    this.open = open;
  }

  override createConnection(
    _options: unknown,
    created?: (error: Error | null, stream: TLSSocket) => void,
  ): undefined {
    this.open().then(
      (socket) => created?.(null, socket),
      // Node reads no stream if there is an error.
      (error: Error) => (created as ((error: Error) => void) | undefined)?.(error),
    );
    return undefined;
  }
}

/** Creates the client of an API server. Connects with the first request. */
export function createClusterApi(route: Route): ClusterApi {
  const over = new AbortController();
  const { target } = route;
  const agent = new RouteAgent(() => openTls(route, over.signal));
  const host = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
  const authorization = `Bearer ${target.login.password ?? ''}`;
  return {
    authorization,
    host,
    request({ method, path, headers, body }, signal) {
      return new Promise((done, failed) => {
        const sent = request({
          agent,
          method,
          path,
          headers: { ...headers, host, authorization },
          signal: AbortSignal.any([signal, over.signal]),
        });
        const fail = (error: Error) =>
          failed(signal.reason instanceof Refusal ? signal.reason : clusterRefusalOf(error, route));
        sent.once('response', done);
        sent.on('error', fail);
        // An answer that upgrades without being asked has neither response nor error.
        sent.once('close', () => fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
        if (body === undefined || body instanceof Uint8Array) sent.end(body);
        else {
          body.once('error', (error) => sent.destroy(error));
          body.pipe(sent);
        }
      });
    },
    async dial(signal) {
      try {
        return await openTls(route, AbortSignal.any([signal, over.signal]));
      } catch (error) {
        throw clusterRefusalOf(error, route);
      }
    },
    close() {
      over.abort();
      agent.destroy();
    },
  };
}
