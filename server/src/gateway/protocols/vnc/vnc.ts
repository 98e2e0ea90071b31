import type { Connector } from '../connector.ts';

/** VNC: desktops of servers, directly or through SSH gateways. It encrypts nothing by itself. Loaded with its first session. */
export const vnc = {
  protocol: 'vnc',
  sessionKinds: ['desktop'],
  connect: async (route, signal) => (await import('./connect.ts')).connectVnc(route, signal),
} as const satisfies Connector;
