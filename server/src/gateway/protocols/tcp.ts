import type { X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { AddressPolicy } from '../../platform/address-policy.ts';
import { readFairly } from '../../platform/fair-reads.ts';
import { TCP_KEEPALIVE } from '../limits.ts';
import { Refusal } from '../refusal.ts';
import type { Route } from './connector.ts';

export interface TcpTarget {
  readonly host: string;
  readonly port: number;
}

/**
 * Connects to the first server of a route. The policy checks the resolved address, and the
 * connection uses exactly this address.
 */
export async function openTcp(
  { host, port }: TcpTarget,
  addresses: AddressPolicy,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Socket> {
  const addressList = isIP(host)
    ? [host]
    : (await lookup(host, { all: true })).map(({ address }) => address);
  signal.throwIfAborted();
  const allowed = addressList.filter((address) => addresses.allows(address, port));
  const [first, ...others] = allowed;
  if (first === undefined) throw new Refusal('connect_address', { host: `${host}:${port}` });
  let problem: unknown;
  for (const address of [first, ...others]) {
    try {
      return await connectTo(address, port, timeoutMs / allowed.length, signal);
    } catch (error) {
      signal.throwIfAborted();
      problem ??= error;
    }
  }
  throw problem;
}

function connectTo(
  address: string,
  port: number,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((done, failed) => {
    const socket = connect({ host: address, port, noDelay: true, ...TCP_KEEPALIVE });
    const timer = setTimeout(
      () => giveUp(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })),
      timeoutMs,
    );
    const abort = () => giveUp(signal.reason);
    const giveUp = (reason: unknown) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      socket.destroy();
      failed(reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    socket.once('error', giveUp);
    socket.once('connect', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      socket.off('error', giveUp);
      readFairly(socket);
      done(socket);
    });
  });
}

/** Key types of certificate pins: one per protocol, so that they are pinned separately. */
export type CertificateKind = 'x509' | 'x509-vnc';

/** An encrypted stream to a server whose key is the pinned one. */
interface PinnedTls {
  readonly stream: TLSSocket;
  readonly certificate: X509Certificate;
}

/**
 * Begins TLS to a desktop server with a self-signed certificate, and compares its public key with
 * the pin. A renewed certificate with the same key needs no review. No data is sent before. Rejects
 * with another error if TLS fails.
 *
 * @throws Refusal if another key is pinned
 */
export async function beginPinnedTls(
  transport: Duplex,
  { target, hostKeys }: Pick<Route, 'target' | 'hostKeys'>,
  keyType: CertificateKind,
): Promise<PinnedTls> {
  const stream = await beginTls(transport, target.host);
  // Node returns the certificate only once.
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
    throw new Refusal('connect_certificate_changed', { host: `${target.host}:${target.port}` });
  return { stream, certificate };
}

function beginTls(transport: Duplex, host: string): Promise<TLSSocket> {
  return new Promise((done, failed) => {
    const stream = connectTls({
      socket: transport,
      // The pin replaces the verification of a chain.
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
