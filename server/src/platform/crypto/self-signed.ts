import { createPublicKey, generateKeyPair, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { promisify } from 'node:util';

/** A private key and the certificate of its public key, both as PEM. */
export interface KeyWithCertificate {
  readonly privateKey: string;
  readonly certificate: string;
}

const element = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  if (content.length < 128) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const size = Buffer.from(
    content.length
      .toString(16)
      .padStart(content.length > 0xffff ? 6 : content.length > 0xff ? 4 : 2, '0'),
    'hex',
  );
  return Buffer.concat([Buffer.from([tag, 0x80 | size.length]), size, content]);
};
const sequence = (...parts: Buffer[]) => element(0x30, ...parts);
/** sha256WithRSAEncryption (1.2.840.113549.1.1.11). */
const ALGORITHM = sequence(
  Buffer.from('06092a864886f70d01010b', 'hex'),
  Buffer.from('0500', 'hex'),
);
/** id-at-commonName (2.5.4.3). */
const COMMON_NAME = Buffer.from('0603550403', 'hex');

const nameOf = (name: string) =>
  sequence(element(0x31, sequence(COMMON_NAME, element(0x0c, Buffer.from(name, 'utf8')))));
/** UTCTime through 2049, GeneralizedTime afterwards (RFC 5280, 4.1.2.5). */
const timeOf = (date: Date) => {
  const text = `${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
  return date.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(text.slice(2), 'ascii'))
    : element(0x18, Buffer.from(text, 'ascii'));
};

/**
 * basicConstraints (2.5.29.19), critical: clients may trust the certificate as an authority for
 * itself alone.
 */
const OWN_AUTHORITY = Buffer.from('30120603551d130101ff040830060101ff020100', 'hex');
/** id-ce-subjectAltName (2.5.29.17). */
const ALTERNATIVE_NAMES = Buffer.from('0603551d11', 'hex');
const VERSION_3 = Buffer.from('a003020102', 'hex');

/** Returns the bytes of an IP address; undefined for a host name. */
function addressBytes(name: string): Buffer | undefined {
  if (isIPv4(name)) return Buffer.from(name.split('.').map(Number));
  if (!isIPv6(name)) return undefined;
  const [head = '', tail] = new URL(`http://[${name}]/`).hostname.slice(1, -1).split('::');
  const words = (part: string) => part.split(':').filter((word) => word !== '');
  const zeros = 8 - words(head).length - words(tail ?? '').length;
  const all = [
    ...words(head),
    ...Array<string>(tail === undefined ? 0 : zeros).fill('0'),
    ...words(tail ?? ''),
  ];
  return Buffer.from(all.map((word) => word.padStart(4, '0')).join(''), 'hex');
}

/** Encodes names and addresses of a server as certificate extensions (RFC 5280, 4.2.1.6). */
function extensionsOf(names: readonly string[]): Buffer {
  const general = names.map((name) => {
    const address = addressBytes(name);
    return address ? element(0x87, address) : element(0x82, Buffer.from(name, 'ascii'));
  });
  const alternatives = sequence(ALTERNATIVE_NAMES, element(0x04, sequence(...general)));
  return element(0xa3, sequence(OWN_AUTHORITY, alternatives));
}

interface CertificateFields {
  readonly name: string;
  readonly names: readonly string[];
  readonly from: Date;
  readonly until: Date;
}

/**
 * Creates a self-signed certificate (RFC 5280). Without `names` it has version 1 and only binds the
 * key to `name`.
 */
function certificateOf(key: KeyObject, { name, names, from, until }: CertificateFields): string {
  const serial = randomBytes(16);
  // Keeps the serial number positive and without a leading zero byte.
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const validity = sequence(timeOf(from), timeOf(until));
  const facts = [element(0x02, serial), ALGORITHM, nameOf(name), validity, nameOf(name), publicKey];
  const content =
    names.length > 0 ? sequence(VERSION_3, ...facts, extensionsOf(names)) : sequence(...facts);
  const signature = element(0x03, Buffer.from([0]), sign('sha256', content, key));
  const lines =
    sequence(content, ALGORITHM, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/**
 * Creates a 3072-bit RSA key with a self-signed certificate. `names` are host names and addresses
 * of a server that presents it.
 */
export async function makeKeyWithCertificate(
  name: string,
  years: number,
  names: readonly string[] = [],
): Promise<KeyWithCertificate> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 3_072 });
  const from = new Date(Date.now() - 86_400_000);
  const until = new Date(from);
  until.setUTCFullYear(until.getUTCFullYear() + years);
  return {
    privateKey: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    certificate: certificateOf(privateKey, { name, names, from, until }),
  };
}
