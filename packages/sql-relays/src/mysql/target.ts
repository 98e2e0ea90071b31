import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Duplex } from 'node:stream';
import {
  BodyReader,
  ByteReader,
  PlainPassword,
  ProtocolViolation,
  UnknownSignIn,
} from '../byte-reader.ts';
import { beginTls, type TargetTls } from '../target-tls.ts';
import { ED25519, signEd25519 } from './ed25519.ts';
import { readGreeting, responseHead } from './greeting.ts';
import { CAPABILITY, COMMAND, packet, RELAYED, readErrorPacket, readOkPacket } from './packets.ts';

export const NATIVE = 'mysql_native_password';
export const CACHING_SHA2 = 'caching_sha2_password';
/** These send the password itself; allowed over TLS only. */
const CLEAR: readonly string[] = ['mysql_clear_password', 'sha256_password'];

const NONCE_BYTES = 20;

const hash = (name: string, ...parts: readonly Buffer[]): Buffer => {
  const digest = createHash(name);
  for (const part of parts) digest.update(part);
  return digest.digest();
};
const xor = (one: Buffer, other: Buffer): Buffer =>
  Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)));

/** Creates a challenge. It must not contain zero bytes. */
export function makeNonce(): Buffer {
  return Buffer.from(randomBytes(NONCE_BYTES).map((byte) => 33 + (byte % 94)));
}

/** The client's answer to a challenge; empty for an empty password. */
export function scramble(
  plugin: typeof NATIVE | typeof CACHING_SHA2,
  password: string,
  nonce: Buffer,
): Buffer {
  if (password === '') return Buffer.alloc(0);
  const name = plugin === NATIVE ? 'sha1' : 'sha256';
  const once = hash(name, Buffer.from(password));
  const twice = hash(name, once);
  return xor(once, plugin === NATIVE ? hash(name, nonce, twice) : hash(name, twice, nonce));
}

/** Verifies an answer against the double hash of the password. */
export function isProved(
  plugin: typeof NATIVE | typeof CACHING_SHA2,
  answer: Buffer,
  nonce: Buffer,
  twice: Buffer,
): boolean {
  const name = plugin === NATIVE ? 'sha1' : 'sha256';
  if (answer.length !== twice.length) return false;
  // The protocol hashes the nonce first for SHA-1 and last for SHA-256. sqlx hashes it first for
  // both, which proves the same.
  const masks = [
    hash(name, nonce, twice),
    ...(plugin === NATIVE ? [] : [hash(name, twice, nonce)]),
  ];
  return masks.map((mask) => timingSafeEqual(hash(name, xor(answer, mask)), twice)).includes(true);
}

const MAX_SIGN_IN_PACKET = 64 * 1024;
const MAX_STEPS = 10;
/** Lengths of challenges, in bytes. */
const NONCE = 20;
const ED25519_NONCE = 32;
/**
 * Results in AuthMoreData of caching_sha2_password: cached password accepted, or full password
 * required.
 */
const FAST = 3;
const FULL = 4;

export interface MysqlSignIn {
  readonly username: string;
  readonly password: string;
  readonly tls: TargetTls | undefined;
  readonly database: string;
  /** Capability flags of the client. */
  readonly capabilities: number;
}

/** A server session that is ready for the first command. */
export interface MysqlTarget {
  readonly stream: Duplex;
  readonly connectionId: number;
  /** Status flags of its OK packet. */
  readonly status: number;
}

/** The server refused the sign-in or a statement. */
export class MysqlRefused extends Error {
  override readonly name = 'MysqlRefused';
  readonly answer: { readonly code: number; readonly message: string };

  constructor(answer: { readonly code: number; readonly message: string }) {
    super('the server refused the sign-in');
    this.answer = answer;
  }
}

/** Reads one packet of the handshake. @throws ProtocolViolation, StreamEnded */
export async function readPacket(
  reader: ByteReader,
  signal: AbortSignal,
  maxLength = MAX_SIGN_IN_PACKET,
): Promise<{ readonly sequence: number; readonly payload: Buffer }> {
  const header = await reader.read(4, signal);
  const length = header.readUIntLE(0, 3);
  if (length === 0 || length > maxLength)
    throw new ProtocolViolation('a packet of the sign-in has a wrong length');
  return { sequence: header.readUInt8(3), payload: await reader.read(length, signal) };
}

/**
 * Signs in over a new connection.
 * @throws MysqlRefused, ProtocolViolation, StreamEnded, the TLS error, or the reason of the signal
 */
