import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, StartError } from '../../config.ts';

/** Seals secrets before they are stored and opens them when they are used. */
export interface Vault {
  /**
   * Encrypts a secret. `context` binds it to its table, column and row: elsewhere it does not open.
   */
  seal(plain: string, context: string): string;
  /**
   * Decrypts a secret.
   * @throws Error if the text was changed, moved, or sealed under another key
   */
  open(sealed: string, context: string): string;
  /** Returns an HMAC of the text for one purpose. The text stays readable. */
  sign(text: string, context: string): string;
  /** Derives a 32-byte key for another use, equal on all servers with the same secret key. */
  keyFor(use: string): Buffer;
}

const VERSION = 'v1';
const TAG_BYTES = 16;
const GCM = { authTagLength: TAG_BYTES };

/** Creates a vault with AES-256-GCM and a random nonce per secret. `key` has 32 bytes. */
export function createVault(key: Buffer): Vault {
  // Signatures use a derived key: a key that encrypts never signs.
  const signingKey = Buffer.from(hkdfSync('sha256', key, '', 'sallyport signatures', 32));
  return {
    seal(plain, context) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, GCM).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return [
        VERSION,
        nonce.toString('base64'),
        Buffer.concat([body, cipher.getAuthTag()]).toString('base64'),
      ].join('$');
    },
    open(sealed, context) {
      const [version, nonce = '', body = ''] = sealed.split('$');
      if (version !== VERSION) throw new Error('this secret was sealed in an unknown way');
      const bytes = Buffer.from(body, 'base64');
      // A shorter tag is easier to forge.
      if (bytes.length < TAG_BYTES) throw new Error('this secret is too short to be a sealed one');
      const decipher = createDecipheriv(
        'aes-256-gcm',
        key,
        Buffer.from(nonce, 'base64'),
        GCM,
      ).setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
      return (
        decipher.update(bytes.subarray(0, bytes.length - TAG_BYTES), undefined, 'utf8') +
        decipher.final('utf8')
      );
    },
    keyFor: (use) => Buffer.from(hkdfSync('sha256', key, '', use, 32)),
    sign: (text, context) =>
      createHmac('sha256', signingKey).update(`${context}\n${text}`).digest('hex'),
  };
}

/**
 * Reads the sealing key from the environment or a file; creates it in the data folder on the first
 * start.
 *
 * @throws StartError if the configured file is unreadable, holds no key, or is readable by other
 * accounts.
 */
export function readSecretKey(config: Config): Buffer {
  if (config.secretKey) return Buffer.from(config.secretKey, 'hex');
  const file = config.secretKeyFile ?? join(config.dataDirectory, 'secret.key');
  if (!config.secretKeyFile && !existsSync(file))
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new StartError(
      `SALLYPORT_SECRET_KEY_FILE cannot be read: ${(error as NodeJS.ErrnoException).code}. Example: SALLYPORT_SECRET_KEY_FILE='/run/secrets/sallyport.key'`,
    );
  }
  if (!/^[0-9a-f]{64}$/i.test(text))
    throw new StartError(
      `${file} does not hold a key of 64 hexadecimal digits. Make one with: openssl rand -hex 32`,
    );
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
    throw new StartError(`${file} can be read by other accounts. Run: chmod 600 ${file}`);
  return Buffer.from(text, 'hex');
}
