/**
 * Together with `channel-internals.ts` and `group-internals.ts`, the only file that touches private
 * parts of ssh2 1.17: modules below `ssh2/lib`, and undocumented fields. Other files use these
 * functions. `internals.test.ts` checks each part, so a changed ssh2 fails there.
 */
import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import type { Duplex } from 'node:stream';
import type { Connection, ParsedKey } from 'ssh2';
import type { CipherConfig } from './gcm-cipher.ts';
import { withOwnMemory } from './own-memory.ts';

const load = createRequire(import.meta.url);

/** Returns the value if it is an object or a function with these members. @throws Error */
export function having<T extends object>(value: unknown, ...members: (keyof T & string)[]): T {
  if (!isObject(value) || members.some((name) => !(name in value)))
    throw new Error('ssh2 has changed inside');
  return value as T;
}

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

export const member = (owner: object, name: string): unknown => Reflect.get(owner, name);

// Modules

type MakeCipher<Config> = (config: Config) => object;
type Handle = (protocol: Protocol, payload: Buffer) => unknown;

/** The module of ciphers. ssh2 captures functions of Node and a limit when it loads. */
export const cryptoModule = () =>
  having<{ createCipher: MakeCipher<CipherConfig>; createDecipher: MakeCipher<unknown> }>(
    load('ssh2/lib/protocol/crypto.js'),
    'createCipher',
    'createDecipher',
  );

/** The limit of a packet in the text of the module of ciphers. */
export const PACKET_LIMIT = {
  file: '/ssh2/lib/protocol/crypto.js',
  text: 'const MAX_PACKET_SIZE = 35000;',
};

/** Handlers of messages by their number. */
export const messageHandlers = () =>
  having<Record<number, Handle>>(load('ssh2/lib/protocol/handlers.misc.js'));

interface KexModule {
  onKEXPayload(this: Protocol, state: { readonly firstPacket: boolean }, payload: Buffer): unknown;
  readonly HANDLERS: Record<number, Handle>;
  readonly KexInit: new (lists: object) => object;
}

export const kexModule = () =>
  having<KexModule>(load('ssh2/lib/protocol/kex.js'), 'onKEXPayload', 'HANDLERS', 'KexInit');

/** Names of key exchanges that ssh2 accepts in its options. */
export function supportedKex(): string[] {
  const names = member(load('ssh2/lib/protocol/constants.js'), 'SUPPORTED_KEX');
  if (!Array.isArray(names)) throw new Error('ssh2 has changed inside');
  return names;
}

/** Members of a host key that the key exchange uses. */
export type HostKey = Pick<ParsedKey, 'type' | 'getPublicSSH' | 'sign'>;

type MakeIncoming = new (
  socket: Duplex,
  hostKeys: Readonly<Record<string, HostKey>>,
  ident: Buffer,
  offer: object,
  debug: undefined,
  server: EventEmitter,
  config: object,
) => Connection;

export const incomingClient = () =>
  having<{ readonly IncomingClient: MakeIncoming }>(load('ssh2/lib/server.js'), 'IncomingClient')
    .IncomingClient;

/** Parser and generator of keys, without the rest of ssh2. */
export const keyParser = (): unknown => load('ssh2/lib/protocol/keyParser.js');
export const keyGenerator = (): unknown => load('ssh2/lib/keygen.js');

// Connections

const UTILS = 'ssh2/lib/protocol/utils.js';
/** Signs a request of a sign-in. */
export type SignRequest = (request: Buffer, done: (signature: Buffer) => void) => void;

/** Messages of a connection that ssh2 sends. A replaced method changes the next message. */
export interface Protocol {
  channelData(id: number, data: Buffer): void;
  channelExtData(id: number, data: Buffer, type: number): void;
  channelOpenFail(recipient: number, reason: number, description: string): void;
  channelWindowAdjust(id: number, amount: number): void;
  disconnect(reason: number): void;
  exitStatus(id: number, status: number): void;
  exec(id: number, ...rest: unknown[]): void;
  shell(id: number, ...rest: unknown[]): void;
  session(id: number, window: number, packetSize: number): void;
  /** Without `sign`, asks the server if it accepts the key. */
  authPK(
    username: string,
    key: {
      readonly type: string;
      getPublicSSH(): Buffer;
      sign?(data: Buffer): Buffer | Error;
    },
    algorithm: unknown,
    sign?: SignRequest,
  ): void;
  ping(): void;
}

