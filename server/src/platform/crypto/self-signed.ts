import { createPublicKey, generateKeyPair, type KeyObject, randomBytes, sign } from 'node:crypto';
import { promisify } from 'node:util';

/** A key and the certificate that carries its public half to others, both as PEM. */
export interface KeyWithCertificate {
  readonly privateKey: string;
  readonly certificate: string;
}

const element = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  if (content.length < 128) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const size = Buffer.from(content.length.toString(16).padStart(content.length > 0xffff ? 6 : content.length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | size.length]), size, content]);
};
const sequence = (...parts: Buffer[]) => element(0x30, ...parts);
/** sha256WithRSAEncryption (1.2.840.113549.1.1.11). */
const ALGORITHM = sequence(Buffer.from('06092a864886f70d01010b', 'hex'), Buffer.from('0500', 'hex'));
/** id-at-commonName (2.5.4.3). */
const COMMON_NAME = Buffer.from('0603550403', 'hex');

const nameOf = (name: string) => sequence(element(0x31, sequence(COMMON_NAME, element(0x0c, Buffer.from(name, 'utf8')))));
/** UTCTime through the year 2049, GeneralizedTime after it (RFC 5280 4.1.2.5). */
const timeOf = (date: Date) => {
  const text = `${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
  return date.getUTCFullYear() < 2050 ? element(0x17, Buffer.from(text.slice(2), 'ascii')) : element(0x18, Buffer.from(text, 'ascii'));
};

/** A certificate that a key signs for itself (RFC 5280, version 1): it says nothing but which key belongs to the name. */
function certificateOf(key: KeyObject, name: string, from: Date, until: Date): string {
  const serial = randomBytes(16);
  // Positive, and without a leading zero.
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const content = sequence(element(0x02, serial), ALGORITHM, nameOf(name), sequence(timeOf(from), timeOf(until)), nameOf(name), publicKey);
  const signature = element(0x03, Buffer.from([0]), sign('sha256', content, key));
  const lines =
    sequence(content, ALGORITHM, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** Makes an RSA key of 3072 bits with a certificate of its own. */
export async function makeKeyWithCertificate(name: string, years: number): Promise<KeyWithCertificate> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 3_072 });
  const from = new Date(Date.now() - 86_400_000);
  const until = new Date(from);
  until.setUTCFullYear(until.getUTCFullYear() + years);
  return { privateKey: String(privateKey.export({ type: 'pkcs8', format: 'pem' })), certificate: certificateOf(privateKey, name, from, until) };
}
