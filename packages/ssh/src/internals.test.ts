import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  awaitWindow,
  channelWithId,
  handlersOf,
  incomingOf,
  isClosedByServer,
  outgoingOf,
  protocolOfChannel,
  startedSession,
} from './channel-internals.ts';
import { loadCiphers } from './ciphers.ts';
import { GcmCipher } from './gcm-cipher.ts';
import {
  type CurveExchange,
  changeChunks,
  cryptoModule,
  exchangeOf,
  greetingReaderOf,
  incomingClient,
  isExchangingKeys,
  isServer,
  kexModule,
  keyGenerator,
  keyPairOf,
  keyParser,
  messageHandlers,
  moveIdentification,
  ownOffer,
  PACKET_LIMIT,
  protocolOf,
  replaceCipherKeys,
  replaceOffer,
  sessionIdOf,
  socketOf,
  supportedKex,
} from './internals.ts';
import { KEXINIT } from './key-exchange.ts';
import type { ClientChannel, ServerChannel } from './ssh2.ts';
import { connectPair, type Pair } from './testing/connect-pair.ts';
import { sendBanner } from './texts.ts';

const require = createRequire(import.meta.url);
const [CHANNEL_OPEN, CHANNEL_OPEN_CONFIRMATION, CHANNEL_REQUEST] = [90, 91, 98] as const;

interface CipherInfo {
  readonly sslName: string;
  readonly keyLen: number;
  readonly ivLen: number;
}

let pair: Pair;
let channel: ClientChannel;
let serverChannel: ServerChannel;
beforeAll(async () => {
  pair = await connectPair(() => undefined);
  channel = await new Promise((done, failed) =>
    pair.client.shell((error, shell) => (error ? failed(error) : done(shell))),
  );
  serverChannel = await pair.shell;
});
afterAll(() => pair.close());

const isFunction = expect.any(Function);

// Modules

it('finds the ciphers of crypto.js and its limit of a packet', () => {
  expect(cryptoModule()).toMatchObject({ createCipher: isFunction, createDecipher: isFunction });
  const [, name = ''] = PACKET_LIMIT.file.split('/ssh2/');
  const text = readFileSync(require.resolve(`ssh2/${name}`), 'utf8');
  expect(text.split(PACKET_LIMIT.text)).toHaveLength(2);
});

it('finds the handlers of channel requests and new channels in handlers.misc.js', () => {
  for (const type of [CHANNEL_REQUEST, CHANNEL_OPEN, CHANNEL_OPEN_CONFIRMATION])
    expect(messageHandlers()[type]).toEqual(isFunction);
});

it('finds the handlers and the offer of kex.js', () => {
  const { onKEXPayload, HANDLERS, KexInit } = kexModule();
  expect([onKEXPayload, HANDLERS[KEXINIT], KexInit]).toEqual([isFunction, isFunction, isFunction]);
});

it('finds setDHParams, generateKeys, _dh and _public of a group exchange in kex.js', () => {
  const text = readFileSync(require.resolve('ssh2/lib/protocol/kex.js'), 'utf8');
  for (const part of [
    'this.setDHParams(prime, gen);\n          this.generateKeys();',
    'this._dh = createDiffieHellman(this._prime, this._generator);',
    'this._public = this._dh.generateKeys();',
    "this.type = 'groupex';",
  ])
    expect(text).toContain(part);
});

it('finds the names of key exchanges in constants.js', () => {
  expect(supportedKex()).toContain('curve25519-sha256');
});

it('finds the server side of a connection in server.js', () => {
  expect(pair.connection).toBeInstanceOf(incomingClient());
});

it('finds the parser of keys in keyParser.js and their generator in keygen.js', () => {
  loadCiphers();
  expect(keyParser()).toMatchObject({ parseKey: isFunction });
  expect(keyGenerator()).toMatchObject({ generateKeyPairSync: isFunction });
});

// Connections

it('finds the methods of _protocol on both sides', () => {
  expect(isServer(protocolOf(pair.client))).toBe(false);
  expect(isServer(protocolOf(pair.connection))).toBe(true);
});

it('finds the handler of disconnects in _handlers and the _channels of _chanMgr', () => {
  expect(handlersOf(protocolOf(pair.client)).DISCONNECT).toEqual(isFunction);
  expect(channelWithId(pair.client, outgoingOf(channel).id)).toBe(channel);
  expect(channelWithId(pair.client, 999)).toBeUndefined();
  expect(isClosedByServer(channel)).toBe(false);
});