/** The parser of the first lines, until ssh2 replaces it. */
export const greetingReaderOf = (protocol: Protocol) =>
  having<{
    _parse(chunk: Buffer, at: number, end: number): number;
    _buffer: Buffer | undefined;
  }>(protocol, '_parse', '_buffer');

/** Returns the protocol of a client or of a server's connection. */
export const protocolOf = (connection: object): Protocol =>
  having<Protocol>(
    member(connection, '_protocol'),
    'channelData',
    'channelExtData',
    'channelOpenFail',
    'channelWindowAdjust',
    'disconnect',
    'exitStatus',
    'session',
    'authPK',
    'ping',
  );

export const socketOf = (connection: object): Duplex =>
  having<Duplex>(member(connection, '_sock'), 'writableLength', 'pause', 'resume');

/** Sends a message that ssh2 has no method for; an urgent one also during a key exchange. */
export function sendMessage(protocol: Protocol, body: Buffer, isUrgent = false): void {
  const { write } = having<{
    readonly write: {
      readonly allocStart: number;
      readonly allocStartKEX: number;
      alloc(size: number, isUrgent: boolean): Buffer;
      finalize(packet: Buffer, isUrgent: boolean): Buffer;
    };
  }>(member(protocol, '_packetRW'), 'write');
  const packet = write.alloc(body.length, isUrgent);
  body.copy(packet, isUrgent ? write.allocStartKEX : write.allocStart);
  const { sendPacket }: Record<'sendPacket', (...parts: unknown[]) => void> = load(UTILS);
  sendPacket(protocol, write.finalize(packet, isUrgent), isUrgent);
}

/** Returns the session id of RFC 4253, which signatures of a sign-in cover. */
export function sessionIdOf(protocol: Protocol): Buffer {
  const { sessionID } = having<{ sessionID: unknown }>(member(protocol, '_kex'), 'sessionID');
  if (!Buffer.isBuffer(sessionID)) throw new Error('ssh2 has changed inside');
  return sessionID;
}

/** Tells ssh2 which method the next answer of a sign-in belongs to. */
export function expectAnswer(protocol: Protocol, method: string): void {
  const methods = member(protocol, '_authsQueue');
  if (!Array.isArray(methods)) throw new Error('ssh2 has changed inside');
  methods.push(method);
}

// Key exchanges

/** True during a key exchange: ssh2 keeps data in memory then. */
export const isExchangingKeys = (protocol: Protocol): boolean =>
  member(protocol, '_kexinit') !== undefined;

export const isServer = (protocol: Protocol): boolean => member(protocol, '_server') === true;

interface Offered {
  readonly lists: Record<'kex' | 'serverHostKey', { readonly array: readonly string[] }>;
}

/** Returns the algorithms that our side offers. */
export const ownOffer = (protocol: Protocol): Offered['lists'] => offerOf(protocol).lists;

/** Returns the offer, a `KexInit`. */
export const offerOf = (protocol: Protocol): Offered =>
  having<Offered>(member(protocol, '_offer'), 'lists');

/** Replaces the offer; `offer` is a `KexInit`. */
export const replaceOffer = (protocol: Protocol, offer: object): void => {
  ownOffer(protocol);
  Reflect.set(protocol, '_offer', offer);
};

/** Makes ssh2 ignore the next packet: a wrong guess of the peer. */
export const ignoreNextPacket = (protocol: Protocol, isIgnored: boolean): void =>
  void Reflect.set(protocol, '_skipNextInboundPacket', isIgnored);

/** Returns the current key exchange, or the last one. */
export const exchangeOf = (connection: object): unknown => member(protocolOf(connection), '_kex');

