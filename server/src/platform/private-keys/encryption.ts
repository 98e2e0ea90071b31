import { createDecipheriv, createHash, createPrivateKey, type KeyObject } from 'node:crypto';
import { fromBER, Integer, ObjectIdentifier, OctetString, Sequence } from 'asn1js';

/** Iterations of PBKDF2; OpenSSL asks for 2048. */
const MOST_ITERATIONS = 200_000;
/** Product of the three costs of scrypt; OpenSSL asks for 2^17. */
const MOST_SCRYPT = 2 ** 20;
const SCRYPT = '1.3.6.1.4.1.11591.4.11';

/** Schemes that OpenSSL used for PKCS#8 before version 1.1, and their hash (RFC 8018, A.3). */
const DES_SCHEMES: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.5.3': 'md5',
  '1.2.840.113549.1.5.10': 'sha1',
};
/** Ciphers that Node does not read, by the start of their object identifiers. */
const NAMES: readonly (readonly [string, string])[] = [
  ['1.2.840.113549.1.5.1', 'DES'],
  ['1.2.840.113549.1.5.4', 'RC2'],
  ['1.2.840.113549.1.5.6', 'RC2'],
  ['1.2.840.113549.1.5.11', 'RC2'],
  ['1.2.840.113549.1.12.1.1', 'RC4'],
  ['1.2.840.113549.1.12.1.2', 'RC4'],
  ['1.2.840.113549.1.12.1.5', 'RC2'],
  ['1.2.840.113549.1.12.1.6', 'RC2'],
  ['1.2.840.113549.3.2', 'RC2'],
  ['1.2.840.113549.3.4', 'RC4'],
  ['1.2.840.113533.7.66.10', 'CAST5'],
  ['1.3.6.1.4.1.3029.1.2', 'Blowfish'],
  ['1.2.410.200004.1.4', 'SEED'],
  ['1.3.14.3.2', 'DES'],
];

/** Parameters of the encryption of a PKCS#8 key. */
interface Encryption {
  /** Object identifiers of scheme, key derivation and cipher. */
  readonly identifiers: readonly string[];
  readonly numbers: readonly number[];
  /** Salts and initialization vectors. */
  readonly texts: readonly Buffer[];
  readonly content: Buffer;
}

const bodyOf = (text: string): Buffer =>
  Buffer.from(text.replace(/-----[^-]*-----/g, ''), 'base64');

const flatten = (sequence: Sequence): readonly unknown[] =>
  sequence.valueBlock.value.flatMap((part) => (part instanceof Sequence ? flatten(part) : [part]));

const bytesOf = (part: unknown): readonly Buffer[] =>
  part instanceof OctetString ? [Buffer.from(part.valueBlock.valueHexView)] : [];

function encryptionOf(text: string): Encryption | undefined {
  const { result } = fromBER(bodyOf(text));
  const [algorithm, content] = result instanceof Sequence ? result.valueBlock.value : [];
  if (!(algorithm instanceof Sequence)) return undefined;
  const parts = flatten(algorithm);
  return {
    identifiers: parts.flatMap((part) =>
      part instanceof ObjectIdentifier ? [part.valueBlock.toString()] : [],
    ),
    numbers: parts.flatMap((part) => (part instanceof Integer ? [Number(part.toBigInt())] : [])),
    texts: parts.flatMap(bytesOf),
    content: bytesOf(content)[0] ?? Buffer.alloc(0),
  };
}

/** Returns true if the key derivation of an encrypted PKCS#8 key takes too much work. */
export function isCostly(text: string): boolean {
  const { identifiers = [], numbers = [] } = encryptionOf(text) ?? {};
  return identifiers.includes(SCRYPT)
    ? numbers.slice(0, 3).reduce((product, number) => product * number, 1) > MOST_SCRYPT
    : numbers.some((number) => number > MOST_ITERATIONS);
}

/** Returns the name of the cipher of an encrypted PKCS#8 key, for a key that Node cannot open. */
export function cipherOf(text: string): string {
  const last = encryptionOf(text)?.identifiers.at(-1) ?? '';
  return NAMES.find(([start]) => last === start || last.startsWith(`${start}.`))?.[1] ?? last;
}

/** Returns true if Node has no such cipher or key derivation, so a passphrase cannot be judged. */
export const isUnsupported = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_OSSL_EVP_UNSUPPORTED';

/** Node has no single DES, but the same block cipher three times with one key is the same. */
function openDes(key: Buffer, iv: Buffer, content: Buffer): Buffer {
  const decipher = createDecipheriv('des-ede3-cbc', Buffer.concat([key, key, key]), iv);
  return Buffer.concat([decipher.update(content), decipher.final()]);
}

/**
 * Opens a PKCS#8 key that is encrypted with DES. Returns undefined for other ciphers.
 * @throws Error for a wrong passphrase
 */
export function openDesPkcs8(text: string, passphrase: string): KeyObject | undefined {
  const { identifiers, numbers, texts, content } = encryptionOf(text) ?? {};
  const hash = DES_SCHEMES[identifiers?.[0] ?? ''];
  const [salt] = texts ?? [];
  const [rounds] = numbers ?? [];
  if (!hash || !salt || !rounds || !content) return undefined;
  let derived = Buffer.concat([Buffer.from(passphrase), salt]);
  for (let round = 0; round < rounds; round++) derived = createHash(hash).update(derived).digest();
  const key = openDes(derived.subarray(0, 8), derived.subarray(8, 16), content);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

const DEK_INFO = /^DEK-Info: ([\w-]{1,40}),([0-9A-Fa-f]+)$/m;

/** Returns the name of the cipher of an encrypted PEM key. */
export const cipherOfPem = (text: string): string => DEK_INFO.exec(text)?.[1] ?? '';

/**
 * Opens a PEM key that is encrypted with DES, and returns its PEM text. Returns undefined for other
 * ciphers.
 * @throws Error for a wrong passphrase
 */
export function openDesPem(text: string, passphrase: string): string | undefined {
  const [, cipher, iv = ''] = DEK_INFO.exec(text) ?? [];
  const [line, label] = /-----BEGIN ([A-Z]+ PRIVATE KEY)-----/.exec(text) ?? [];
  if (cipher !== 'DES-CBC' || iv.length !== 16 || !line) return undefined;
  const salt = Buffer.from(iv, 'hex');
  const key = createHash('md5').update(passphrase).update(salt).digest().subarray(0, 8);
  const content = bodyOf(text.replace(/^[\w-]+: .*$/gm, ''));
  const rows =
    openDes(key, salt, content)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `${line}\n${rows.join('\n')}\n-----END ${label}-----\n`;
}
