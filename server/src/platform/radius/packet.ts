import { isUtf8 } from 'node:buffer';
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Packet codes (RFC 2865 §3). */
const ACCESS_REQUEST = 1;
const KINDS = { 2: 'accept', 3: 'reject', 11: 'challenge' } as const;
/** Attribute types (RFC 2865 §5, RFC 3579 §3.2). */
const ATTRIBUTE = {
  userName: 1,
  userPassword: 2,
  replyMessage: 18,
  state: 24,
  nasIdentifier: 32,
  nasPortType: 61,
  messageAuthenticator: 80,
} as const;
/** Port type of a network connection (RFC 2865 §5.41). */
const VIRTUAL_PORT = 5;

const HEADER = 20;
const BLOCK = 16;
const MAX_PACKET = 4096;
const MAX_VALUE = 253;
/** Maximum bytes of a password (RFC 2865 §5.2). */
export const MAX_PASSWORD = 128;

/** An encoded request with the values that authenticate its answer. */
export interface AccessRequest {
  readonly packet: Buffer;
  readonly identifier: number;
  readonly authenticator: Buffer;
}

/** An answer that was signed with the shared secret. */
export interface AccessAnswer {
  readonly kind: (typeof KINDS)[keyof typeof KINDS];
  /** Username at the server, if the answer contains one. */
  readonly username: string | undefined;
  /** Message of the server for the user. */
  readonly message: string;
  /** State of a challenge, which the answer to it must return. */
  readonly state: Buffer | undefined;
}

