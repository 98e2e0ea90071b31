import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';

/** Headers of an upgrade that both sides must see. */
const ASKED = [
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-protocol',
  'x-stream-protocol-version',
] as const;
const ANSWERED = [
  'sec-websocket-accept',
  'sec-websocket-protocol',
  'x-stream-protocol-version',
] as const;
const TIMEOUT_MS = 30_000;

/** An upgrade that passes as bytes: `port-forward`, or a WebSocket of a proxied program. */
export interface UpgradeRelay {
  readonly method: string;
  /** Path and query for the API server. */
  readonly path: string;
  /** Headers of the client. */
  readonly asked: IncomingHttpHeaders;
  /** Headers of authentication and identity. */
  readonly identity: Readonly<Record<string, string | string[]>>;
  readonly stream: Duplex;
  readonly signal: AbortSignal;
}

/** The answer of the API server: an upgrade, or a refusal to relay. */
export type UpgradeAnswer =
  | { readonly answer: IncomingMessage; readonly head: Buffer }
  | { readonly refusal: IncomingMessage };

function only(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]];
    }),
  );
}

/** A subprotocol that carries the token of a user: an API server could take it as an identity. */
const TOKEN_PROTOCOL = /^base64url\.bearer\./i;

/** Returns the headers of a client that an API server needs for an upgrade. */
function askedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const { 'sec-websocket-protocol': offered, ...rest } = only(headers, ASKED);
  if (offered === undefined) return rest;
  const kept = offered
    .split(',')
    .map((name) => name.trim())
    .filter((name) => !TOKEN_PROTOCOL.test(name));
  return kept.length === 0 ? rest : { ...rest, 'sec-websocket-protocol': kept.join(', ') };
}

/** Asks the API server for the upgrade of a client. */
export function askUpgrade({
  method,
  path,
  asked,
  identity,
  stream,
  signal,
}: UpgradeRelay): Promise<UpgradeAnswer> {
  return new Promise((done, failed) => {
    const sent = request({
      createConnection: () => stream,
      method,
      path,
      headers: {
        ...askedHeaders(asked),
        ...identity,
        connection: 'Upgrade',
        upgrade: asked.upgrade ?? '',
      },
      timeout: TIMEOUT_MS,
      signal,
    });
    sent.once('timeout', () => sent.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })));
    sent.once('upgrade', (answer, _socket, head) => done({ answer, head }));
    sent.once('response', (refusal) => done({ refusal }));
    sent.on('error', failed);
    sent.end();
  });
}

/** Joins the client and the API server, with the back pressure of both. Ends both with one. */
export function joinStreams(
  client: { readonly socket: Duplex; readonly head: Buffer },
  target: { readonly stream: Duplex; readonly head: Buffer; readonly answer: IncomingMessage },
  onBytes: () => void,
): Promise<void> {
  const { socket } = client;
  const { stream, answer } = target;
  const lines = Object.entries(only(answer.headers, ANSWERED)).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.write(
    [
      'HTTP/1.1 101 Switching Protocols',
      'connection: Upgrade',
      `upgrade: ${answer.headers.upgrade ?? ''}`,
      ...lines,
      '\r\n',
    ].join('\r\n'),
  );
  socket.write(target.head);
  stream.write(client.head);
  return new Promise((done) => {
    const leave = () => {
      socket.destroy();
      stream.destroy();
      done();
    };
    for (const side of [socket, stream]) {
      side.on('data', onBytes);
      side.on('error', leave);
      side.once('close', leave);
    }
    socket.pipe(stream);
    stream.pipe(socket);
    // A side that closed before emits no event any more.
    if (socket.destroyed || stream.destroyed) leave();
  });
}
