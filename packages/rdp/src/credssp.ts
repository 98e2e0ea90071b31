import { createHash, randomBytes, timingSafeEqual, X509Certificate } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { BadPdu } from './byte-reader.ts';
import { DER, der, derChild, derLength, readDer, readInteger } from './der.ts';
import { authenticate, type NtlmSeal, negotiateMessage, type WindowsAccount } from './ntlm.ts';

/**
 * Our version of CredSSP. Versions 5 and later bind the sign-in to the TLS connection by a hash
 * (MS-CSSP 3.1.5).
 */
const VERSION = 6;
const HASHED_SINCE = 5;
const MAX_MESSAGE = 64 * 1024;

/** The fields of a TSRequest that a server sends (MS-CSSP 2.2.1). */
export interface TsRequest {
  readonly version: number;
  readonly token?: Buffer;
  readonly pubKeyAuth?: Buffer;
  /** NTSTATUS of a rejected sign-in. */
  readonly errorCode?: number;
}

/** The server rejected the account. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
  /**
   * The NTSTATUS. Undefined if the server closed the connection instead, which is how servers
   * before version 3 reject an account.
   */
  readonly status: number | undefined;
  /** Version of CredSSP of the server. */
  readonly version: number;

  constructor({ errorCode, version }: Pick<TsRequest, 'errorCode' | 'version'>) {
    super('the server refused the account');
    this.status = errorCode;
    this.version = version;
  }
}

/** Parses a TSRequest. @throws BadPdu */
export function readTsRequest(bytes: Buffer): TsRequest {
  const fields = new Map<number, Buffer>();
  for (const { tag, content } of readDer(derChild(bytes, DER.sequence))) {
    if (fields.has(tag)) throw new BadPdu('a field of a TSRequest comes twice');
    fields.set(tag, content);
  }
  const field = (number: number, kind: number) => {
    const content = fields.get(DER.context(number));
    return content && derChild(content, kind);
  };
  const version = field(0, DER.integer);
  if (!version) throw new BadPdu('a TSRequest has no version');
  const tokens = field(1, DER.sequence);
  const pubKeyAuth = field(3, DER.octets);
  const error = field(4, DER.integer);
  return {
    version: readInteger(version),
    ...(tokens &&
      tokens.length > 0 && {
        token: derChild(derChild(derChild(tokens, DER.sequence), DER.context(0)), DER.octets),
      }),
    ...(pubKeyAuth && { pubKeyAuth }),
    ...(error && { errorCode: readInteger(error) }),
  };
}

/** Serializes a TSRequest. */
export function writeTsRequest(parts: {
  readonly token?: Buffer;
  readonly pubKeyAuth?: Buffer;
  readonly authInfo?: Buffer;
  readonly nonce?: Buffer;
}): Buffer {
  const { token, pubKeyAuth, authInfo, nonce } = parts;
  return der(
    DER.sequence,
    der(DER.context(0), der(DER.integer, Buffer.from([VERSION]))),
    ...(token
      ? [
          der(
            DER.context(1),
            der(DER.sequence, der(DER.sequence, der(DER.context(0), der(DER.octets, token)))),
          ),
        ]
      : []),
    ...(authInfo ? [der(DER.context(2), der(DER.octets, authInfo))] : []),
    ...(pubKeyAuth ? [der(DER.context(3), der(DER.octets, pubKeyAuth))] : []),
    ...(nonce ? [der(DER.context(5), der(DER.octets, nonce))] : []),
  );
}

/** The public key bits of a certificate, without the algorithm header. */
export function subjectPublicKey(certificate: Buffer): Buffer {
  const spki = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
  return derChild(derChild(spki, DER.sequence), DER.bitString).subarray(1);
}

/**
 * Values that prove that both ends share one TLS connection. We send `ours` and verify the server's
 * answer against `theirs`.
 */
function binding(
  version: number,
  key: Buffer,
  nonce: Buffer,
): { readonly ours: Buffer; readonly theirs: Buffer } {
  if (version >= HASHED_SINCE) {
    const hash = (direction: string) =>
      createHash('sha256')
        .update(`CredSSP ${direction} Binding Hash\0`)
        .update(nonce)
        .update(key)
        .digest();
    return { ours: hash('Client-To-Server'), theirs: hash('Server-To-Client') };
  }
  const theirs = Buffer.from(key);
  theirs.writeUInt8((theirs.readUInt8(0) + 1) & 255, 0);
  return { ours: key, theirs };
}

const utf16 = (text: string) => Buffer.from(text, 'utf16le');

