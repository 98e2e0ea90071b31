import type { Connection, Connector, Route } from '../connector.ts';

/** RDP: desktops on Windows and on Linux with xrdp, directly or through SSH gateways. Always over TLS. */
export const rdp = { protocol: 'rdp', sessionKinds: ['desktop'], connect } as const satisfies Connector;

async function connect(route: Route, signal: AbortSignal): Promise<Connection> {
  // Few sessions are desktops of this kind: what they need is loaded with the first one.
  const [{ connectRdp }, { openRdpDesktop }] = await Promise.all([import('./connect.ts'), import('./desktop.ts')]);
  const connection = await connectRdp(route, signal);
  const { host, port, login } = route.target;
  const account = { host: `${host}:${port}`, username: login.username, password: login.password ?? '' };
  return { openDesktop: async (request, events) => openRdpDesktop(connection, account, request, events), close: connection.close };
}