/** Overwrites the negotiated host key algorithm, which ssh2 writes into the next signature. */
export function nameHostKey(protocol: Protocol, name: string): void {
  const exchange = having<{ negotiated: object }>(member(protocol, '_kex'), 'negotiated');
  Reflect.set(having(exchange.negotiated), 'serverHostKey', name);
}

/** Members of ssh2's Curve25519 exchange that a hybrid exchange replaces. */
export interface CurveExchange {
  readonly negotiated: { kex: string };
  generateKeys(): void;
  getPublicKey(): Buffer;
  convertPublicKey(key: Buffer): Buffer;
  computeSecret(otherPublic: Buffer): Buffer | Error;
}

export const keyPairOf = (exchange: CurveExchange): unknown => member(exchange, '_keys');
export const setKeyPair = (exchange: CurveExchange, pair: unknown): void =>
  void Reflect.set(exchange, '_keys', pair);

/** Deletes the secrets of the last exchange. Only Curve25519 exchanges keep a key pair. */
export function deleteExchangeSecrets(connection: object): void {
  const exchange = exchangeOf(connection);
  if (!isObject(exchange)) return;
  if ('_keys' in exchange) Reflect.set(exchange, '_keys', null);
  // The function with which ssh2 ended the exchange keeps the shared secret.
  Reflect.deleteProperty(exchange, 'finish');
}

/** Moves the first line of the peer, which ssh2 keeps for later exchanges, to separate memory. */
export function moveIdentification(connection: object): void {
  const protocol = protocolOf(connection);
  const line = member(protocol, '_remoteIdentRaw');
  if (!Buffer.isBuffer(line)) throw new Error('ssh2 has changed inside');
  Reflect.set(
    protocol,
    '_remoteIdentRaw',
    withOwnMemory(() => Buffer.from(line)),
  );
}

/**
 * Changes the Curve25519 exchange that ssh2 creates during `run`, before its first message.
 * `offer` replaces the peer's KEXINIT in the hash of the exchange.
 */
export function changeExchange(
  protocol: Protocol,
  offer: Buffer,
  change: (exchange: CurveExchange) => void,
  run: () => unknown,
): unknown {
  let current = member(protocol, '_kex');
  const define = (how: PropertyDescriptor) =>
    Object.defineProperty(protocol, '_kex', { configurable: true, enumerable: true, ...how });
  define({
    get: () => current,
    set: (value: unknown) => {
      current = value;
      having<{ _keys: unknown; _remoteKexinit: Buffer }>(value, '_keys', '_remoteKexinit');
      const exchange = having<CurveExchange>(value, 'computeSecret', 'negotiated');
      Reflect.set(exchange, '_remoteKexinit', offer);
      change(exchange);
    },
  });
  try {
    return run();
  } finally {
    define({ writable: true, value: current });
  }
}

/** Fields with raw key bytes. Ciphers without them are created once per connection. */
const CIPHER_KEYS = [
  '_decipherKey',
  '_encKeyMain',
  '_encKeyPktLen',
  '_decKeyMain',
  '_decKeyPktLen',
];

type Decrypt = (chunk: Buffer, at: number, end: number) => unknown;

/** Changes the chunks of a decipher other than AES-GCM, which alone keeps none of their bytes. */
export function changeChunks(decipher: object, change: (chunk: Buffer) => Buffer): void {
  if (/-gcm$/.test(String(member(decipher, '_decipherSSLName')))) return;
  const { decrypt } = having<{ decrypt: Decrypt }>(decipher, 'decrypt');
  const changed: Decrypt = (chunk, ...rest) => decrypt.call(decipher, change(chunk), ...rest);
  Reflect.set(decipher, 'decrypt', changed);
}

/** Replaces the raw keys of a cipher. */
export function replaceCipherKeys(cipher: object, convert: (key: Buffer) => unknown): void {
  for (const name of CIPHER_KEYS) {
    const key = member(cipher, name);
    if (Buffer.isBuffer(key)) Reflect.set(cipher, name, convert(key));
  }
}
