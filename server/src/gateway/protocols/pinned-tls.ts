import type { X509Certificate } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { Refusal } from '../refusal.ts';
import type { Route } from './connector.ts';

/** How certificates are pinned: each protocol of a target has one of its own. */
export type CertificateKind = 'x509' | 'x509-vnc';

/** An encrypted stream to a server whose key is the pinned one. */
export interface PinnedTls {
  readonly stream: TLSSocket;
  readonly certificate: X509Certificate;
}

/**
 * Begins TLS to a desktop's server, whose certificate is its own: its public key is compared with the pinned one, so a certificate that is renewed for the same key needs no review. Nothing
 * is sent before. It rejects with another error where TLS cannot begin.
 *
 * @throws Refusal where another key is pinned
 */
export async function beginPinnedTls(
  transport: Duplex,
  { target, hostKeys }: Pick<Route, 'target' | 'hostKeys'>,
  keyType: CertificateKind,
): Promise<PinnedTls> {
  const stream = await beginTls(transport, target.host);
  // It is given once.
  const certificate = stream.getPeerX509Certificate();
  if (!certificate) throw new Error('the server showed no certificate');
  const key = certificate.publicKey.export({ type: 'spki', format: 'der' });
  const verdict = await hostKeys.verify({
    kind: 'asset',
    ownerId: target.id,
    host: target.host,
    port: target.port,
    keyType,
    key,
  });
  if (verdict === 'changed')
    throw new Refusal('connect_host_key', { host: `${target.host}:${target.port}` });
  return { stream, certificate };
}

function beginTls(transport: Duplex, host: string): Promise<TLSSocket> {
  return new Promise((done, failed) => {
    const stream = connectTls({
      socket: transport,
      // The pin is what is compared.
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      ...(/[a-z]/i.test(host) && !host.includes(':') && { servername: host }),
    });
    const fail = () => failed(new Error('TLS could not begin'));
    stream.once('error', fail);
    stream.once('close', fail);
    stream.once('secureConnect', () => {
      stream.off('error', fail);
      stream.off('close', fail);
      stream.on('error', () => undefined);
      done(stream);
    });
  });
}