it('finds the handler of requests in _handlers and the _channel of a session', () => {
  const channels: { readonly _channels: object } = Reflect.get(pair.connection, '_chanMgr');
  const [number] = Object.keys(channels._channels);
  expect(handlersOf(protocolOf(pair.connection)).CHANNEL_REQUEST).toEqual(isFunction);
  expect(startedSession(pair.connection, Number(number))).toMatchObject({
    id: incomingOf(channel).id,
    isOpen: true,
  });
  expect(startedSession(pair.connection, 999)).toBeUndefined();
});

it('finds the socket in _sock', () => {
  expect(socketOf(pair.connection).writable).toBe(true);
});

it('finds the parser of the greeting in _parse and its memory in _buffer', () => {
  expect(greetingReaderOf(protocolOf(pair.client))).toMatchObject({
    _parse: isFunction,
    _buffer: undefined,
  });
});

it('tells both sides apart by _server', () => {
  expect(Reflect.get(protocolOf(pair.client), '_server')).toBe(false);
  expect(Reflect.get(protocolOf(pair.connection), '_server')).toBe(true);
});

it('finds AES-GCM in _decipherSSLName and the chunks of other deciphers', () => {
  const change = (chunk: Buffer) => chunk.subarray(1);
  const decipherOf = (_decipherSSLName: string) => ({
    _decipherSSLName,
    decrypt: (chunk: Buffer) => String(chunk),
  });
  const [gcm, other] = [decipherOf('aes-128-gcm'), decipherOf('aes-128-ctr')];
  for (const decipher of [gcm, other]) changeChunks(decipher, change);
  expect([gcm.decrypt(Buffer.from('abc')), other.decrypt(Buffer.from('abc'))]).toEqual([
    'abc',
    'bc',
  ]);
  const current: unknown = Reflect.get(protocolOf(pair.client), '_decipher');
  expect(current).toMatchObject({ _decipherSSLName: 'aes-128-gcm', decrypt: isFunction });
  expect(Reflect.get(protocolOf(pair.client), '_cipher')).toBeInstanceOf(GcmCipher);
});

it('sends a message through _packetRW and sendPacket of utils.js', async () => {
  const banner = once(pair.client, 'banner');
  sendBanner(pair.connection, 'a text');
  expect((await banner)[0]).toBe('a text\r\n');
});

it('finds the session id in _kex and the methods of a sign-in in _authsQueue', () => {
  expect(sessionIdOf(protocolOf(pair.client))).toHaveLength(32);
  expect(Reflect.get(protocolOf(pair.client), '_authsQueue')).toEqual([]);
});

// Key exchanges

it('finds the offer of each side in _offer and replaces it', () => {
  const protocol = protocolOf(pair.connection);
  const before = Reflect.get(protocol, '_offer');
  expect(ownOffer(protocol).serverHostKey.array).toContain('ssh-ed25519');
  const own = {
    kex: ['curve25519-sha256'],
    serverHostKey: ['ssh-ed25519'],
    cs: { cipher: [], mac: [], compress: [], lang: [] },
    sc: { cipher: [], mac: [], compress: [], lang: [] },
  };
  replaceOffer(protocol, new (kexModule().KexInit)(own));
  expect(ownOffer(protocol).kex.array).toEqual(['curve25519-sha256']);
  replaceOffer(protocol, before);
});

it('sees a key exchange in _kexinit', async () => {
  const protocol = protocolOf(pair.connection);
  expect([Reflect.has(protocol, '_kexinit'), isExchangingKeys(protocol)]).toEqual([true, false]);
  const done = new Promise<void>((settle) => pair.connection.rekey(() => settle()));
  expect(isExchangingKeys(protocol)).toBe(true);
  await done;
  expect(isExchangingKeys(protocol)).toBe(false);
});

it('finds the flag of a wrong guess in _skipNextInboundPacket', () => {
  expect(Reflect.get(protocolOf(pair.connection), '_skipNextInboundPacket')).toBe(false);
});

it('finds the names, the key pair and the offer of a Curve25519 exchange in _kex', () => {
  const exchange = exchangeOf(pair.client) as CurveExchange;
  expect(exchange.negotiated).toMatchObject({
    kex: expect.stringContaining('curve25519'),
    serverHostKey: 'ssh-ed25519',
  });
  expect(keyPairOf(exchange)).toMatchObject({ privateKey: expect.anything() });
  const fields = ['_keys', '_remoteKexinit'];
  const methods = ['generateKeys', 'getPublicKey', 'convertPublicKey', 'computeSecret'];
  expect([...fields, ...methods].filter((name) => !Reflect.has(exchange, name))).toEqual([]);
});

