/**
 * Server side of SSH connections. The library's own server always offers SHA-1 signatures of an RSA
 * host key. Therefore we use its parts: the caller selects the algorithms and passes the sockets.
 */
import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { wordDisconnects } from './disconnects.ts';
import { holdFirstPacket } from './first-packet.ts';
import { CERTIFIED_ED25519, certifiedKey } from './host-certificate.ts';
import {
  deleteExchangeSecrets,
  type HostKey,
  incomingClient,
  kexModule,
  moveIdentification,
  offerOf,
  protocolOf,
  replaceOffer,
} from './internals.ts';
import { parseKey } from './keys.ts';
import { answerLateRequests } from './late-requests.ts';
import { withOwnMemory } from './own-memory.ts';
import { shareReads } from './shared-reads.ts';
import { type Client, type Connection, loadSsh2 } from './ssh2.ts';

/** Algorithms of a connection, in our order of preference. */
export interface OfferedAlgorithms {
  readonly kex: readonly string[];
  readonly serverHostKey: readonly string[];
  readonly cipher: readonly string[];
  readonly mac: readonly string[];
}

export interface IncomingOptions {
  /** Private keys in OpenSSH or PEM format. */
  readonly hostKeys: readonly string[];
  /** Certificate of the Ed25519 host key in wire format, for connections that present one. */
  readonly certificate?: Buffer;
  readonly algorithms: OfferedAlgorithms;
  /** Follows `SSH-2.0-` in our first line. */
  readonly ident: string;
  readonly keepaliveMs: number;
  readonly keepaliveMisses: number;
}

/** Software of a client, from its first line. */
export interface ClientHeader {
  readonly versions?: { readonly software?: string };
}

/**
 * Accepts an SSH client on a stream. Calls `onHeader` after the client's first line. Returns the
 * connection, for an end before that line.
 */
export type AcceptSsh = (
  socket: Duplex,
  onHeader: (connection: Connection, software: string) => void,
) => Connection;

/** Announces strict key exchange, which detects inserted packets (Terrapin, CVE-2023-48795). */
const STRICT = 'kex-strict-s-v00@openssh.com';
/** Ciphers that Node computes in one step per packet (docs/adr/0006). */
const FAST = ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com'];
/** Signature algorithms of an RSA key. */
const RSA_NAMES = ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'];

/**
 * Prepares to accept connections with these keys and algorithms.
 * @throws Error if a key cannot be read
 */
export function createIncoming({
  hostKeys,
  certificate,
  algorithms,
  ident,
  keepaliveMs,
  keepaliveMisses,
}: IncomingOptions): AcceptSsh {
  loadSsh2();
  const IncomingClient = incomingClient();
  const { KexInit } = kexModule();
  const keys: Record<string, HostKey> = {};
  for (const text of hostKeys) {
    const key = parseKey(text);
    if (key instanceof Error || !key.isPrivateKey()) throw new Error('a host key cannot be read');
    for (const name of key.type === 'ssh-rsa' ? RSA_NAMES : [key.type])
      if (algorithms.serverHostKey.includes(name)) keys[name] = key;
  }
  const certified = certificate && keys['ssh-ed25519'];
  if (certificate && !certified) throw new Error('only an Ed25519 host key can have a certificate');
  const offerOf = (ciphers: readonly string[]) => {
    const direction = {
      cipher: [...ciphers],
      mac: [...algorithms.mac],
      compress: ['none'],
      lang: [],
    };
    const plain = algorithms.serverHostKey.filter((name) => name in keys);
    const serverHostKey = certified ? [CERTIFIED_ED25519, ...plain] : plain;
    return new KexInit({
      kex: [...algorithms.kex, STRICT],
      serverHostKey,
      cs: direction,
      sc: direction,
    });
  };
  const offer = offerOf(algorithms.cipher);
  const fastOffer = offerOf(FAST);
  const config = { keepaliveInterval: keepaliveMs, keepaliveCountMax: keepaliveMisses };
  return (socket, onHeader) => {
    const events = new EventEmitter();
    events.once(
      'connection',
      (connection: Connection, { header }: { readonly header: ClientHeader }) =>
        onHeader(connection, softwareOf(header)),
    );
    // Inside a forwarded connection the first line has often arrived already. Hold it with the data
    // that follows.
    const early: unknown = socket.read();
    const ownKeys = { ...keys };
    const client = withOwnMemory(
      () =>
        new IncomingClient(socket, ownKeys, Buffer.from(ident), offer, undefined, events, config),
    );
    answerLateRequests(client);
    wordDisconnects(client);
    forgetExchanges(client);
    client.once('handshake', () => shareReads(socket));
    // The client's order decides, and OpenSSH prefers ciphers that are several times slower here. A
    // client that supports AES-GCM is offered only AES-GCM.
    const protocol = protocolOf(client);
    if (certificate && certified)
      ownKeys[CERTIFIED_ED25519] = certifiedKey(certified, certificate, protocol);
    holdFirstPacket(socket, (ciphers) => {
      if (FAST.some((cipher) => ciphers.includes(cipher))) replaceOffer(protocol, fastOffer);
    });
    if (Buffer.isBuffer(early)) socket.push(early);
    return client;
  };
}

/** Longest name of a client's software. */
const MAX_SOFTWARE = 200;

/**
 * Returns the software of a client. RFC 4253 allows printable ASCII only, and PostgreSQL rejects
 * NUL: a client could prevent the log entries of its sign-ins.
 */
const softwareOf = ({ versions }: ClientHeader): string =>
  String(versions?.software ?? '')
    .slice(0, MAX_SOFTWARE)
    .replace(/[^\x20-\x7e]/g, '?');

/** Either side of a connection. It emits `handshake` after every key exchange. */
interface Exchanging {
  on(event: 'handshake', listener: () => void): unknown;
}

/**
 * Deletes the key pair and the shared secret after each key exchange; ssh2 keeps both until the
 * next one. That saves 4 KiB per connection, and a later reader of this process's memory cannot
 * decrypt earlier traffic.
 */
export function forgetExchanges(connection: Exchanging): void {
  connection.on('handshake', () => {
    deleteExchangeSecrets(connection);
    moveIdentification(connection);
  });
}

/** Offers by the settings that they were made of. */
const offers = new WeakMap<object, object>();

/**
 * Lets clients with the same `algorithms` share one offer; ssh2 makes 3 KiB for each. Call it after
 * `connect`.
 */
export function shareOffer(client: Client, algorithms: object): void {
  const protocol = protocolOf(client);
  const known = offers.get(algorithms);
  if (known) replaceOffer(protocol, known);
  else offers.set(algorithms, offerOf(protocol));
}
