import { createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';

/** The result of reading a stored secret. */
export type Opened =
  | { readonly plain: string | undefined }
  /** The reason why it cannot be read, which contains no part of it. */
  | { readonly problem: string };

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const URL_BASE64 = /^[A-Za-z0-9_-]+={0,2}$/;
const BLOCK = 16;
/** Base64 length of a part of 16 bytes. */
const PART = 24;

/** Texts have no control characters but line breaks and tabs. A wrong key makes others. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;

function readText(bytes: Buffer): string | undefined {
  if (bytes.length === 0) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return CONTROL.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** A key of 32 bytes with PKCS #7 padding. */
function paddedKey(secretKey: string): Buffer {
  const key = Buffer.from(secretKey);
  if (key.length >= 32) return key.subarray(0, 32);
  return Buffer.concat([key, Buffer.alloc(32 - key.length, 32 - key.length)]);
}

/** AES-GCM: header, nonce and tag of 16 bytes each, and the body; each in base64. */
function openGcm(text: string, secretKey: string): string | undefined {
  if (text.length <= 3 * PART || !BASE64.test(text.slice(3 * PART))) return undefined;
  const [header, nonce, tag] = [0, 1, 2].map((at) =>
    Buffer.from(text.slice(at * PART, (at + 1) * PART), 'base64'),
  );
  if (!header || !nonce || tag?.length !== BLOCK) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', paddedKey(secretKey), nonce, {
    authTagLength: BLOCK,
  });
  decipher.setAAD(header).setAuthTag(tag);
  try {
    const body = Buffer.from(text.slice(3 * PART), 'base64');
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

function decryptBlocks(algorithm: string, key: Buffer, body: Buffer): Buffer | undefined {
  if (body.length === 0 || body.length % BLOCK !== 0) return undefined;
  const decipher = createDecipheriv(algorithm, key, null).setAutoPadding(false);
  return Buffer.concat([decipher.update(body), decipher.final()]);
}

/** AES-ECB with zero padding of key and text. It has no checksum: readable text proves the key. */
function openEcb(text: string, secretKey: string): string | undefined {
  if (!BASE64.test(text)) return undefined;
  const key = Buffer.from([...secretKey].slice(0, 32).join(''));
  const padded = Buffer.concat([key, Buffer.alloc((BLOCK - (key.length % BLOCK)) % BLOCK)]);
  if (![16, 32].includes(padded.length)) return undefined;
  const algorithm = padded.length === 16 ? 'aes-128-ecb' : 'aes-256-ecb';
  const plain = decryptBlocks(algorithm, padded, Buffer.from(text, 'base64'));
  if (!plain) return undefined;
  let end = plain.length;
  while (end > 0 && plain[end - 1] === 0) end -= 1;
  return readText(plain.subarray(0, end));
}

/** SM4-ECB with PKCS #7 padding, base64 for URLs. */
function openSm4(text: string, secretKey: string): string | undefined {
  if (!URL_BASE64.test(text)) return undefined;
  const key = paddedKey(secretKey).subarray(0, BLOCK);
  const plain = decryptBlocks('sm4-ecb', key, Buffer.from(text, 'base64url'));
  const padding = plain?.at(-1) ?? 0;
  if (!plain || padding < 1 || padding > BLOCK) return undefined;
  if (plain.subarray(-padding).some((byte) => byte !== padding)) return undefined;
  return readText(plain.subarray(0, -padding));
}

/** A JSON Web Signature with HMAC-SHA256. It is signed and not encrypted. */
function openSigned(text: string, secretKey: string): string | undefined {
  const [header = '', payload = '', signature = '', ...rest] = text.split('.');
  if (!header || !payload || !signature || rest.length > 0) return undefined;
  const expected = createHmac('sha256', secretKey).update(`${header}.${payload}`).digest();
  const actual = Buffer.from(signature, 'base64url');
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

const FORMATS = [openGcm, openSigned, openEcb, openSm4];

/**
 * Opens a stored secret of JumpServer: AES-GCM, AES-ECB, SM4-ECB, or a signed text of the first
 * versions.
 */
export function openSecret(stored: unknown, secretKey: string): Opened {
  if (stored === null || stored === undefined || stored === '') return { plain: undefined };
  if (typeof stored !== 'string') return { problem: 'is no text' };
  for (const open of FORMATS) {
    const plain = open(stored, secretKey);
    if (plain !== undefined) return { plain: plain === '' ? undefined : plain };
  }
  return { problem: 'cannot be decrypted with this SECRET_KEY, or has an unknown format' };
}
