import type { ProtocolName, SessionKind } from '@sallyport/contract';
import { Refusal } from '../refusal.ts';
import type { Connector } from './connector.ts';
import { connectMysql } from './drivers/mysql.ts';
import { connectPostgresql } from './drivers/postgresql.ts';
import { connectRedis } from './drivers/redis.ts';
import { connectKubernetes } from './kubernetes/connect.ts';
import { connectRdpDesktop } from './rdp/desktop.ts';
import { connectSsh } from './ssh/ssh.ts';
import { connectTelnet } from './telnet/telnet.ts';
import { connectVnc } from './vnc/connect.ts';

/** One connector per protocol. */
export const CONNECTORS: readonly Connector[] = [
  { protocol: 'ssh', sessionKinds: ['terminal', 'transfer'], connect: connectSsh },
  { protocol: 'telnet', sessionKinds: ['terminal'], connect: connectTelnet },
  { protocol: 'mysql', sessionKinds: ['query'], connect: connectMysql },
  { protocol: 'postgresql', sessionKinds: ['query'], connect: connectPostgresql },
  { protocol: 'redis', sessionKinds: ['query'], connect: connectRedis },
  { protocol: 'kubernetes', sessionKinds: ['api', 'terminal'], connect: connectKubernetes },
  { protocol: 'rdp', sessionKinds: ['desktop'], connect: connectRdpDesktop },
  { protocol: 'vnc', sessionKinds: ['desktop'], connect: connectVnc },
];

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
