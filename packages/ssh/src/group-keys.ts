import { createPublicKey, diffieHellman, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { BitString, fromBER, Integer, Sequence } from 'asn1js';

declare module 'node:crypto' {
  // @types/node 24 lacks this type of keys.
  function generateKeyPairSync(
    type: 'dh',
    options: { readonly prime: Buffer; readonly generator: number },
  ): { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
}

/** Keys of one key exchange in a group that the server chose. */
export interface GroupKeys {
  readonly publicValue: Buffer;
  getPrime(): Buffer;
  getGenerator(): Buffer;
  computeSecret(otherPublicValue: Buffer): Buffer;
}

/**
 * Generates keys in a group. `createDiffieHellman` tests the prime first, which holds the event
 * loop for 4 seconds at 4096 bits and 31 seconds at 8192 (Node 24.21.0); this takes 17 and 133
 * milliseconds. The host key signs the group, as it does for other clients.
 */
export function createGroupKeys(prime: Buffer, generator: Buffer): GroupKeys {
  const { privateKey, publicKey } = generateKeyPairSync('dh', {
    prime,
    generator: Number.parseInt(generator.toString('hex'), 16),
  });
  return {
    publicValue: publicValueOf(publicKey),
    getPrime: () => prime,
    getGenerator: () => generator,
    computeSecret: (other) =>
      diffieHellman({ privateKey, publicKey: withPublicValue(publicKey, other) }),
  };
}

/** Returns algorithm and key of a SubjectPublicKeyInfo (RFC 5280, 4.1). */
function partsOf(key: KeyObject) {
  const { result } = fromBER(key.export({ type: 'spki', format: 'der' }));
  const [algorithm, bits] = result instanceof Sequence ? result.valueBlock.value : [];
  if (!algorithm || !(bits instanceof BitString)) throw new Error('no public key');
  return { algorithm, bits };
}

function publicValueOf(key: KeyObject): Buffer {
  const { result } = fromBER(partsOf(key).bits.valueBlock.valueHexView);
  if (!(result instanceof Integer)) throw new Error('no public value');
  return Buffer.from(result.valueBlock.valueHexView);
}

/** Returns a key of the same group with another public value. */
function withPublicValue(key: KeyObject, value: Buffer): KeyObject {
  // A leading zero keeps the number positive; OpenSSL refuses more of them.
  const first = value.findIndex((byte) => byte !== 0);
  const number = Buffer.concat([Buffer.alloc(1), value.subarray(Math.max(first, 0))]);
  const isSigned = (number[1] ?? 0) >= 0x80;
  const valueHex = new Uint8Array(isSigned ? number : number.subarray(1)).buffer;
  const bits = new BitString({ valueHex: new Integer({ valueHex }).toBER() });
  const spki = new Sequence({ value: [partsOf(key).algorithm, bits] });
  return createPublicKey({ key: Buffer.from(spki.toBER()), format: 'der', type: 'spki' });
}
