import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import {
  BadPdu,
  connectionRequest,
  NegotiationRefused,
  offerOf,
  readConfirm,
  SECURITY,
  SignInRefused,
  signInByCredssp,
  windowsAccount,
} from '@sallyport/rdp';
import { Refusal } from '../../refusal.ts';
import type { Route } from '../connector.ts';
import { readExactly } from '../read-exactly.ts';
import { openTransport } from '../ssh/transport.ts';
import { beginPinnedTls } from '../tcp.ts';
import { signInRefusalOf } from './sign-in-refusals.ts';

/** Maximum length of the first answer, in bytes. */
const MAX_CONFIRM = 64;

/** A connection before the exchange of settings. */
export interface RdpConnection {
  readonly stream: TLSSocket;
  /** The security protocol that the server chose. It verifies the value later. */
  readonly protocol: number;
  close(): void;
}

/**
 * Connects through the route, begins TLS, verifies the pinned certificate, and signs in with
 * network level authentication. A server without it receives the account in the Client Info PDU,
 * and shows its own error.
 *
 * @throws Refusal
 */
export async function connectRdp(route: Route, signal: AbortSignal): Promise<RdpConnection> {
  const { host, port, rdpSecurity } = route.target;
  const offer = offerOf(rdpSecurity);
  const address = `${host}:${port}`;
  try {
    return await connectWith(offer, route, signal);
  } catch (error) {
    if (!(error instanceof NegotiationRefused)) throw error;
    // The platform allows TLS only, but the server requires network level authentication, which is
    // at least as strong.
    if (offer === SECURITY.tls && error.failure === 'requiresNetworkLevel')
      return connectWith(SECURITY.networkLevel, route, signal).catch((again: unknown) => {
        throw again instanceof NegotiationRefused ? negotiationRefusalOf(again, address) : again;
      });
    throw negotiationRefusalOf(error, address);
  }
}

/** The refusal of a server that accepts none of our security protocols. */
function negotiationRefusalOf({ failure, code }: NegotiationRefused, host: string): Refusal {
  if (failure === 'lacksTls') return new Refusal('connect_rdp_no_tls', { host });
  if (failure === 'lacksNetworkLevel') return new Refusal('connect_rdp_no_nla', { host });
  return code === undefined
    ? new Refusal('connect_desktop_sign_in', { host, protocol: 'RDP' })
    : new Refusal('connect_rdp_negotiation', { host, code });
}

async function connectWith(
  offer: number,
  route: Route,
  signal: AbortSignal,
): Promise<RdpConnection> {
  const { target, timeoutMs, onStage } = route;
  const host = `${target.host}:${target.port}`;
  const { stream: transport, close: closeRoute } = await openTransport(route, signal);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const abort = () => transport.destroy();
  limit.addEventListener('abort', abort);
  transport.on('error', () => undefined);
  try {
    transport.write(connectionRequest(target.login.username, offer));
    const protocol = readConfirm(await readFirst(transport), offer);
    const { stream, certificate } = await beginPinnedTls(transport, route, 'x509');
    if (protocol === SECURITY.networkLevel) {
      onStage('authenticating', target.name);
      await signInByCredssp(
        stream,
        certificate.raw,
        windowsAccount(target.login.username, target.login.password ?? ''),
        limit,
      );
    }
    limit.throwIfAborted();
    return {
      stream,
      protocol,
      close: () => {
        stream.destroy();
        transport.destroy();
        closeRoute();
      },
    };
  } catch (error) {
    transport.destroy();
    closeRoute();
    if (signal.aborted) throw signal.reason;
    if (error instanceof Refusal) throw error;
    if (limit.aborted) throw new Refusal('connect_timeout', { host });
    if (error instanceof SignInRefused)
      throw signInRefusalOf(error, { host, account: target.login.username });
    if (error instanceof NegotiationRefused) throw error;
    throw new Refusal('connect_desktop_error', { host, protocol: 'RDP' });
  } finally {
    limit.removeEventListener('abort', abort);
  }
}

/** Reads exactly the one PDU before TLS. */
async function readFirst(transport: Duplex): Promise<Buffer> {
  const head = await readWhole(transport, 4);
  const length = head.readUInt16BE(2);
  if (head.readUInt8(0) !== 3 || length < 11 || length > MAX_CONFIRM)
    throw new BadPdu('the server did not answer with X.224');
  return Buffer.concat([head, await readWhole(transport, length - 4)]);
}

async function readWhole(transport: Duplex, length: number): Promise<Buffer> {
  const bytes = await readExactly(transport, length);
  if (!bytes) throw new BadPdu('the server ended too early');
  return bytes;
}