export async function signInAtMysql(
  transport: Duplex,
  signIn: MysqlSignIn,
  signal: AbortSignal,
): Promise<MysqlTarget> {
  const { username, password, tls, database } = signIn;
  let stream = transport;
  let reader = new ByteReader(stream);
  const first = await readPacket(reader, signal);
  if (first.payload[0] === 0xff) throw new MysqlRefused(readErrorPacket(first.payload));
  const server = readGreeting(first.payload);
  const capabilities =
    (signIn.capabilities & RELAYED) |
    CAPABILITY.protocol41 |
    CAPABILITY.secureConnection |
    // Sphinx 2.2.11 offers no plugins. Such a server means the native one.
    (server.capabilities & CAPABILITY.pluginAuth) |
    (database ? CAPABILITY.connectWithDatabase : 0) |
    (tls ? CAPABILITY.tls : 0);
  // Without these, our relay would parse replies differently from the client.
  const needed = CAPABILITY.protocol41 | CAPABILITY.secureConnection | (tls ? CAPABILITY.tls : 0);
  if ((server.capabilities & needed) !== needed)
    throw new ProtocolViolation(tls ? 'the server has no TLS' : 'the server is too old');
  let sequence = first.sequence + 1;
  if (tls) {
    reader.detachEmpty();
    stream.write(packet(sequence++, responseHead(capabilities)));
    stream = await beginTls(stream, tls, signal);
    reader = new ByteReader(stream);
  }
  const scrambleOf = (name: string) =>
    name === NATIVE || name === CACHING_SHA2 ? name : undefined;
  let plugin: string = scrambleOf(server.plugin) ?? NATIVE;
  let nonce = server.nonce;
  const answerOf = (name: string): Buffer => {
    const scrambleName = scrambleOf(name);
    if (scrambleName) return scramble(scrambleName, password, nonce);
    if (name === ED25519) return signEd25519(password, nonce);
    if (!CLEAR.includes(name)) throw new UnknownSignIn();
    if (!tls) throw new PlainPassword();
    return Buffer.from(`${password}\0`);
  };
  const answer = answerOf(plugin);
  stream.write(
    packet(
      sequence,
      responseHead(capabilities),
      Buffer.from(`${username}\0`),
      Buffer.from([answer.length]),
      answer,
      Buffer.from(database ? `${database}\0` : ''),
      Buffer.from((capabilities & CAPABILITY.pluginAuth) === 0 ? '' : `${plugin}\0`),
    ),
  );
  for (let step = 0; step < MAX_STEPS; step++) {
    const next = await readPacket(reader, signal);
    const [kind] = next.payload;
    if (kind === 0xff) throw new MysqlRefused(readErrorPacket(next.payload));
    if (kind === 0) {
      reader.detachEmpty();
      return {
        stream,
        connectionId: server.connectionId,
        status: readOkPacket(next.payload).status,
      };
    }
    if (kind === 0xfe) {
      // A request without a name asks for a hash of MySQL before 4.1, which is as good as none.
      if (next.payload.length === 1) throw new UnknownSignIn();
      const request = new BodyReader(next.payload.subarray(1));
      plugin = request.text();
      nonce = Buffer.from(request.rest().subarray(0, plugin === ED25519 ? ED25519_NONCE : NONCE));
      stream.write(packet(next.sequence + 1, answerOf(plugin)));
    } else if (kind === 1 && plugin === CACHING_SHA2 && next.payload[1] === FULL) {
      // Without TLS the server's public key is unverified: a man in the middle could have sent it.
      if (!tls) throw new PlainPassword();
      stream.write(packet(next.sequence + 1, Buffer.from(`${password}\0`)));
    } else if (kind !== 1 || plugin !== CACHING_SHA2 || next.payload[1] !== FAST)
      throw new ProtocolViolation('an unknown step of the sign-in');
  }
  throw new ProtocolViolation('the sign-in has too many steps');
}

/** Runs a statement without rows. @throws MysqlRefused */
export async function runAtMysql(
  { stream }: MysqlTarget,
  statement: string,
  signal: AbortSignal,
): Promise<void> {
  const reader = new ByteReader(stream);
  stream.write(packet(0, Buffer.from([COMMAND.query]), Buffer.from(statement)));
  const { payload } = await readPacket(reader, signal);
  reader.detachEmpty();
  if (payload[0] === 0xff) throw new MysqlRefused(readErrorPacket(payload));
}
