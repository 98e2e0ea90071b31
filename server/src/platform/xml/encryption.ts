import { constants, createDecipheriv, type KeyObject, privateDecrypt } from 'node:crypto';
import {
  attributeOf,
  childrenOf,
  onlyChild,
  textOf,
  type XmlElement,
  XmlRefused,
} from './document.ts';

const XENC = 'http://www.w3.org/2001/04/xmlenc#';
const XENC11 = 'http://www.w3.org/2009/xmlenc11#';
const DS = 'http://www.w3.org/2000/09/xmldsig#';

interface DataCipher {
  readonly name:
    | 'aes-128-cbc'
    | 'aes-192-cbc'
    | 'aes-256-cbc'
    | 'aes-128-gcm'
    | 'aes-192-gcm'
    | 'aes-256-gcm';
  readonly keyBytes: number;
}
const DATA: Readonly<Record<string, DataCipher>> = {
  [`${XENC}aes128-cbc`]: { name: 'aes-128-cbc', keyBytes: 16 },
  [`${XENC}aes192-cbc`]: { name: 'aes-192-cbc', keyBytes: 24 },
  [`${XENC}aes256-cbc`]: { name: 'aes-256-cbc', keyBytes: 32 },
  [`${XENC11}aes128-gcm`]: { name: 'aes-128-gcm', keyBytes: 16 },
  [`${XENC11}aes192-gcm`]: { name: 'aes-192-gcm', keyBytes: 24 },
  [`${XENC11}aes256-gcm`]: { name: 'aes-256-gcm', keyBytes: 32 },
};
const HASHES: Readonly<Record<string, string>> = {
  [`${DS}sha1`]: 'sha1',
  [`${XENC}sha256`]: 'sha256',
  [`${XENC}sha512`]: 'sha512',
};
const MASKS: Readonly<Record<string, string>> = {
  [`${XENC11}mgf1sha1`]: 'sha1',
  [`${XENC11}mgf1sha256`]: 'sha256',
  [`${XENC11}mgf1sha512`]: 'sha512',
};

function needed(parent: XmlElement, namespace: string, name: string): XmlElement {
  const child = onlyChild(parent, namespace, name);
  if (!child) throw new XmlRefused(`the encrypted part has no ${name}`);
  return child;
}

const algorithmOf = (element: XmlElement) => attributeOf(element, 'Algorithm') ?? '';

function bytesOf(parent: XmlElement): Buffer {
  return Buffer.from(
    textOf(needed(needed(parent, XENC, 'CipherData'), XENC, 'CipherValue')).replace(/\s+/g, ''),
    'base64',
  );
}

/**
 * Returns the hash of RSA-OAEP. Rejects the older padding (PKCS #1 v1.5), which is vulnerable to
 * padding oracles.
 */
function hashOf(method: XmlElement): string {
  const digest = onlyChild(method, DS, 'DigestMethod');
  const hash = digest ? HASHES[algorithmOf(digest)] : 'sha1';
  const algorithm = algorithmOf(method);
  let mask: string | undefined = 'sha1';
  if (algorithm === `${XENC11}rsa-oaep`) {
    const generator = onlyChild(method, XENC11, 'MGF');
    mask = generator ? MASKS[algorithmOf(generator)] : 'sha1';
  } else if (algorithm !== `${XENC}rsa-oaep-mgf1p`)
    throw new XmlRefused(`the key encryption ${algorithm.slice(0, 100)} is not accepted`);
  if (!hash || hash !== mask)
    throw new XmlRefused('the key encryption uses two different digests, which is not supported');
  return hash;
}

/**
 * Decrypts the content of an element such as EncryptedAssertion (XML Encryption 1.1). Every
 * decryption failure throws the same error.
 *
 * @throws XmlRefused
 */
export function decryptIn(holder: XmlElement, privateKey: KeyObject): string {
  const data = needed(holder, XENC, 'EncryptedData');
  const cipher = DATA[algorithmOf(needed(data, XENC, 'EncryptionMethod'))];
  if (!cipher) throw new XmlRefused('the encryption algorithm is not accepted');
  const info = onlyChild(data, DS, 'KeyInfo');
  const keys = [
    ...(info ? childrenOf(info, XENC, 'EncryptedKey') : []),
    ...childrenOf(holder, XENC, 'EncryptedKey'),
  ];
  const [key] = keys;
  if (!key || keys.length > 1) throw new XmlRefused('there is not exactly one encrypted key');
  const oaepHash = hashOf(needed(key, XENC, 'EncryptionMethod'));
  const wrapped = bytesOf(key);
  const bytes = bytesOf(data);
  try {
    const secret = privateDecrypt(
      { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash },
      wrapped,
    );
    if (secret.length !== cipher.keyBytes) throw new Error('the key is too short or too long');
    return decryptBytes(cipher.name, secret, bytes).toString('utf8');
  } catch {
    throw new XmlRefused('it cannot be decrypted with the key of this server');
  }
}

function decryptBytes(name: DataCipher['name'], secret: Buffer, bytes: Buffer): Buffer {
  if (name === 'aes-128-gcm' || name === 'aes-192-gcm' || name === 'aes-256-gcm') {
    const decipher = createDecipheriv(name, secret, bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
  }
  const decipher = createDecipheriv(name, secret, bytes.subarray(0, 16)).setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]);
  // XML Encryption pads with arbitrary bytes; only the last byte has a meaning.
  const fill = padded.at(-1) ?? 0;
  if (fill < 1 || fill > 16 || fill > padded.length) throw new Error('wrong padding');
  return padded.subarray(0, padded.length - fill);
}
