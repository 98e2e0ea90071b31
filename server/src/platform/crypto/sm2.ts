import { createECDH, createHash, randomBytes } from 'node:crypto';

/** Order of the curve, and its parameters a, b and G in bytes (GB/T 32918.5). */
const ORDER = 0xfffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123n;
const CURVE = Buffer.from(
  `fffffffeffffffffffffffffffffffffffffffff00000000fffffffffffffffc
  28e9fa9e9d9f5e344d5a9e4bcf6509a7f39789f515ab8f92ddbcbd414d940e93
  32c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7
  bc3736a2f4f6779c59bdcee36b692153d0a9877cc62a474002df32e52139f0a0`.replaceAll(/\s/g, ''),
  'hex',
);
/** The user id of GM/T 0009 where none was agreed on. */
const USER_ID = Buffer.from('1234567812345678');

const numberOf = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`);
const bytesOf = (number: bigint): Buffer =>
  Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
const reduce = (number: bigint): bigint => ((number % ORDER) + ORDER) % ORDER;

/** Returns the inverse modulo the order, which is prime. */
function inverseOf(number: bigint): bigint {
  let [result, power] = [1n, reduce(number)];
  for (let exponent = ORDER - 2n; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = reduce(result * power);
    power = reduce(power * power);
  }
  return result;
}

/** The public key of a private key: OpenSSL multiplies the point. */
function publicKeyOf(privateKey: bigint): Buffer {
  const curve = createECDH('SM2');
  curve.setPrivateKey(bytesOf(privateKey));
  return curve.getPublicKey();
}

const xOf = (point: Buffer): bigint => numberOf(point.subarray(1, 33));
const randomNumber = (): bigint => 1n + (numberOf(randomBytes(48)) % (ORDER - 2n));

/** SM3 over the identity of the signer, then the message. */
function digestOf(publicKey: Buffer, message: string): bigint {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(USER_ID.length * 8);
  const identity = createHash('sm3')
    .update(length)
    .update(USER_ID)
    .update(CURVE)
    .update(publicKey.subarray(1))
    .digest();
  return numberOf(createHash('sm3').update(identity).update(message).digest());
}

/** A key pair of SM2. */
export interface Sm2Key {
  /** 65 bytes: 04, x, y. */
  readonly publicKey: Buffer;
  /** 32 bytes. */
  readonly privateKey: Buffer;
  /** Returns r and s in 128 hexadecimal digits. `nonce` is for the vector of the standard only. */
  sign(message: string, nonce?: bigint): string;
  /** Returns true if this key pair signed the message. */
  isSignature(signature: string, message: string): boolean;
}

/**
 * Opens a key pair, or makes one. Signatures follow GB/T 32918.2: `sign` of Node takes the user id
 * to be empty, and so differs from other implementations.
 */
export function createSm2Key(bytes: Buffer = bytesOf(randomNumber())): Sm2Key {
  const secret = numberOf(bytes);
  if (secret < 1n || secret > ORDER - 2n) throw new Error('the key of SM2 is out of range');
  const publicKey = publicKeyOf(secret);
  return {
    publicKey,
    privateKey: bytes,
    sign(message, nonce) {
      const digest = digestOf(publicKey, message);
      for (;;) {
        const k = nonce ?? randomNumber();
        const r = reduce(digest + xOf(publicKeyOf(k)));
        const s = reduce(inverseOf(1n + secret) * (k - r * secret));
        if (r !== 0n && r + k !== ORDER && s !== 0n)
          return Buffer.concat([bytesOf(r), bytesOf(s)]).toString('hex');
      }
    },
    isSignature(signature, message) {
      if (!/^[0-9a-f]{128}$/.test(signature)) return false;
      const pair = Buffer.from(signature, 'hex');
      const [r, s] = [numberOf(pair.subarray(0, 32)), numberOf(pair.subarray(32))];
      // The private key replaces two multiplications and an addition of points by one: the point
      // is s·G + (r + s)·P, and P is secret·G.
      const k = reduce(s + (r + s) * secret);
      if (r < 1n || r >= ORDER || s < 1n || s >= ORDER || reduce(r + s) === 0n || k === 0n)
        return false;
      return reduce(digestOf(publicKey, message) + xOf(publicKeyOf(k))) === r;
    },
  };
}
