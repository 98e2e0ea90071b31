import {
  createHash,
  createHmac,
  pbkdf2,
  pbkdf2Sync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { promisify } from 'node:util';
import { ProtocolViolation } from '../byte-reader.ts';

/** SCRAM-SHA-256 (RFC 5802 and 7677), both sides. */
export const MECHANISM = 'SCRAM-SHA-256';
/**
 * SCRAM-SHA-256 with channel binding: the client also proves which certificate it sees (RFC 5929,
 * tls-server-end-point).
 */
export const BOUND_MECHANISM = 'SCRAM-SHA-256-PLUS';
const BOUND_HEADER = 'p=tls-server-end-point,,';

const derive = promisify(pbkdf2);
const KEY_BYTES = 32;
const NONCE_BYTES = 18;
const OWN_ITERATIONS = 4096;
/** Limit of the server's iteration count: half a second of work in another thread. */
const MAX_ITERATIONS = 1_000_000;
const MAX_TEXT = 1024;

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
const xor = (one: Buffer, other: Buffer): Buffer =>
  Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)));

/** The data that a server stores for a password. */
export interface ScramVerifier {
  readonly salt: Buffer;
  readonly iterations: number;
  readonly storedKey: Buffer;
  readonly serverKey: Buffer;
}

/** The verifier of a generated password. Few iterations suffice, because it is random. */
export function verifierOf(password: string, salt: Buffer = randomBytes(16)): ScramVerifier {
  const salted = pbkdf2Sync(password, salt, OWN_ITERATIONS, KEY_BYTES, 'sha256');
  return {
    salt,
    iterations: OWN_ITERATIONS,
    storedKey: sha256(hmac(salted, 'Client Key')),
    serverKey: hmac(salted, 'Server Key'),
  };
}

/** Parses the attributes of a message such as `r=…,s=…,i=…`. */
function attributesOf(text: string): ReadonlyMap<string, string> {
  if (text.length > MAX_TEXT) throw new ProtocolViolation('a SCRAM message is too long');
  return new Map(text.split(',').map((part) => [part.slice(0, 1), part.slice(2)]));
}

/** The server's side of one exchange. @throws ProtocolViolation */
export class ScramServer {
  private readonly verifier: ScramVerifier;
  private readonly binding: Buffer | undefined;
  private readonly isBound: boolean;
  private exchange:
    | {
        readonly bare: string;
        readonly first: string;
        readonly nonce: string;
        readonly bound: Buffer;
      }
    | undefined;

  /**
   * `binding` is the certificate hash, if channel binding was offered; `isBound` is true if the
   * client chose it.
   */
  constructor(verifier: ScramVerifier, binding?: Buffer, isBound = false) {
    this.verifier = verifier;
    this.binding = binding;
    this.isBound = isBound;
  }

  /** Takes the client's first message; returns the server's. */
  first(text: string): string {
    const header = /^(n,[^,]*,|y,[^,]*,|p=[a-z-]+,[^,]*,)/.exec(text)?.[1];
    // `y` means that the client supports channel binding but saw no offer: a man in the middle
    // removed it.
    const isStripped = header?.startsWith('y') && this.binding !== undefined;
    const isAsChosen = this.isBound
      ? header === BOUND_HEADER
      : header !== undefined && !header.startsWith('p');
    if (header === undefined || !isAsChosen || isStripped || text.length > MAX_TEXT)
      throw new ProtocolViolation('not a first message of SCRAM');
    const bare = text.slice(header.length);
    const clientNonce = attributesOf(bare).get('r');
    if (!clientNonce) throw new ProtocolViolation('a SCRAM message without a nonce');
    const nonce = clientNonce + randomBytes(NONCE_BYTES).toString('base64');
    const first = `r=${nonce},s=${this.verifier.salt.toString('base64')},i=${this.verifier.iterations}`;
    const bound = Buffer.concat([
      Buffer.from(header),
      ...(this.isBound && this.binding ? [this.binding] : []),
    ]);
    this.exchange = { bare, first, nonce, bound };
    return first;
  }

  /** Verifies the client's proof and returns the server's; undefined for a wrong password. */
  last(text: string): string | undefined {
    const { exchange, verifier } = this;
    const [, withoutProof, proofText] = /^(.*),p=([A-Za-z0-9+/=]+)$/s.exec(text) ?? [];
    if (!exchange || withoutProof === undefined || proofText === undefined)
      throw new ProtocolViolation('not a last message of SCRAM');
    const attributes = attributesOf(withoutProof);
    const proof = Buffer.from(proofText, 'base64');
    const isOurs =
      attributes.get('r') === exchange.nonce &&
      attributes.get('c') === exchange.bound.toString('base64');
    if (!isOurs || proof.length !== KEY_BYTES)
      throw new ProtocolViolation('a SCRAM message of another exchange');
    const signed = `${exchange.bare},${exchange.first},${withoutProof}`;
    const clientKey = xor(proof, hmac(verifier.storedKey, signed));
    if (!timingSafeEqual(sha256(clientKey), verifier.storedKey)) return undefined;
    return `v=${hmac(verifier.serverKey, signed).toString('base64')}`;
  }
}

/**
 * The client's side of one exchange. The server must also prove that it knows the password.
 * @throws ProtocolViolation
 */
export class ScramClient {
  private readonly password: string;
  private readonly nonce = randomBytes(NONCE_BYTES).toString('base64');
  private signature: Buffer | undefined;

  constructor(password: string) {
    this.password = password.normalize('NFKC');
  }

  get first(): string {
    return `n,,n=,r=${this.nonce}`;
  }

  async last(serverFirst: string): Promise<string> {
    const attributes = attributesOf(serverFirst);
    const nonce = attributes.get('r') ?? '';
    const salt = Buffer.from(attributes.get('s') ?? '', 'base64');
    const iterations = Number(attributes.get('i'));
    const isUsable =
      nonce.startsWith(this.nonce) && nonce.length > this.nonce.length && salt.length > 0;
    if (!isUsable || !Number.isInteger(iterations) || iterations < 1 || iterations > MAX_ITERATIONS)
      throw new ProtocolViolation('a SCRAM message cannot be used');
    const salted = await derive(this.password, salt, iterations, KEY_BYTES, 'sha256');
    const clientKey = hmac(salted, 'Client Key');
    const withoutProof = `c=biws,r=${nonce}`;
    const signed = `n=,r=${this.nonce},${serverFirst},${withoutProof}`;
    this.signature = hmac(hmac(salted, 'Server Key'), signed);
    return `${withoutProof},p=${xor(clientKey, hmac(sha256(clientKey), signed)).toString('base64')}`;
  }

  /** Returns true if the server has proved itself. */
  isServer(serverLast: string): boolean {
    const proof = Buffer.from(attributesOf(serverLast).get('v') ?? '', 'base64');
    return (
      this.signature !== undefined &&
      proof.length === this.signature.length &&
      timingSafeEqual(proof, this.signature)
    );
  }
}
