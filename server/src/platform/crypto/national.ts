import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Prefix of a text that SM4 sealed. No base64 text contains the dot. */
const MARK = 'sm4.';
const BLOCK_BYTES = 16;
const MAC_BYTES = 32;

export const isSm4 = (text: string): boolean => text.startsWith(MARK);

/** Derives a key for SM4 and one for HMAC-SM3 from a data key. */
function keysOf(key: Buffer): { readonly cipher: Buffer; readonly mac: Buffer } {
  const bytes = Buffer.from(hkdfSync('sm3', key, '', 'sallyport sm4', BLOCK_BYTES + MAC_BYTES));
  return { cipher: bytes.subarray(0, BLOCK_BYTES), mac: bytes.subarray(BLOCK_BYTES) };
}

/** The code over context, nonce and body. The length keeps the context apart from the nonce. */
function macOf(key: Buffer, context: string, nonce: Buffer, body: Buffer): Buffer {
  const place = Buffer.from(context);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(place.length);
  return createHmac('sm3', key).update(length).update(place).update(nonce).update(body).digest();
}

/**
 * Encrypts with SM4-CBC and a random nonce, then authenticates with HMAC-SM3: OpenSSL in Node has
 * no SM4-GCM.
 */
export function encryptSm4(key: Buffer, plain: string, context: string): string {
  const keys = keysOf(key);
  const nonce = randomBytes(BLOCK_BYTES);
  const cipher = createCipheriv('sm4-cbc', keys.cipher, nonce);
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  const code = macOf(keys.mac, context, nonce, body);
  return `${MARK}${nonce.toString('base64')}$${Buffer.concat([body, code]).toString('base64')}`;
}

/**
 * Decrypts the text of `encryptSm4`. Nothing is decrypted before the code was compared.
 * @throws Error if the text, the context or the key differs
 */
export function decryptSm4(key: Buffer, text: string, context: string): string {
  const [head = '', tail = ''] = text.slice(MARK.length).split('$');
  const [nonce, bytes] = [Buffer.from(head, 'base64'), Buffer.from(tail, 'base64')];
  const end = bytes.length - MAC_BYTES;
  if (nonce.length !== BLOCK_BYTES || end < BLOCK_BYTES)
    throw new Error('this secret is too short to be a sealed one');
  const keys = keysOf(key);
  const body = bytes.subarray(0, end);
  if (!timingSafeEqual(macOf(keys.mac, context, nonce, body), bytes.subarray(end)))
    throw new Error('this secret was changed, moved, or sealed under another key');
  const decipher = createDecipheriv('sm4-cbc', keys.cipher, nonce);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
}
