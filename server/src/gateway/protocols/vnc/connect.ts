import { Refusal } from '../../refusal.ts';
import type { Connection, Route } from '../connector.ts';
import { inTime } from '../ssh/ssh-client.ts';
import { openTransport } from '../ssh/transport.ts';
import { VncDesktop } from './desktop.ts';
import { begin, notVnc, signIn } from './handshake.ts';
import { checkSize } from './server-messages.ts';
import { UnknownData } from './stream-parser.ts';

/** VNC: desktops of servers, directly or through SSH gateways. It encrypts nothing by itself. Opens the route and signs in; nothing is left open when that fails. @throws Refusal */
export async function connectVnc(route: Route, signal: AbortSignal): Promise<Connection> {
  const { target, timeoutMs } = route;
  const { stream, close } = await openTransport(route, signal);
  const host = `${target.host}:${target.port}`;
  const end = () => {
    stream.destroy();
    close();
  };
  // Until the desktop listens itself, what reads sees a lost connection.
  stream.on('error', () => undefined);
  const readable = (error: unknown): never => {
    signal.throwIfAborted();
    throw error instanceof Refusal ? error : notVnc(host);
  };
  try {
    const incoming = await inTime(signIn(stream, route), timeoutMs, signal, { host }).catch(readable);
    return {
      openDesktop: async ({ name, clipboard }, events) => {
        const { width, height } = await inTime(begin(stream, incoming, host), timeoutMs, signal, { host }).catch(readable);
        try {
          checkSize(width, height);
        } catch (error) {
          throw error instanceof UnknownData ? notVnc(host) : error;
        }
        return new VncDesktop({ stream, close, facts: { protocol: 'vnc', width, height, name }, clipboard, events });
      },
      close: end,
    };
  } catch (error) {
    end();
    throw error;
  }
}
