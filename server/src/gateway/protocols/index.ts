import type { ProtocolName, SessionKind } from '@sallyport/contract';
import { Refusal } from '../refusal.ts';
import type { Connector } from './connector.ts';

/** One for each protocol that the gateway speaks. How it is spoken is loaded with the first connection: most servers speak few of them, and an idle one none. */
export const CONNECTORS: readonly Connector[] = [
  connector('ssh', ['terminal', 'transfer'], async () => (await import('./ssh/ssh.ts')).connectSsh),
  connector('telnet', ['terminal'], async () => (await import('./telnet/telnet.ts')).connectTelnet),
  connector('mysql', ['query'], async () => (await import('./drivers/mysql.ts')).connectMysql),
  connector(
    'postgresql',
    ['query'],
    async () => (await import('./drivers/postgresql.ts')).connectPostgresql,
  ),
  connector('redis', ['query'], async () => (await import('./drivers/redis.ts')).connectRedis),
  connector('rdp', ['desktop'], async () => (await import('./rdp/rdp.ts')).connectRdpDesktop),
  connector('vnc', ['desktop'], async () => (await import('./vnc/connect.ts')).connectVnc),
];

function connector(
  protocol: ProtocolName,
  sessionKinds: readonly SessionKind[],
  load: () => Promise<Connector['connect']>,
): Connector {
  return {
    protocol,
    sessionKinds,
    connect: async (route, signal) => (await load())(route, signal),
  };
}

/** The connector that opens sessions of a kind over a protocol. @throws Refusal when there is none */
export function connectorFor(
  protocol: ProtocolName,
  kind: SessionKind,
  connectors: readonly Connector[],
): Connector {
  const found = connectors.find(
    (each) => each.protocol === protocol && each.sessionKinds.includes(kind),
  );
  if (!found) throw new Refusal('connect_protocol', { protocol });
  return found;
}