/**
 * The TSCredentials, sent only after the server has proved that it knows the password (MS-CSSP
 * 2.2.1.2).
 */
function credentials({ domain, username, password }: WindowsAccount): Buffer {
  const passwordCredentials = der(
    DER.sequence,
    ...[domain, username, password].map((text, number) =>
      der(DER.context(number), der(DER.octets, utf16(text))),
    ),
  );
  return der(
    DER.sequence,
    der(DER.context(0), der(DER.integer, Buffer.from([1]))),
    der(DER.context(1), der(DER.octets, passwordCredentials)),
  );
}

/**
 * Signs in with network level authentication over TLS with a verified certificate (MS-CSSP 3.1.5,
 * NTLMv2 without SPNEGO). The server receives the password only after proving that it knows it.
 *
 * @throws SignInRefused if the server rejects the account
 * @throws BadPdu if the server violates the protocol
 */
export async function signInByCredssp(
  stream: Duplex,
  certificate: Buffer,
  account: WindowsAccount,
  signal: AbortSignal,
): Promise<void> {
  const messages = new MessageReader(stream, signal);
  try {
    const negotiate = negotiateMessage();
    stream.write(writeTsRequest({ token: negotiate }));
    const first = await messages.next();
    if (!first) throw new BadPdu('the server closed the connection instead of a challenge');
    if (first.errorCode !== undefined) throw new SignInRefused(first);
    if (!first.token || first.version < 2) throw new BadPdu('the server sent no challenge');
    const { message, seal } = authenticate(account, negotiate, first.token);
    const nonce = randomBytes(32);
    const { ours, theirs } = binding(first.version, subjectPublicKey(certificate), nonce);
    const isHashed = first.version >= HASHED_SINCE;
    stream.write(
      writeTsRequest({ token: message, pubKeyAuth: seal.wrap(ours), ...(isHashed && { nonce }) }),
    );
    const second = await messages.next();
    if (!second) throw new SignInRefused({ version: first.version });
    if (second.errorCode !== undefined) throw new SignInRefused(second);
    if (!second.pubKeyAuth) throw new BadPdu('the server did not prove who it is');
    checkProof(seal, second.pubKeyAuth, theirs);
    stream.write(writeTsRequest({ authInfo: seal.wrap(credentials(account)) }));
  } finally {
    messages.stop();
  }
}

function checkProof(seal: NtlmSeal, sealed: Buffer, expected: Buffer): void {
  const proof = seal.unwrap(sealed);
  if (proof.length !== expected.length || !timingSafeEqual(proof, expected))
    throw new BadPdu('the sign-in was made over another connection');
}

/** Reads the sign-in's messages one by one; later bytes stay in the stream. */
class MessageReader {
  readonly #stream: Duplex;
  readonly #signal: AbortSignal;
  #wake: () => void = () => undefined;
  #isOver = false;
  #held = Buffer.alloc(0);
  readonly #onReadable = () => this.#wake();
  readonly #onOver = () => {
    this.#isOver = true;
    this.#wake();
  };

  constructor(stream: Duplex, signal: AbortSignal) {
    this.#stream = stream;
    this.#signal = signal;
    stream.on('readable', this.#onReadable);
    stream.on('end', this.#onOver);
    stream.on('close', this.#onOver);
    stream.on('error', this.#onOver);
    signal.addEventListener('abort', this.#onOver);
  }

  /** Returns the next message; undefined if the server closed the connection. @throws BadPdu */
  async next(): Promise<TsRequest | undefined> {
    for (;;) {
      this.#signal.throwIfAborted();
      const chunk: Buffer | null = this.#stream.read();
      if (chunk) this.#held = Buffer.concat([this.#held, chunk]);
      const length = derLength(this.#held, MAX_MESSAGE);
      if (length !== undefined && this.#held.length >= length) {
        const message = this.#held.subarray(0, length);
        this.#held = this.#held.subarray(length);
        return readTsRequest(message);
      }
      if (this.#held.length > MAX_MESSAGE) throw new BadPdu('a message of the sign-in is too long');
      if (chunk) continue;
      if (this.#isOver) return undefined;
      await new Promise<void>((done) => {
        this.#wake = done;
      });
    }
  }

  stop(): void {
    const stream = this.#stream;
    stream.off('readable', this.#onReadable);
    stream.off('end', this.#onOver);
    stream.off('close', this.#onOver);
    stream.off('error', this.#onOver);
    this.#signal.removeEventListener('abort', this.#onOver);
    if (this.#held.length > 0) stream.unshift(this.#held);
  }
}
