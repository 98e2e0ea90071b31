import { createHmac } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import {
  BOUND_MECHANISM,
  ByteReader,
  fatal,
  int32,
  MAX_STARTUP,
  MECHANISM,
  message,
  ProtocolViolation,
  readStartup,
  ScramServer,
  type ScramVerifier,
  VERSION_3,
  zeroEnded,
} from '@sallyport/sql-relays';
import { findPassword } from '../find-password.ts';
import { type Arrival, answerTls } from '../listener.ts';
import type { LivePassword } from '../ports.ts';

const MAX_PASSWORD_MESSAGE = 4096;
/** First byte of a TLS handshake, which `sslnegotiation=direct` sends without a request. */
const TLS_HANDSHAKE = 0x16;
/** Its protocol in ALPN. */
const ALPN = 'postgresql';
/** Protocol 3.2 differs from 3.0 by longer cancel keys only. */
const NEWEST_MINOR = 2;
/** Maximum requests, such as for TLS, before the StartupMessage. */
const MAX_REQUESTS = 3;
/**
 * SQLSTATE: invalid_authorization_specification, invalid_password, feature_not_supported,
 * protocol_violation.
 */
export const CODE = {
  authorization: '28000',
  password: '28P01',
  unsupported: '0A000',
  violation: '08P01',
  limit: '53300',
  unavailable: '57P03',
} as const;

export interface Greeted {
  readonly stream: Duplex;
  readonly parameters: ReadonlyMap<string, string>;
  /** Minor version of protocol 3. */
  readonly minor: number;
}

export interface CancelRequest {
  /** The request gets no answer. The caller ends the stream when it is handled. */
  readonly stream: Duplex;
  readonly processId: number;
  readonly secret: Buffer;
}

/** Sends an error and closes the connection. */
export function refuse(stream: Duplex, code: string, text: string): void {
  if (!stream.destroyed) stream.end(fatal(code, text));
}

/**
 * Reads the first messages of a client and starts TLS on request. Returns undefined if the client
 * was rejected. @throws ProtocolViolation, StreamEnded
 */
export async function greet({
  context,
  socket,
  signal,
}: Arrival): Promise<Greeted | CancelRequest | undefined> {
  let stream: Duplex = socket;
  let isSecure = false;
  for (let request = 0; request < MAX_REQUESTS; request++) {
    const reader = new ByteReader(stream);
    const head = await reader.read(4, signal);
    if (request === 0 && head[0] === TLS_HANDSHAKE) {
      socket.unshift(Buffer.concat([head, reader.detach()]));
      const secured = await answerTls(socket, context.tls, signal);
      // Like PostgreSQL 17: bytes for another protocol could otherwise be replayed here.
      if (secured.alpnProtocol !== ALPN) {
        refuse(secured, CODE.violation, 'TLS without a request needs the protocol "postgresql".');
        return undefined;
      }
      stream = secured;
      isSecure = true;
      continue;
    }
    const length = head.readInt32BE() - 4;
    if (length < 4 || length > MAX_STARTUP)
      throw new ProtocolViolation('a first message of a wrong length');
    const first = readStartup(await reader.read(length, signal));
    switch (first.kind) {
      case 'ssl':
        if (isSecure) throw new ProtocolViolation('TLS was asked for twice');
        reader.detachEmpty();
        socket.write('S');
        stream = await answerTls(socket, context.tls, signal);
        isSecure = true;
        break;
      case 'gss':
        reader.detachEmpty();
        stream.write('N');
        break;
      case 'cancel':
        reader.detach();
        return { ...first, stream };
      case 'unknown':
        refuse(stream, CODE.unsupported, 'Sallyport speaks the protocol 3 of PostgreSQL.');
        return undefined;
      default:
        // The client must wait for our request before sending more.
        reader.detachEmpty();
        if (!isSecure && !context.allowsPlain) {
          refuse(
            stream,
            CODE.authorization,
            'Sallyport accepts connections with TLS only: use sslmode=require.',
          );
          return undefined;
        }
        if (
          first.parameters.get('replication') !== undefined &&
          !['off', 'false', 'no', '0'].includes(first.parameters.get('replication') ?? '')
        ) {
          refuse(stream, CODE.unsupported, 'Replication is not possible through Sallyport.');
          return undefined;
        }
        return {
          stream,
          parameters: first.parameters,
          minor: negotiate(stream, first.minor, first.parameters),
        };
    }
  }
  throw new ProtocolViolation('too many requests before a first message');
}

