import type { ProtocolName, SessionKind } from '@sallyport/contract';
import { Refusal } from '../refusal.ts';
import type { Connector } from './connector.ts';

/**
 * One connector per protocol. The implementation is loaded with the first connection: an idle
 * server saves the memory.
 */
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

/** Returns the connector of a protocol for a session kind. @throws Refusal if none exists */
export function connectorFor(
  protocol: ProtocolName,
  kind: SessionKind,
  connectors: readonly Connector[],
): Connector {
  const match = connectors.find(
    (each) => each.protocol === protocol && each.sessionKinds.includes(kind),
  );
  if (!match) throw new Refusal('connect_protocol', { protocol });
  return match;
}
