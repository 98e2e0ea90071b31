/**
 * `mlkem768x25519-sha256` combines ML-KEM-768 and X25519, so that recorded traffic stays secret
 * even from a quantum computer (draft-ietf-sshm-mlkem-hybrid-kex). ssh2 lacks it; this module
 * converts one of its Curve25519 exchanges.
 */
import crypto, {
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { type CurveExchange, keyPairOf, setKeyPair } from './internals.ts';

export const HYBRID: string = 'mlkem768x25519-sha256';

/**
 * Returns the hybrid exchange as a list to offer; empty with Node below 24.7 or OpenSSL below 3.5.
 */
export const hybridExchanges = (): readonly string[] => (isSupported() ? [HYBRID] : []);

const KEM = 'ml-kem-768';
const KEM_PUBLIC_BYTES = 1184;
const KEM_TEXT_BYTES = 1088;
const CURVE_BYTES = 32;

/** Replaces the mathematics of a Curve25519 exchange before its first message. */
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
  /** @throws Error if the peer sent an invalid key */
  readonly secret: (other: Buffer) => Buffer;
}

function clientSide(exchange: CurveExchange): Side {
  const sent = offerKeys(exchange);
  return {
    publicPart: () => sent,
    secret(reply) {
      const { kem, curve } = keyPairOf(exchange) as OwnKeys;
      const [ciphertext, point] = parts(reply, KEM_TEXT_BYTES);
      return combined(crypto.decapsulate(kem, ciphertext), agreed(curve, point));
    },
  };
}

/**
 * Generates key pairs that only the exchange references, so that they can be deleted. Returns the
 * public parts.
 */
function offerKeys(exchange: CurveExchange): Buffer {
  const kem = generateKeyPairSync(KEM);
  const curve = generateKeyPairSync('x25519');
  setKeyPair(exchange, { kem: kem.privateKey, curve: curve.privateKey } satisfies OwnKeys);
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
