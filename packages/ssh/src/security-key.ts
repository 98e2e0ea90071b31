/**
 * Keys on FIDO2 devices (OpenSSH, PROTOCOL.u2f). The library does not know their types. A device
 * signs the application, its flags and its counter with the text.
 */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { WireReader } from './wire-reader.ts';

const SK_ED25519 = 'sk-ssh-ed25519@openssh.com';
const SK_ECDSA = 'sk-ecdsa-sha2-nistp256@openssh.com';
/** Set by a device that was touched. Keys that need no touch are refused. */
const TOUCHED = 1;
const NUMBER_BYTES = 32;

/** A public key with which a user signs in. */
export interface UserKey {
  readonly type: string;
  /** In wire format. */
  getPublicSSH(): Buffer;
  /** `signature` is as in the attempts of ssh2; `hash` belongs to RSA keys. */
  verify(text: Buffer, signature: Buffer, hash?: string): boolean | Error;
}

/** Reads a key of a security device in wire format. Returns undefined if it is none. */
export function readSecurityKey(wire: Buffer): UserKey | undefined {
  try {
    const reader = new WireReader(wire);
    const type = reader.string().toString();
    const key = type === SK_ED25519 ? ed25519Of(reader) : type === SK_ECDSA && ecdsaOf(reader);
    const application = reader.string();
    if (!key || application.length === 0 || reader.at !== wire.length) return undefined;
    return {
      type,
      getPublicSSH: () => wire,
      verify: (text, signature) => isSigned({ key, application, text, signature }),
    };
  } catch {
    return undefined;
  }
}

const ed25519Of = (reader: WireReader): KeyObject =>
  createPublicKey({
    format: 'jwk',
    key: { kty: 'OKP', crv: 'Ed25519', x: reader.string().toString('base64url') },
  });

function ecdsaOf(reader: WireReader): KeyObject | undefined {
  const curve = reader.string().toString();
  const point = reader.string();
  if (curve !== 'nistp256' || point.length !== 1 + 2 * NUMBER_BYTES || point[0] !== 4)
    return undefined;
  const number = (at: number) => point.subarray(at, at + NUMBER_BYTES).toString('base64url');
  return createPublicKey({
    format: 'jwk',
    key: { kty: 'EC', crv: 'P-256', x: number(1), y: number(1 + NUMBER_BYTES) },
  });
}

interface Signed {
  readonly key: KeyObject;
  readonly application: Buffer;
  readonly text: Buffer;
  readonly signature: Buffer;
}

function isSigned({ key, application, text, signature }: Signed): boolean {
  try {
    const reader = new WireReader(signature);
    const isEcdsa = key.asymmetricKeyType === 'ec';
    const raw = isEcdsa
      ? Buffer.concat([numberOf(reader.string()), numberOf(reader.string())])
      : reader.bytes(2 * NUMBER_BYTES);
    const device = reader.bytes(5);
    if (reader.at !== signature.length || ((device[0] ?? 0) & TOUCHED) === 0) return false;
    const signed = Buffer.concat([digest(application), device, digest(text)]);
    return isEcdsa
      ? verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, raw)
      : verify(null, signed, key, raw);
  } catch {
    return false;
  }
}

const digest = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

/** The 32 bytes of a number that is not negative. @throws RangeError */
function numberOf(bytes: Buffer): Buffer {
  const short = bytes[0] === 0 ? bytes.subarray(1) : bytes;
  return Buffer.concat([Buffer.alloc(NUMBER_BYTES - short.length), short]);
}
