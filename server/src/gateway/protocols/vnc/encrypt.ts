import type { Duplex } from 'node:stream';
import { chooseCertified, Incoming, type SignInKind, type VncStream } from '@sallyport/vnc';
import { Refusal } from '../../refusal.ts';
import type { Route } from '../connector.ts';
import { beginPinnedTls, type CertificateKind } from '../pinned-tls.ts';

/** Key type of the pin of a VNC certificate. */
export const VNC_CERTIFICATE: CertificateKind = 'x509-vnc';

/**
 * Chooses a type and begins TLS. Compares the certificate with the pin before sending data.
 * @throws Refusal
 */
export async function encrypt(
  incoming: Incoming,
  stream: Duplex,
  route: Pick<Route, 'target' | 'hostKeys'>,
  kind: SignInKind,
): Promise<VncStream> {
  const host = `${route.target.host}:${route.target.port}`;
  if (!(await chooseCertified(incoming, stream, kind)))
    throw new Refusal('connect_desktop_unchecked', { host });
  const { stream: encrypted } = await beginPinnedTls(stream, route, VNC_CERTIFICATE);
  return { stream: encrypted, incoming: new Incoming(encrypted), kind };
}
