import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { BadPdu, ByteReader, u16, u32 } from './byte-reader.ts';
import { md4, Rc4 } from './legacy-crypto.ts';

export interface WindowsAccount {
  readonly domain: string;
  readonly username: string;
  readonly password: string;
}

/** Random values and the time; tests pass those of the specification. */
export interface NtlmChoices {
  readonly clientChallenge: Buffer;
  readonly sessionKey: Buffer;
  /** FILETIME, used if the server sends no timestamp. */
  readonly timestamp: Buffer;
}

const SIGNATURE = Buffer.from('NTLMSSP\0', 'latin1');
/**
 * MS-NLMP 2.2.2.5: Unicode, target name, sign, seal, NTLM, always sign, extended session security,
 * target info, version, 128 and 56 bits, key exchange.
 */
const FLAGS = 0xe288_8235;
/** Flags that the server must confirm; without them the exchange is unprotected. */
const REQUIRED_FLAGS = 0x6008_0031;
const VERSION = Buffer.from([10, 0, 0, 0, 0, 0, 0, 15]);
/**
 * Length of the AUTHENTICATE_MESSAGE header with MIC, and the offset of the MIC (MS-NLMP 2.2.1.3).
 */
const AUTHENTICATE_HEADER = 88;
const MIC_AT = 72;
/** AV pair ids (MS-NLMP 2.2.2.1). */
const AV = { end: 0, flags: 6, timestamp: 7 } as const;
const MAX_AV_PAIRS = 64;

