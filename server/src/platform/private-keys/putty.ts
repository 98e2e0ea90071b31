import {
  argon2,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  type JsonWebKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import { promisify } from 'node:util';
import { WireReader } from '@sallyport/ssh';

/** A key file of PuTTY (.ppk), version 2 or 3; the format is appendix C of PuTTY's manual. */
export interface PuttyFile {
  readonly version: 2 | 3;
  readonly type: string;
  readonly comment: string;
  readonly isEncrypted: boolean;
  readonly derivation: Derivation | undefined;
  readonly publicKey: Buffer;
  readonly privateKey: Buffer;
  readonly mac: Buffer;
}

interface Derivation {
  readonly algorithm: 'argon2d' | 'argon2i' | 'argon2id';
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
}

const ALGORITHMS: Readonly<Record<string, Derivation['algorithm']>> = {
  Argon2d: 'argon2d',
  Argon2i: 'argon2i',
  Argon2id: 'argon2id',
};
/** Bounds of the key derivation. PuTTY 0.78 writes 8 MiB, 13 to 21 passes and one lane. */
const MOST = { memory: 65_536, passes: 200, parallelism: 8, work: 1_048_576 };
const CIPHER = 'aes256-cbc';

/** Reads the lines of a file without opening the key; undefined if they are not of this form. */
export function readPuttyFile(text: string): PuttyFile | undefined {
  const lines = text.trim().split(/\r?\n|\r/);
  let at = 0;
  const field = (name: string): string | undefined => {
    const line = lines[at];
    if (!line?.startsWith(`${name}: `)) return;
    at++;
    return line.slice(name.length + 2);
  };
  const block = (name: string): Buffer => {
    const count = Number(field(name) ?? 0);
    at += count;
    return Buffer.from(lines.slice(at - count, at).join(''), 'base64');
  };
  const version = ([3, 2] as const).find((one) =>
    lines[0]?.startsWith(`PuTTY-User-Key-File-${one}: `),
  );
  if (version === undefined) return;
  const type = field(`PuTTY-User-Key-File-${version}`) ?? '';
  const encryption = field('Encryption');
  if (encryption !== 'none' && encryption !== CIPHER) return;
  const comment = field('Comment') ?? '';
  const publicKey = block('Public-Lines');
  const algorithm = ALGORITHMS[field('Key-Derivation') ?? ''];
  const derivation = algorithm && {
    algorithm,
    memory: Number(field('Argon2-Memory')),
    passes: Number(field('Argon2-Passes')),
    parallelism: Number(field('Argon2-Parallelism')),
    salt: Buffer.from(field('Argon2-Salt') ?? '', 'hex'),
  };
  const privateKey = block('Private-Lines');
  const mac = Buffer.from(field('Private-MAC') ?? '', 'hex');
  const isEncrypted = encryption === CIPHER;
  if (mac.length === 0 || (version === 3 && isEncrypted && !derivation)) return;
  return { version, type, comment, isEncrypted, derivation, publicKey, privateKey, mac };
}

/** Returns true if opening the file takes more work than any program asks for. */
export function isTooCostly({ derivation }: PuttyFile): boolean {
  if (!derivation) return false;
  const { memory, passes, parallelism } = derivation;
  return !(
    memory <= MOST.memory &&
    passes <= MOST.passes &&
    parallelism <= MOST.parallelism &&
    memory * passes <= MOST.work
  );
}

interface Secrets {
  readonly key: Buffer;
  readonly iv: Buffer;
  readonly macKey: Buffer;
}

async function secretsOf(file: PuttyFile, passphrase: string): Promise<Secrets> {
  if (file.version === 2) {
    const sha1 = (...parts: (string | Buffer)[]) =>
      parts.reduce((hash, part) => hash.update(part), createHash('sha1')).digest();
    const part = (number: number) => sha1(Buffer.from([0, 0, 0, number]), passphrase);
    return {
      key: Buffer.concat([part(0), part(1)]).subarray(0, 32),
      iv: Buffer.alloc(16),
      macKey: sha1('putty-private-key-file-mac-key', file.isEncrypted ? passphrase : ''),
    };
  }
  const { derivation } = file;
  if (!derivation) return { key: Buffer.alloc(0), iv: Buffer.alloc(0), macKey: Buffer.alloc(0) };
  const { algorithm, memory, passes, parallelism, salt } = derivation;
  const bytes = await promisify(argon2)(algorithm, {
    message: passphrase,
    nonce: salt,
    parallelism,
    tagLength: 80,
    memory,
    passes,
  });
  return { key: bytes.subarray(0, 32), iv: bytes.subarray(32, 48), macKey: bytes.subarray(48) };
}

/**
 * Opens the key of a file.
 *
 * @throws Error if the passphrase is wrong, the file was changed, or the type is not supported
 */
export async function openPuttyKey(file: PuttyFile, passphrase: string): Promise<KeyObject> {
  const { key, iv, macKey } = await secretsOf(file, passphrase);
  let open = file.privateKey;
  if (file.isEncrypted) {
    const decipher = createDecipheriv('aes-256-cbc', key, iv).setAutoPadding(false);
    open = Buffer.concat([decipher.update(open), decipher.final()]);
  }
  const mac = createHmac(file.version === 2 ? 'sha1' : 'sha256', macKey);
  const parts = [file.type, file.isEncrypted ? CIPHER : 'none', file.comment, file.publicKey, open];
  for (const part of parts) {
    const bytes = Buffer.from(part);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    mac.update(length).update(bytes);
  }
  const expected = mac.digest();
  if (expected.length !== file.mac.length || !timingSafeEqual(expected, file.mac))
    throw new Error('the message authentication code does not match');
  return createPrivateKey({ key: toJwk(file, new WireReader(open)), format: 'jwk' });
}

const CURVES: Readonly<Record<string, { readonly name: string; readonly bytes: number }>> = {
  nistp256: { name: 'P-256', bytes: 32 },
  nistp384: { name: 'P-384', bytes: 48 },
  nistp521: { name: 'P-521', bytes: 66 },
};

const toNumber = (bytes: Buffer): bigint => BigInt(`0x0${bytes.toString('hex')}`);

/** Bytes of a number without leading zeros, or with `length` bytes. */
function toBytes(number: bigint, length = 0): string {
  const digits = number.toString(16);
  const size = Math.max(length, Math.ceil(digits.length / 2));
  return Buffer.from(digits.padStart(size * 2, '0'), 'hex').toString('base64url');
}

function toJwk({ publicKey }: PuttyFile, secret: WireReader): JsonWebKey {
  const open = new WireReader(publicKey);
  const type = open.string().toString();
  if (type === 'ssh-ed25519') {
    const x = open.string().toString('base64url');
    return { kty: 'OKP', crv: 'Ed25519', x, d: secret.string().toString('base64url') };
  }
  if (type === 'ssh-rsa') {
    const [e, n] = [toNumber(open.string()), toNumber(open.string())];
    const [d, p, q, qi] = [0, 0, 0, 0].map(() => toNumber(secret.string()));
    if (d === undefined || p === undefined || q === undefined || qi === undefined)
      throw new Error('the key is incomplete');
    const numbers = { n, e, d, p, q, qi, dp: d % (p - 1n), dq: d % (q - 1n) };
    const values = Object.entries(numbers).map(([name, number]) => [name, toBytes(number)]);
    return { kty: 'RSA', ...(Object.fromEntries(values) as JsonWebKey) };
  }
  const curve = CURVES[open.string().toString()];
  if (!curve) throw new Error(`keys of the type ${type} are not supported`);
  const point = open.string();
  return {
    kty: 'EC',
    crv: curve.name,
    x: point.subarray(1, 1 + curve.bytes).toString('base64url'),
    y: point.subarray(1 + curve.bytes).toString('base64url'),
    d: toBytes(toNumber(secret.string()), curve.bytes),
  };
}
