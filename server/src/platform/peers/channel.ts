import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request as httpsRequest, type Server } from 'node:https';
import { type AddressInfo, createServer as createLocalServer } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { WebSocket, WebSocketServer } from 'ws';
import { type DataKey, DIRECT, type SharedKeys } from '../crypto/vault.ts';

/** Address at which another server listens for its peers. */
export interface PeerAddress {
  readonly host: string;
  readonly port: number;
  /** Unix socket of a process on this machine, used instead of host and port. */
  readonly socketPath?: string;
}

/**
 * Responds to a request of another server with the parameters `about`. The sender is trusted: only
 * holders of the secret key can connect.
 */
export type PeerHandler = (
  about: unknown,
  response: ServerResponse,
  request: IncomingMessage,
) => Promise<void>;
export type PeerSocketHandler = (about: unknown, socket: WebSocket) => void;

/**
 * Connections between the servers of one installation: HTTP and WebSockets over TLS with a
 * pre-shared key (RFC 5489, ECDHE_PSK). The key derives from the common secret key. There are no
 * certificates; a server without the key can neither connect nor respond.
 */
export interface PeerChannel {
  /** Handles requests with this name. */
  answer(name: string, handler: PeerHandler): void;
  /** Handles sockets with this name. */
  accept(name: string, handler: PeerSocketHandler): void;
  /**
   * Sends a request to another server, with a body if given.
   * @throws Error if it does not answer within ten seconds, or `milliseconds`
   */
  ask(
    address: PeerAddress,
    name: string,
    about: unknown,
    more?: {
      readonly body?: Readable;
      readonly signal?: AbortSignal;
      readonly milliseconds?: number;
    },
  ): Promise<IncomingMessage>;
  /** Opens a socket to another server. Errors are events of the socket. */
  connect(address: PeerAddress, name: string, about: unknown): WebSocket;
  /** Starts to listen and returns the port. */
  listen(host: string, port: number): Promise<number>;
  /** Also listens on a Unix socket, for processes of this machine. */
  listenLocally(path: string): Promise<void>;
  close(): Promise<void>;
}

const IDENTITY = 'sallyport';
/** The client names its key, so that servers understand each other during a rotation. */
const pskOf = ({ id, bytes }: DataKey) => ({
  psk: bytes,
  identity: id === DIRECT ? IDENTITY : `${IDENTITY} ${id}`,
});
const keyNameOf = (identity: string) =>
  identity === IDENTITY ? DIRECT : identity.slice(IDENTITY.length + 1);
const ABOUT = 'x-sallyport-about';
const TLS = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const;
const CONNECT_MS = 10_000;
const ANSWER_MS = 300_000;
/** Maximum message size, enough for a full screen with colors. */
const MAX_FRAME = 8 * 1024 * 1024;
const MAX_CONNECTIONS = 20_000;
/** Bytes of the headers of a request, which may contain those of a relayed request. */
const MAX_HEADERS = 128 * 1024;

/** Creates a channel with keys of 32 bytes. It neither listens nor connects yet. */
export function createPeerChannel(keys: SharedKeys): PeerChannel {
  const answers = new Map<string, PeerHandler>();
  const acceptors = new Map<string, PeerSocketHandler>();
  const server = createServer({
    ...TLS,
    pskIdentityHint: IDENTITY,
    pskCallback: (_socket, identity) => keys.find(keyNameOf(identity)) ?? null,
    handshakeTimeout: CONNECT_MS,
    maxHeaderSize: MAX_HEADERS,
  });
  // The TLS server itself can listen in one place only.
  const local = createLocalServer((socket) => void server.emit('connection', socket));
  server.maxConnections = MAX_CONNECTIONS;
  // A client without the key ends here; this is not an error of ours.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.on('request', (request, response) => {
    const handler = answers.get(nameOf(request));
    if (!handler) {
      response.writeHead(404).end();
      return;
    }
    const answer = async () => handler(aboutOf(request), response, request);
    answer().catch(() => response.destroy());
  });
  const sockets = acceptSockets(server, acceptors);
  const optionsFor = ({ host, port, socketPath }: PeerAddress, name: string, about: unknown) => ({
    ...TLS,
    ...(socketPath === undefined ? { host, port } : { socketPath }),
    path: `/${name}`,
    headers: { [ABOUT]: Buffer.from(JSON.stringify(about)).toString('base64url') },
    pskCallback: () => pskOf(keys.active()),
    // The shared key authenticates the peer; there is no certificate with a host name.
    checkServerIdentity: () => undefined,
  });
  return {
    answer: (name, handler) => void answers.set(name, handler),
    accept: (name, handler) => void acceptors.set(name, handler),
    ask: (address, name, about, { body, signal, milliseconds = CONNECT_MS } = {}) =>
      new Promise((resolve, reject) => {
        const request = httpsRequest({
          ...optionsFor(address, name, about),
          agent: false,
          timeout: milliseconds,
          ...(body && { method: 'POST' }),
          ...(signal && { signal }),
        });
        request.on('timeout', () =>
          request.destroy(new Error(`the server at ${address.host} does not answer`)),
        );
        request.on('error', reject);
        request.on('response', (answer) => {
          // The peer may read its response from disk first.
          request.setTimeout(ANSWER_MS);
          resolve(answer);
        });
        if (body) pipeline(body, request, () => undefined);
        else request.end();
      }),
    connect: (address, name, about) => {
      const { path, ...options } = optionsFor(address, name, about);
      const { socketPath } = address;
      const host = address.host.includes(':') ? `[${address.host}]` : address.host;
      return new WebSocket(`wss://${host}:${address.port}${path}`, {
        ...options,
        perMessageDeflate: false,
        maxPayload: MAX_FRAME,
        handshakeTimeout: CONNECT_MS,
        ...(socketPath !== undefined && {
          createConnection: () => connectTls({ ...options, path: socketPath }),
        }),
      });
    },
    async listen(host, port) {
      // The other processes of this server have their own ports.
      server.listen({ port, host, exclusive: true });
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    },
    async listenLocally(path) {
      rmSync(path, { force: true });
      local.listen({ path, exclusive: true });
      await once(local, 'listening');
    },
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      const closed = [server, local]
        .filter(({ listening }) => listening)
        .map((one) => once(one, 'close'));
      server.close();
      local.close();
      server.closeAllConnections();
      await Promise.all(closed);
    },
  };
}

/** Passes each WebSocket of a peer to the handler that it names. */
function acceptSockets(
  server: Server,
  acceptors: ReadonlyMap<string, PeerSocketHandler>,
): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME,
    perMessageDeflate: false,
  });
  server.on('upgrade', (request, socket, head) => {
    const handler = acceptors.get(nameOf(request));
    if (!handler) {
      socket.destroy();
      return;
    }
    sockets.handleUpgrade(request, socket, head, (socketToPeer) => {
      socketToPeer.on('error', () => socketToPeer.terminate());
      try {
        handler(aboutOf(request), socketToPeer);
      } catch {
        // Invalid data of another server must not end this process.
        socketToPeer.terminate();
      }
    });
  });
  return sockets;
}

const nameOf = (request: IncomingMessage) => (request.url ?? '/').slice(1);

function aboutOf(request: IncomingMessage): unknown {
  const header = request.headers[ABOUT];
  return typeof header === 'string'
    ? JSON.parse(Buffer.from(header, 'base64url').toString('utf8'))
    : undefined;
}
