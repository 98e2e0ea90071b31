import { NotCertified, UnknownData, type VncStream } from '@sallyport/vnc';
import { Refusal } from '../../refusal.ts';
import type { Connection, Route } from '../connector.ts';
import { inTime } from '../ssh/ssh-client.ts';
import { openTransport } from '../ssh/transport.ts';
import { checkSize, VncDesktop } from './desktop.ts';
import { notVnc, requestDesktop, signIn } from './handshake.ts';

/**
 * Connects to a VNC desktop, directly or through SSH gateways, with TLS if the server has a
 * certificate. Leaves nothing open on failure.
 * @throws Refusal
 */
export async function connectVnc(route: Route, signal: AbortSignal): Promise<Connection> {
  const { target, timeoutMs } = route;
  const host = `${target.host}:${target.port}`;
  const readable = (error: unknown): never => {
    signal.throwIfAborted();
    throw error instanceof Refusal ? error : notVnc(host);
  };
  const { started, close } = await open(route, signal).catch(readable);
  const { stream } = started;
  return {
    openDesktop: async ({ name, clipboard }, events) => {
      const { width, height } = await inTime(requestDesktop(started, host), timeoutMs, signal, {
        host,
      }).catch(readable);
      try {
        checkSize(width, height);
      } catch (error) {
        throw error instanceof UnknownData ? notVnc(host) : error;
      }
      return new VncDesktop({
        stream,
        close,
        facts: { protocol: 'vnc', width, height, name },
        clipboard,
        events,
      });
    },
    close,
  };
}

/**
 * Connects and signs in. If the server encrypts without a certificate, retries without encryption
 * where the server offers that and no certificate is pinned.
 */
async function open(
  route: Route,
  signal: AbortSignal,
): Promise<{ readonly started: VncStream; readonly close: () => void }> {
  try {
    return await openOnce(route, signal, true);
  } catch (error) {
    if (!(error instanceof NotCertified)) throw error;
    const { target } = route;
    if (!error.hasMore)
      throw new Refusal('connect_desktop_unchecked', { host: `${target.host}:${target.port}` });
    return openOnce(route, signal, false);
  }
}

async function openOnce(
  route: Route,
  signal: AbortSignal,
  mayEncrypt: boolean,
): Promise<{ readonly started: VncStream; readonly close: () => void }> {
  const { target, timeoutMs } = route;
  const transport = await openTransport(route, signal);
  const close = () => {
    transport.stream.destroy();
    transport.close();
  };
  // The handshake reports a lost connection itself; without a handler the event would end the
  // process.
  transport.stream.on('error', () => undefined);
  try {
    const started = await inTime(signIn(transport.stream, route, mayEncrypt), timeoutMs, signal, {
      host: `${target.host}:${target.port}`,
    });
    return { started, close };
  } catch (error) {
    close();
    throw error;
  }
}