it.each([
  ['aes128-gcm@openssh.com', ['_decipherKey']],
  [
    'chacha20-poly1305@openssh.com',
    ['_encKeyMain', '_encKeyPktLen', '_decKeyMain', '_decKeyPktLen'],
  ],
])('finds the raw keys of %s in %j', async (name, fields) => {
  loadCiphers();
  const { init, CIPHER_INFO } = require('ssh2/lib/protocol/crypto.js') as {
    readonly init: Promise<void>;
    readonly CIPHER_INFO: Record<string, CipherInfo>;
  };
  await init;
  const info = CIPHER_INFO[name];
  if (!info) throw new Error(`ssh2 does not know ${name}`);
  const [key, iv] = [Buffer.alloc(info.keyLen, 1), Buffer.alloc(info.ivLen)];
  const seqno = 0;
  const ignore = () => undefined;
  const cipher = cryptoModule().createCipher({
    outbound: { seqno, cipherInfo: info, cipherKey: key, cipherIV: iv, onWrite: ignore },
  });
  const decipher = cryptoModule().createDecipher({
    inbound: { seqno, decipherInfo: info, decipherKey: key, decipherIV: iv, onPayload: ignore },
  });
  const converted: unknown[] = [];
  for (const side of [cipher, decipher]) {
    for (const field of fields) {
      // Key objects have replaced the raw keys if ssh2 was loaded before.
      if (Reflect.has(side, field)) Reflect.set(side, field, Buffer.alloc(4, converted.length));
    }
    replaceCipherKeys(side, (raw) => converted.push(raw));
  }
  expect(converted).toHaveLength(fields.length);
});

it('finds the end of an exchange in finish, and the first line of the peer in _remoteIdentRaw', () => {
  expect(Reflect.has(exchangeOf(pair.client) as object, 'finish')).toBe(true);
  const before: unknown = Reflect.get(protocolOf(pair.client), '_remoteIdentRaw');
  moveIdentification(pair.client);
  const line: unknown = Reflect.get(protocolOf(pair.client), '_remoteIdentRaw');
  expect(line).toEqual(before);
  expect((line as Buffer).buffer.byteLength).toBe((line as Buffer).length);
});

// Channels

it('finds both directions of a channel in incoming and outgoing', () => {
  expect(incomingOf(channel)).toMatchObject({ state: 'open', window: expect.any(Number) });
  expect(outgoingOf(channel)).toMatchObject({ id: incomingOf(serverChannel).id });
});

it('finds the connection of a channel in _client', () => {
  expect(protocolOfChannel(serverChannel)).toBe(protocolOf(pair.connection));
});

it('calls back through _waitWindow and _chunkcb when the peer enlarges its window', async () => {
  const called = new Promise<void>((done) => awaitWindow(serverChannel, done));
  protocolOf(pair.client).channelWindowAdjust(outgoingOf(channel).id, 1000);
  await called;
});

it('finds the keep-alive of a client in _resetKA, and its packets in _onPacket', () => {
  expect(Reflect.get(pair.client, '_resetKA')).toEqual(isFunction);
  expect(Reflect.get(protocolOf(pair.client), '_onPacket')).toEqual(isFunction);
});

// This file

it('checks every private name of these files, and no other file uses one', () => {
  const text = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8');
  const PRIVATE = /'(_\w+)'|ssh2\/lib\/(?:protocol\/)?([\w.]+\.js)/g;
  const namesIn = (file: string) =>
    [...text(file).matchAll(PRIVATE)].map(([, field, module]) => field ?? module ?? '');
  const checks = text('internals.test.ts').split('// This file')[0] ?? '';
  const names = ['internals.ts', 'channel-internals.ts', 'group-internals.ts'].flatMap(namesIn);
  expect(names.filter((name) => !checks.includes(name))).toEqual([]);
  const others = readdirSync(import.meta.dirname).filter(
    (file) => file.endsWith('.ts') && !/internals\.|^shared-reads\.|\.test\.ts$/.test(file),
  );
  const stream = '_readableState';
  expect(others.flatMap(namesIn).filter((name) => name !== stream)).toEqual([]);
});
