import { Refusal } from '../../refusal.ts';
import type { Connection, Route } from '../connector.ts';
import { inTime } from '../ssh/ssh-client.ts';
import { openTransport } from '../ssh/transport.ts';
import { VncDesktop } from './desktop.ts';
import { begin, notVnc, signIn } from './handshake.ts';
import { checkSize } from './server-messages.ts';
import { UnknownData } from './stream-parser.ts';
import { NotCertified, type VncStream } from './vencrypt.ts';

/** VNC: desktops of servers, directly or through SSH gateways, encrypted where the server shows a certificate. Opens the route and signs in; nothing is left open when that fails. @throws Refusal */
export async function connectVnc(route: Route, signal: AbortSignal): Promise<Connection> {
  const { target, timeoutMs } = route;
  const host = `${target.host}:${target.port}`;
  const readable = (error: unknown): never => {
    signal.throwIfAborted();
    throw error instanceof Refusal ? error : notVnc(host);
  };
  const { begun, close } = await open(route, signal).catch(readable);
  const { stream } = begun;
  return {
    openDesktop: async ({ name, clipboard }, events) => {
      const { width, height } = await inTime(begin(begun, host), timeoutMs, signal, { host }).catch(
        readable,
      );
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

/** Connects and signs in. A server that encrypts for everybody is asked again without encryption, where it offers that and none of its certificates is known. */
async function open(
  route: Route,
  signal: AbortSignal,
): Promise<{ readonly begun: VncStream; readonly close: () => void }> {
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
): Promise<{ readonly begun: VncStream; readonly close: () => void }> {
  const { target, timeoutMs } = route;
  const transport = await openTransport(route, signal);
  const close = () => {
    transport.stream.destroy();
    transport.close();
  };
  // Until the desktop listens itself, what reads sees a lost connection.
  transport.stream.on('error', () => undefined);
  try {
    const begun = await inTime(signIn(transport.stream, route, mayEncrypt), timeoutMs, signal, {
      host: `${target.host}:${target.port}`,
    });
    return { begun, close };
  } catch (error) {
    close();
    throw error;
  }
}
