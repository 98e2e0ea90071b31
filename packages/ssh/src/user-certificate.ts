/**
 * OpenSSH user certificates (PROTOCOL.certkeys): made and signed here, checked when another
 * authority signed them, and offered to servers by a client.
 */
import {
  CERTIFIED_ED25519,
  ED25519,
  number32,
  number64,
  rawKeyOf,
  readEd25519,
  signCertificate,
  text,
} from './host-certificate.ts';
import {
  expectAnswer,
  type Protocol,
  protocolOf,
  type SignRequest,
  sendMessage,
  sessionIdOf,
} from './internals.ts';
import { parseKey } from './keys.ts';
import type { Client, ParsedKey, PublicKeyAuthMethod } from './ssh2.ts';
import { WireReader } from './wire-reader.ts';

const USER = 1;
const USERAUTH_REQUEST = 50;

/** The content of a user certificate. */
export interface UserCertificateFacts {
  readonly serial: bigint;
  /** Shown in the logs of servers. */
  readonly keyId: string;
  /** Names of accounts; servers compare them with the name of the sign-in. */
  readonly principals: readonly string[];
  /** Seconds since 1970. */
  readonly validAfter: number;
  readonly validBefore: number;
  /** Names such as `permit-pty`. */
  readonly extensions: readonly string[];
}

/** A private key in OpenSSH format and its certificate in wire format. */
export interface CertifiedKey {
  readonly privateKey: string;
  readonly certificate: Buffer;
}

/**
 * Signs a certificate without critical options.
 * @throws Error if a key is not an Ed25519 private key
 */
export function userCertificate(
  userKey: string,
  authority: string,
  facts: UserCertificateFacts,
): Buffer {
  return signCertificate(readEd25519(authority), [
    rawKeyOf(readEd25519(userKey)),
    number64(facts.serial),
    number32(USER),
    text(facts.keyId),
    text(Buffer.concat(facts.principals.map(text))),
    number64(BigInt(facts.validAfter)),
    number64(BigInt(facts.validBefore)),
    text(''),
    // Servers expect the extensions in the order of their names, each with empty data.
    text(Buffer.concat(facts.extensions.toSorted().flatMap((name) => [text(name), text('')]))),
    text(''),
  ]);
}

/** The content of a certificate from elsewhere. */
export interface ReadCertificate extends UserCertificateFacts {
  /** The certified key and the authority's key, in wire format. */
  readonly publicKey: Buffer;
  readonly authority: Buffer;
  readonly isUser: boolean;
  readonly criticalOptions: readonly string[];
  /** True if the authority's key verifies the signature. */
  readonly isSigned: boolean;
}

/** Reads an Ed25519 certificate in wire format. Returns undefined if it is none. */
export function readCertificate(bytes: Buffer): ReadCertificate | undefined {
  try {
    const reader = new WireReader(bytes);
    if (reader.string().toString() !== CERTIFIED_ED25519) return undefined;
    reader.string();
    const publicKey = Buffer.concat([text(ED25519), text(reader.string())]);
    const serial = reader.number64();
    const isUser = reader.number32() === USER;
    const keyId = reader.string().toString();
    const principals = reader.strings();
    const validAfter = secondsOf(reader.number64());
    const validBefore = secondsOf(reader.number64());
    const criticalOptions = reader.strings().filter((_value, index) => index % 2 === 0);
    const extensions = reader.strings().filter((_value, index) => index % 2 === 0);
    reader.string();
    const authority = reader.string();
    const signed = bytes.subarray(0, reader.at);
    const signature = new WireReader(reader.string());
    if (reader.at !== bytes.length) return undefined;
    const algorithm = signature.string().toString();
    const signer = parseKey(`${typeOf(authority)} ${authority.toString('base64')}`);
    const isSigned =
      !(signer instanceof Error) &&
      HASHES.has(algorithm) &&
      signer.verify(signed, signature.string(), HASHES.get(algorithm)) === true;
    return {
      ...{ serial, isUser, keyId, principals, validAfter, validBefore },
      ...{ criticalOptions, extensions, publicKey, authority, isSigned },
    };
  } catch {
    return undefined;
  }
}

/** Hashes of the signature algorithms of authorities; the library must know them. */
const HASHES: ReadonlyMap<string, string | undefined> = new Map([
  [ED25519, undefined],
  ['rsa-sha2-256', 'sha256'],
  ['rsa-sha2-512', 'sha512'],
]);

/** Certificates without an end have the largest number. */
const secondsOf = (value: bigint): number =>
  value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(value);

const typeOf = (key: Buffer): string => new WireReader(key).string().toString();

/**
 * Returns the sign-in with a certificate for the `authHandler` of a client.
 * @throws Error if the key is not an Ed25519 private key
 */
export function certificateSignIn(
  username: string,
  { privateKey, certificate }: CertifiedKey,
): PublicKeyAuthMethod {
  const key: ParsedKey = Object.create(readEd25519(privateKey), {
    type: { value: CERTIFIED_ED25519 },
    getPublicSSH: { value: () => certificate },
  });
  return { type: 'publickey', username, key };
}

/**
 * Lets a client sign in by `certificateSignIn`, and without asking first if the server accepts an
 * Ed25519 key: that has one algorithm, and the question costs a round trip. Call it after
 * `connect`. The library would write the type of the certificate into the signature, which servers
 * reject.
 */
export function prepareSignIn(client: Client): void {
  const protocol = protocolOf(client);
  const send = protocol.authPK.bind(protocol);
  protocol.authPK = (...request) => {
    const [username, key, algorithm, given] = request;
    const sign = given ?? signerOf(key);
    if (key.type === CERTIFIED_ED25519 && sign)
      sendSigned(protocol, username, key.getPublicSSH(), sign);
    else send(username, key, algorithm, sign);
  };
}

/** Returns a function that signs with an Ed25519 key; undefined for other keys. */
function signerOf(key: Parameters<Protocol['authPK']>[1]): SignRequest | undefined {
  if ((key.type !== ED25519 && key.type !== CERTIFIED_ED25519) || !key.sign) return undefined;
  const sign = key.sign.bind(key);
  return (request, done) => {
    const signature = sign(request);
    if (signature instanceof Error) throw signature;
    done(signature);
  };
}

/** Sends a signed request (RFC 4252, section 7). */
function sendSigned(
  protocol: Protocol,
  username: string,
  certificate: Buffer,
  sign: SignRequest,
): void {
  const request = Buffer.concat([
    Buffer.from([USERAUTH_REQUEST]),
    ...[username, 'ssh-connection', 'publickey'].map(text),
    Buffer.from([1]),
    text(CERTIFIED_ED25519),
    text(certificate),
  ]);
  sign(Buffer.concat([text(sessionIdOf(protocol)), request]), (signature) => {
    expectAnswer(protocol, 'publickey');
    sendMessage(
      protocol,
      Buffer.concat([request, text(Buffer.concat([text(ED25519), text(signature)]))]),
    );
  });
}