const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const md5 = (...parts: readonly (Buffer | string)[]) => {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const hmac = (key: Buffer, ...parts: readonly Buffer[]) =>
  createHmac('md5', key).update(Buffer.concat(parts)).digest();

/** Builds the NEGOTIATE_MESSAGE (MS-NLMP 2.2.1.1). */
export function negotiateMessage(): Buffer {
  return Buffer.concat([SIGNATURE, u32(1), u32(FLAGS), Buffer.alloc(16), VERSION]);
}

/** A parsed CHALLENGE_MESSAGE (MS-NLMP 2.2.1.2). */
export interface Challenge {
  readonly flags: number;
  readonly serverChallenge: Buffer;
  readonly pairs: readonly { readonly kind: number; readonly value: Buffer }[];
}

/** Parses a CHALLENGE_MESSAGE. @throws BadPdu */
export function readChallenge(message: Buffer): Challenge {
  const reader = new ByteReader(message);
  if (!reader.bytes(8).equals(SIGNATURE) || reader.u32() !== 2)
    throw new BadPdu('this is no NTLM challenge');
  reader.bytes(8);
  const flags = reader.u32();
  const serverChallenge = reader.bytes(8);
  reader.bytes(8);
  const length = reader.u16();
  reader.u16();
  const offset = reader.u32();
  if (((flags & REQUIRED_FLAGS) ^ REQUIRED_FLAGS) !== 0)
    throw new BadPdu('the server does not protect the sign-in');
  if (offset + length > message.length)
    throw new BadPdu('the target info lies outside of its message');
  const info = new ByteReader(message.subarray(offset, offset + length));
  const pairs: { kind: number; value: Buffer }[] = [];
  for (;;) {
    const kind = info.u16();
    const value = info.bytes(info.u16());
    if (kind === AV.end) break;
    if (pairs.push({ kind, value }) > MAX_AV_PAIRS)
      throw new BadPdu('the target info has too many entries');
  }
  return { flags, serverChallenge, pairs };
}

/** The key of an account (NTOWFv2, MS-NLMP 3.3.2). */
export function accountKey({ domain, username, password }: WindowsAccount): Buffer {
  return hmac(md4(utf16(password)), utf16(username.toUpperCase() + domain));
}

/** Answers a challenge; returns the message and the seal for further messages. */
export function authenticate(
  account: WindowsAccount,
  negotiate: Buffer,
  challengeMessage: Buffer,
  choices: NtlmChoices = {
    clientChallenge: randomBytes(8),
    sessionKey: randomBytes(16),
    timestamp: windowsTime(Date.now()),
  },
): { readonly message: Buffer; readonly seal: NtlmSeal } {
  const challenge = readChallenge(challengeMessage);
  const key = accountKey(account);
  const serverTime = challenge.pairs.find(
    ({ kind, value }) => kind === AV.timestamp && value.length === 8,
  )?.value;
  // A server with a timestamp verifies the MIC, and expects no LM response (MS-NLMP 3.1.5.1.2).
  const pairs = serverTime
    ? [
        ...challenge.pairs.filter(({ kind }) => kind !== AV.flags),
        { kind: AV.flags, value: u32(2) },
      ]
    : challenge.pairs;
  const info = Buffer.concat([
    ...pairs.flatMap(({ kind, value }) => [u16(kind), u16(value.length), value]),
    u32(AV.end),
  ]);
  const temp = Buffer.concat([
    Buffer.from([1, 1, 0, 0, 0, 0, 0, 0]),
    serverTime ?? choices.timestamp,
    choices.clientChallenge,
    u32(0),
    info,
    u32(0),
  ]);
  const { proof, baseKey } = prove(key, challenge.serverChallenge, temp);
  const lmResponse = serverTime
    ? Buffer.alloc(24)
    : Buffer.concat([
        hmac(key, challenge.serverChallenge, choices.clientChallenge),
        choices.clientChallenge,
      ]);
  const payload = [
    lmResponse,
    Buffer.concat([proof, temp]),
    utf16(account.domain),
    utf16(account.username),
    Buffer.alloc(0),
    new Rc4(baseKey).apply(choices.sessionKey),
  ];
  let offset = AUTHENTICATE_HEADER;
  const fields = payload.map((part) => {
    const field = Buffer.concat([u16(part.length), u16(part.length), u32(offset)]);
    offset += part.length;
    return field;
  });
  const message = Buffer.concat([
    SIGNATURE,
    u32(3),
    ...fields,
    u32(challenge.flags & FLAGS),
    VERSION,
    Buffer.alloc(16),
    ...payload,
  ]);
  if (serverTime)
    hmac(choices.sessionKey, negotiate, challengeMessage, message).copy(message, MIC_AT);
  return { message, seal: new NtlmSeal(choices.sessionKey) };
}

/** The proof of a key for one challenge, and the session base key (MS-NLMP 3.3.2). */
export function prove(
  key: Buffer,
  serverChallenge: Buffer,
  temp: Buffer,
): { readonly proof: Buffer; readonly baseKey: Buffer } {
  const proof = hmac(key, serverChallenge, temp);
  return { proof, baseKey: hmac(key, proof) };
}

/** FILETIME: units of 100 nanoseconds since 1601. */
export function windowsTime(milliseconds: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE((BigInt(milliseconds) + 11_644_473_600_000n) * 10_000n);
  return bytes;
}

/** Seals messages to the server and opens those of the server, both in order (MS-NLMP 3.4). */
export class NtlmSeal {
  readonly #out: Direction;
  readonly #in: Direction;

  constructor(sessionKey: Buffer) {
    this.#out = directionOf(sessionKey, 'client-to-server');
    this.#in = directionOf(sessionKey, 'server-to-client');
  }

  /** Encrypts a message; the signature comes first. */
  wrap(message: Buffer): Buffer {
    const sealed = this.#out.cipher.apply(message);
    return Buffer.concat([signatureOf(this.#out, message), sealed]);
  }

  /** Decrypts a message. @throws BadPdu if the signature is wrong */
  unwrap(sealed: Buffer): Buffer {
    if (sealed.length < 16) throw new BadPdu('a sealed message is too short');
    const message = this.#in.cipher.apply(sealed.subarray(16));
    if (!timingSafeEqual(signatureOf(this.#in, message), sealed.subarray(0, 16)))
      throw new BadPdu('a sealed message was not sealed by the server');
    return message;
  }
}

interface Direction {
  readonly cipher: Rc4;
  readonly signingKey: Buffer;
  sequence: number;
}

function directionOf(sessionKey: Buffer, name: 'client-to-server' | 'server-to-client'): Direction {
  return {
    cipher: new Rc4(md5(sessionKey, `session key to ${name} sealing key magic constant\0`)),
    signingKey: md5(sessionKey, `session key to ${name} signing key magic constant\0`),
    sequence: 0,
  };
}

function signatureOf(direction: Direction, message: Buffer): Buffer {
  const sequence = u32(direction.sequence++);
  const checksum = direction.cipher.apply(
    hmac(direction.signingKey, sequence, message).subarray(0, 8),
  );
  return Buffer.concat([u32(1), checksum, sequence]);
}
