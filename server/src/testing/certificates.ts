import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A certificate with its key, and the authority that vouches for it; all are paths of PEM files. */
export interface Certificates {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: ['ignore', 'ignore', 'pipe'] });

/** Makes an authority and a certificate for servers of the given names on this machine. */
export function makeCertificates(folder: string, names = 'DNS:localhost,IP:127.0.0.1'): Certificates {
  const at = (name: string) => join(folder, name);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-x509', ...newKey, '-keyout', at('ca.key'), '-out', at('ca.pem'), '-days', '2', '-subj', '/CN=Test authority');
  openssl('req', ...newKey, '-keyout', at('server.key'), '-out', at('server.csr'), '-subj', '/CN=directory');
  writeFileSync(at('names.txt'), `subjectAltName=${names}\n`);
  const signedBy = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'];
  openssl('x509', '-req', '-in', at('server.csr'), ...signedBy, '-out', at('server.pem'), '-days', '2', '-extfile', at('names.txt'));
  return { authority: at('ca.pem'), certificate: at('server.pem'), key: at('server.key') };
}
