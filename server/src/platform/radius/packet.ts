import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Kinds of packets (RFC 2865 §3). */
const ACCESS_REQUEST = 1;
const KINDS = { 2: 'accept', 3: 'reject', 11: 'challenge' } as const;
/** Kinds of attributes (RFC 2865 §5, RFC 3579 §3.2). */
const ATTRIBUTE = {
  userName: 1,
  userPassword: 2,
  replyMessage: 18,
  state: 24,
  nasIdentifier: 32,
  nasPortType: 61,
  messageAuthenticator: 80,
} as const;
/** The way in is a network, not a line (RFC 2865 §5.41). */
const VIRTUAL_PORT = 5;

const HEADER = 20;
const BLOCK = 16;
const MAX_PACKET = 4096;
const MAX_VALUE = 253;
/** The longest password that the protocol carries (RFC 2865 §5.2). */
export const MAX_PASSWORD = 128;

/** A request as it is sent, and what its answer is checked with. */
export interface AccessRequest {
  readonly packet: Buffer;
  readonly identifier: number;
  readonly authenticator: Buffer;
}

/** An answer that the holder of the shared secret wrote. */
export interface AccessAnswer {
  readonly kind: (typeof KINDS)[keyof typeof KINDS];
  /** The name by which the server knows the person, where it says one. */
  readonly username: string | undefined;
  /** What the server wants the person to read. */
  readonly message: string;
  /** Of a challenge: what the server wants to see again with the answer to it. */
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
 * Makes an Access-Request with a password (RFC 2865 §4.1). It is signed with a Message-Authenticator, the first attribute, so that nobody on the way can use
 * the request to forge an answer (CVE-2024-3596).
 *
 * @throws RangeError when the name has more than 253 bytes or the password more than 128
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
 * Reads an answer. `undefined` for everything that the holder of the secret did not write for this request: such a packet is ignored, as if it had not come.
 * An answer without a Message-Authenticator is refused, because it can be forged (CVE-2024-3596).
 */
export function readAnswer(
  received: Buffer,
  { identifier, authenticator }: AccessRequest,
  secret: string,
): AccessAnswer | undefined {
  if (received.length < HEADER || received.length > MAX_PACKET) return undefined;
  const length = received.readUInt16BE(2);
  if (length < HEADER || length > received.length || received.readUInt8(1) !== identifier)
    return undefined;
  const packet = received.subarray(0, length);
  const kind = KINDS[packet.readUInt8(0) as keyof typeof KINDS];
  const attributes = readAttributes(packet.subarray(HEADER));
  if (!kind || !attributes) return undefined;
  // First what signs all of it with HMAC, then the older proof.
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
  const textOf = (wanted: number) =>
    attributes.filter(({ kind: one }) => one === wanted).map(({ value }) => value.toString());
  const states = attributes.filter(({ kind: one }) => one === ATTRIBUTE.state);
  // There may be one at the most (RFC 2865 §5.24); a copy, so that the whole packet is not kept.
  if (states.length > 1) return undefined;
  const state = states[0] && Buffer.from(states[0].value);
  return {
    kind,
    username: textOf(ATTRIBUTE.userName)[0],
    message: textOf(ATTRIBUTE.replyMessage).join(''),
    state,
  };
}

function readAttributes(
  bytes: Buffer,
): { readonly kind: number; readonly value: Buffer; readonly at: number }[] | undefined {
  const found = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at + 1] ?? 0;
    if (length < 2 || at + length > bytes.length) return undefined;
    found.push({ kind: bytes.readUInt8(at), value: bytes.subarray(at + 2, at + length), at });
    at += length;
  }
  return found;
}
