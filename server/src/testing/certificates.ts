import 'reflect-metadata';
import { randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';

/** A certificate, its key and its authority, as paths of PEM files. */
export interface Certificates {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

const DAY = 86_400_000;
const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A key and its certificate in PEM. */
export interface KeyWithCertificate {
  readonly key: string;
  readonly certificate: string;
}

/** When a certificate begins and ends, in days from now. */
export interface ValidDays {
  readonly from: number;
  readonly until: number;
}
const VALID: ValidDays = { from: -1, until: 2 };
/** Certificates that are no longer, or not yet valid. */
export const EXPIRED: ValidDays = { from: -3, until: -1 };
export const NOT_YET_VALID: ValidDays = { from: 1, until: 3 };

const validity = ({ from, until } = VALID) => ({
  serialNumber: randomBytes(15).toString('hex'),
  notBefore: new Date(Date.now() + from * DAY),
  notAfter: new Date(Date.now() + until * DAY),
  signingAlgorithm: EC,
});

async function makeKeys() {
  const keys = await crypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey));
  return { keys, pem: x509.PemConverter.encode(der, 'PRIVATE KEY') };
}

/** Parses subject alternative names such as `DNS:localhost,IP:127.0.0.1`. */
function extensionOf(names: string): x509.SubjectAlternativeNameExtension {
  const general = names.split(',').map((name) => {
    const [kind, ...value] = name.split(':');
    return { type: kind === 'IP' ? 'ip' : 'dns', value: value.join(':') } as const;
  });
  return new x509.SubjectAlternativeNameExtension(general);
}

/** Creates a self-signed certificate for these names. */
export async function makeSelfSigned(names: string): Promise<KeyWithCertificate> {
  const { keys, pem } = await makeKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    { ...validity(), name: 'CN=Test server', keys, extensions: [extensionOf(names)] },
    crypto,
  );
  return { key: pem, certificate: certificate.toString('pem') };
}

/** Creates an authority and a server certificate for these names, valid for these days. */
export async function makeCertificates(
  folder: string,
  names = 'DNS:localhost,IP:127.0.0.1',
  days = VALID,
): Promise<Certificates> {
  const at = (name: string) => join(folder, name);
  const [authority, server] = [await makeKeys(), await makeKeys()];
  const root = await x509.X509CertificateGenerator.createSelfSigned(
    {
      ...validity(),
      // Authorities with one name in one file hide each other.
      name: `CN=Test authority ${randomUUID()}`,
      keys: authority.keys,
      extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
    },
    crypto,
  );
  const leaf = await x509.X509CertificateGenerator.create(
    {
      ...validity(days),
      subject: 'CN=directory',
      issuer: root.subject,
      publicKey: server.keys.publicKey,
      signingKey: authority.keys.privateKey,
      extensions: [extensionOf(names)],
    },
    crypto,
  );
  const files = { authority: at('ca.pem'), certificate: at('server.pem'), key: at('server.key') };
  writeFileSync(files.authority, root.toString('pem'));
  writeFileSync(files.certificate, leaf.toString('pem'));
  writeFileSync(files.key, server.pem);
  return files;
}
