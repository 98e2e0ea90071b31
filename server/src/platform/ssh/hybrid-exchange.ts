/**
 * `mlkem768x25519-sha256`: ML-KEM-768 and X25519 together, so that recorded traffic stays secret even from a quantum computer
 * (draft-ietf-sshm-mlkem-hybrid-kex). ssh2 has no such exchange; this turns one of its exchanges over Curve25519 into it.
 */
import crypto, {
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';

export const HYBRID: string = 'mlkem768x25519-sha256';

/** The hybrid exchange as a list to offer: empty where the Node that runs us is older than 24.7, or its OpenSSL than 3.5. */
export const HYBRIDS: readonly string[] = isSupported() ? [HYBRID] : [];

const KEM = 'ml-kem-768';
const KEM_PUBLIC_BYTES = 1184;
const KEM_TEXT_BYTES = 1088;
const CURVE_BYTES = 32;

/** The parts of ssh2's `Curve25519Exchange` that are replaced. */
export interface CurveExchange {
  /** Dropped by `forgetExchangeKeys` when the exchange has ended. */
  _keys: unknown;
  readonly negotiated: { kex: string };
  /** The other side's KEXINIT, as the exchange hash takes it. */
  _remoteKexinit: Buffer;
  generateKeys(): void;
  getPublicKey(): Buffer;
  convertPublicKey(key: Buffer): Buffer;
  computeSecret(otherPublic: Buffer): Buffer | Error;
}

/** Replaces the mathematics of an exchange over Curve25519 before its first message. */
export function makeHybrid(exchange: CurveExchange, isServer: boolean): void {
  exchange.negotiated.kex = HYBRID;
  const side = isServer ? serverSide() : clientSide(exchange);
  exchange.generateKeys = () => undefined;
  exchange.convertPublicKey = (key) => key;
  exchange.getPublicKey = side.publicPart;
  exchange.computeSecret = (other) => {
    try {
      return side.secret(other);
    } catch (error) {
      return error instanceof Error ? error : new Error('the key exchange failed');
    }
  };
}

interface OwnKeys {
  readonly kem: KeyObject;
  readonly curve: KeyObject;
}

interface Side {
  readonly publicPart: () => Buffer;
  /** @throws Error if the other side sent a key that is not valid */
  readonly secret: (other: Buffer) => Buffer;
}

function clientSide(exchange: CurveExchange): Side {
  const sent = offerKeys(exchange);
  return {
    publicPart: () => sent,
    secret(reply) {
      const { kem, curve } = exchange._keys as OwnKeys;
      const [ciphertext, point] = parts(reply, KEM_TEXT_BYTES);
      return combined(crypto.decapsulate(kem, ciphertext), agreed(curve, point));
    },
  };
}

/** Makes key pairs that only `_keys` refers to, so that they can be forgotten. Returns the public parts. */
function offerKeys(exchange: CurveExchange): Buffer {
  const kem = generateKeyPairSync(KEM);
  const curve = generateKeyPairSync('x25519');
  exchange._keys = { kem: kem.privateKey, curve: curve.privateKey } satisfies OwnKeys;
  return Buffer.concat([kem.publicKey.export({ format: 'raw-public' }), rawCurve(curve.publicKey)]);
}

function serverSide(): Side {
  let reply = Buffer.alloc(0);
  return {
    publicPart: () => reply,
    secret(request) {
      const [kemPublic, point] = parts(request, KEM_PUBLIC_BYTES);
      const curve = generateKeyPairSync('x25519');
      const options = { key: kemPublic, format: 'raw-public', asymmetricKeyType: KEM } as const;
      const { sharedKey, ciphertext } = crypto.encapsulate(createPublicKey(options));
      reply = Buffer.concat([ciphertext, rawCurve(curve.publicKey)]);
      return combined(sharedKey, agreed(curve.privateKey, point));
    },
  };
}

function parts(message: Buffer, kemBytes: number): readonly [Buffer, Buffer] {
  if (message.length !== kemBytes + CURVE_BYTES) throw new Error('a key of the wrong length');
  return [message.subarray(0, kemBytes), message.subarray(kemBytes)];
}

/** @throws Error if the point is of small order */
function agreed(privateKey: KeyObject, point: Buffer): Buffer {
  const options = { key: point, format: 'raw-public', asymmetricKeyType: 'x25519' } as const;
  return diffieHellman({ privateKey, publicKey: createPublicKey(options) });
}

function combined(kemSecret: Buffer, curveSecret: Buffer): Buffer {
  return createHash('sha256').update(kemSecret).update(curveSecret).digest();
}

function rawCurve(key: KeyObject): Buffer {
  return key.export({ format: 'raw-public' });
}

function isSupported(): boolean {
  try {
    generateKeyPairSync('ml-kem-768');
    return typeof crypto.encapsulate === 'function';
  } catch {
    return false;
  }
}