const md5 = (...parts: readonly (Buffer | string)[]) => {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

function attribute(kind: number, value: Buffer): Buffer {
  if (value.length > MAX_VALUE) throw new RangeError('a value is too long for RADIUS');
  return Buffer.concat([Buffer.from([kind, value.length + 2]), value]);
}

/** Hides a password with the shared secret (RFC 2865 §5.2). */
function hidden(password: Buffer, secret: string, authenticator: Buffer): Buffer {
  const padded = Buffer.alloc(Math.max(BLOCK, Math.ceil(password.length / BLOCK) * BLOCK));
  password.copy(padded);
  let before = authenticator;
  for (let at = 0; at < padded.length; at += BLOCK) {
    const key = md5(secret, before);
    for (let index = 0; index < BLOCK; index++)
      padded[at + index] = (padded[at + index] ?? 0) ^ (key[index] ?? 0);
    before = padded.subarray(at, at + BLOCK);
  }
  return padded;
}

/**
 * Encodes an Access-Request with a password (RFC 2865 §4.1). Message-Authenticator is its first
 * attribute, so an attacker on the network cannot use the request to forge an answer
 * (CVE-2024-3596).
 *
 * @throws RangeError if the name exceeds 253 bytes or the password 128
 */
export function accessRequest(
  username: string,
  password: string,
  { secret, identifier: client }: { secret: string; identifier: string },
  state?: Buffer,
): AccessRequest {
  const clear = Buffer.from(password);
  if (clear.length > MAX_PASSWORD) throw new RangeError('a password is too long for RADIUS');
  const authenticator = randomBytes(BLOCK);
  const identifier = randomBytes(1).readUInt8();
  const portType = Buffer.alloc(4);
  portType.writeUInt32BE(VIRTUAL_PORT);
  const attributes = Buffer.concat([
    attribute(ATTRIBUTE.messageAuthenticator, Buffer.alloc(BLOCK)),
    attribute(ATTRIBUTE.userName, Buffer.from(username)),
    attribute(ATTRIBUTE.userPassword, hidden(clear, secret, authenticator)),
    ...(state ? [attribute(ATTRIBUTE.state, state)] : []),
    attribute(ATTRIBUTE.nasIdentifier, Buffer.from(client)),
    attribute(ATTRIBUTE.nasPortType, portType),
  ]);
  const packet = Buffer.concat([
    Buffer.from([ACCESS_REQUEST, identifier, 0, 0]),
    authenticator,
    attributes,
  ]);
  packet.writeUInt16BE(packet.length, 2);
  createHmac('md5', secret)
    .update(packet)
    .digest()
    .copy(packet, HEADER + 2);
  return { packet, identifier, authenticator };
}

/**
 * Decodes an answer. Returns `undefined` for a packet that was not signed with the secret for this
 * request; callers ignore it. An answer without a Message-Authenticator can be forged and is
 * rejected (CVE-2024-3596).
 */
export function readAnswer(
  received: Buffer,
  { identifier, authenticator }: AccessRequest,
  secret: string,
): AccessAnswer | undefined {
  const read = readPacket(received, identifier);
  if (!read) return undefined;
  const { packet, kind, attributes } = read;
  // Check the HMAC over the whole packet first, then the older Response Authenticator.
  const signed = Buffer.concat([packet.subarray(0, 4), authenticator, packet.subarray(HEADER)]);
  const signatures = attributes.filter(({ kind: one }) => one === ATTRIBUTE.messageAuthenticator);
  const [signature] = signatures;
  if (!signature || signatures.length > 1 || signature.value.length !== BLOCK) return undefined;
  const place = HEADER + signature.at + 2;
  const expected = createHmac('md5', secret)
    .update(signed.subarray(0, place))
    .update(Buffer.alloc(BLOCK))
    .update(signed.subarray(place + BLOCK))
    .digest();
  if (!timingSafeEqual(expected, signature.value)) return undefined;
  if (!timingSafeEqual(md5(signed, secret), packet.subarray(4, HEADER))) return undefined;
  const textOf = (attributeKind: number) =>
    attributes
      .filter(({ kind: one }) => one === attributeKind)
      .map(({ value }) => value.toString());
  const states = attributes.filter(({ kind: one }) => one === ATTRIBUTE.state);
  // At most one State is allowed (RFC 2865 §5.24). Copied, so that the whole packet is not
  // retained.
  if (states.length > 1) return undefined;
  const state = states[0] && Buffer.from(states[0].value);
  return {
    kind,
    username: textOf(ATTRIBUTE.userName)[0],
    message: joined(
      attributes.flatMap(({ kind: one, value }) => (one === ATTRIBUTE.replyMessage ? [value] : [])),
    ),
    state,
  };
}

/**
 * Returns the kind of an answer to a request that lacks only the Message-Authenticator; undefined
 * for any other packet. It names a misconfigured server, and proves nothing.
 */
export function unsignedKind(
  received: Buffer,
  { identifier, authenticator }: AccessRequest,
  secret: string,
): AccessAnswer['kind'] | undefined {
  const read = readPacket(received, identifier);
  if (!read || read.attributes.some(({ kind }) => kind === ATTRIBUTE.messageAuthenticator))
    return undefined;
  const { packet, kind } = read;
  const signed = Buffer.concat([packet.subarray(0, 4), authenticator, packet.subarray(HEADER)]);
  return timingSafeEqual(md5(signed, secret), packet.subarray(4, HEADER)) ? kind : undefined;
}

/** Reads the parts of a well-formed answer to a request. */
function readPacket(received: Buffer, identifier: number) {
  if (received.length < HEADER || received.length > MAX_PACKET) return undefined;
  const length = received.readUInt16BE(2);
  if (length < HEADER || length > received.length || received.readUInt8(1) !== identifier)
    return undefined;
  const packet = received.subarray(0, length);
  const kind = KINDS[packet.readUInt8(0) as keyof typeof KINDS];
  const attributes = readAttributes(packet.subarray(HEADER));
  return kind && attributes ? { packet, kind, attributes } : undefined;
}

/** Maximum bytes of one attribute. */
const MOST_BYTES = 253;

/** Bytes of GB 2312 text: its characters have two high bytes. */
const GB_2312 = /^(?:[\0-\x7f]|[\xa1-\xf7][\xa1-\xfe])*$/;

/** Decodes a message. It should be UTF-8 (RFC 2865 §5.18); old servers send GBK or Latin 1. */
function decoded(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  const isChinese = GB_2312.test(bytes.toString('latin1'));
  return new TextDecoder(isChinese ? 'gb18030' : 'windows-1252').decode(bytes);
}

/** Joins messages by lines. A full attribute continues in the next one. */
function joined(messages: readonly Buffer[]): string {
  const lines = messages.flatMap((bytes, at) => {
    const continues = at < messages.length - 1 && bytes.length === MOST_BYTES;
    return continues ? [bytes] : [bytes, Buffer.from('\n')];
  });
  return decoded(Buffer.concat(lines)).trimEnd();
}

function readAttributes(
  bytes: Buffer,
): { readonly kind: number; readonly value: Buffer; readonly at: number }[] | undefined {
  const attributes = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at + 1] ?? 0;
    if (length < 2 || at + length > bytes.length) return undefined;
    attributes.push({ kind: bytes.readUInt8(at), value: bytes.subarray(at + 2, at + length), at });
    at += length;
  }
  return attributes;
}
