import type { Connection, Route } from '../connector.ts';
import { connectRdp } from './connect.ts';
import { openRdpDesktop } from './desktop.ts';

/**
 * Connects to an RDP desktop (Windows, or xrdp on Linux), directly or through SSH gateways. Always
 * uses TLS.
 */
export async function connectRdpDesktop(route: Route, signal: AbortSignal): Promise<Connection> {
  const connection = await connectRdp(route, signal);
  const { host, port, login, rdpConsole } = route.target;
  const account = {
    host: `${host}:${port}`,
    username: login.username,
    password: login.password ?? '',
    isConsole: rdpConsole === true,
  };
  return {
    openDesktop: async (request, events) => openRdpDesktop(connection, account, request, events),
    close: connection.close,
  };
}