/**
 * Returns the minor version of the session. Sends NegotiateProtocolVersion if the client asked for
 * a newer one or for options. The message has the whole version number: libpq 18 reads a minor
 * number alone as "pre-3.0".
 */
function negotiate(
  stream: Duplex,
  wanted: number,
  parameters: ReadonlyMap<string, string>,
): number {
  const minor = Math.min(wanted, NEWEST_MINOR);
  const options = [...parameters.keys()].filter((name) => name.startsWith('_pq_.'));
  if (minor < wanted || options.length > 0) {
    const version = int32(VERSION_3 + minor);
    stream.write(message('v', version, int32(options.length), ...options.map(zeroEnded)));
  }
  return minor;
}

/**
 * Verifies the short-lived password with SCRAM, which authenticates both sides without sending the
 * password. Returns undefined if it was rejected.
 */
export async function signIn(
  arrival: Arrival,
  { stream, parameters }: Greeted,
): Promise<LivePassword | undefined> {
  const login = parameters.get('user') ?? '';
  const { context, remoteAddress, signal } = arrival;
  const { ports, mockKey } = context;
  const search = await findPassword(arrival, login);
  if ('text' in search) {
    refuse(stream, search.isLimit ? CODE.limit : CODE.unavailable, search.text);
    return undefined;
  }
  const { password: livePassword } = search;
  const scram = livePassword?.verifier.scram;
  const binding = stream instanceof TLSSocket ? context.tlsBinding : undefined;
  const mechanisms = binding ? [BOUND_MECHANISM, MECHANISM] : [MECHANISM];
  const reader = new ByteReader(stream);
  stream.write(message('R', int32(10), ...mechanisms.map(zeroEnded), Buffer.from([0])));
  const initial = await passwordMessage(reader, signal);
  const end = initial.indexOf(0);
  const mechanism = initial.toString('utf8', 0, Math.max(0, end));
  const server = new ScramServer(
    scram ? verifierOf(scram) : mockVerifier(mockKey, login),
    binding,
    mechanism === BOUND_MECHANISM,
  );
  if (!mechanisms.includes(mechanism) || initial.length < end + 5)
    throw new ProtocolViolation('another mechanism');
  stream.write(
    message('R', int32(11), Buffer.from(server.first(initial.toString('utf8', end + 5)))),
  );
  const proof = server.last((await passwordMessage(reader, signal)).toString('utf8'));
  reader.detachEmpty();
  if (!livePassword || !scram || proof === undefined) {
    ports.log.warn(
      { remoteAddress },
      'a client of a database showed a password that is not in force',
    );
    refuse(
      stream,
      CODE.password,
      'The password is not in force. Make a new one in the console: My databases, Connect with your own client.',
    );
    return undefined;
  }
  stream.write(message('R', int32(12), Buffer.from(proof)));
  return livePassword;
}

async function passwordMessage(reader: ByteReader, signal: AbortSignal): Promise<Buffer> {
  const header = await reader.read(5, signal);
  const length = header.readInt32BE(1) - 4;
  if (header.toString('latin1', 0, 1) !== 'p' || length < 0 || length > MAX_PASSWORD_MESSAGE)
    throw new ProtocolViolation('not a password message');
  return reader.read(length, signal);
}

function verifierOf({
  salt,
  iterations,
  storedKey,
  serverKey,
}: NonNullable<LivePassword['verifier']['scram']>): ScramVerifier {
  return {
    salt: Buffer.from(salt, 'base64'),
    iterations,
    storedKey: Buffer.from(storedKey, 'base64'),
    serverKey: Buffer.from(serverKey, 'base64'),
  };
}

/**
 * A verifier for unknown names; constant per name, so that clients cannot detect which names exist.
 */
function mockVerifier(key: Buffer, login: string): ScramVerifier {
  const derive = (what: string) => createHmac('sha256', key).update(`${what}:${login}`).digest();
  return {
    salt: derive('salt').subarray(0, 16),
    iterations: 4096,
    storedKey: derive('stored'),
    serverKey: derive('server'),
  };
}
