import type { ProtocolName, SessionKind } from '@sallyport/contract';
import { Refusal } from '../refusal.ts';
import type { Connector } from './connector.ts';
import { mysql } from './drivers/mysql.ts';
import { postgresql } from './drivers/postgresql.ts';
import { redis } from './drivers/redis.ts';
import { rdp } from './rdp/rdp.ts';
import { ssh } from './ssh/ssh.ts';
import { telnet } from './telnet/telnet.ts';
import { vnc } from './vnc/vnc.ts';

/** One for each protocol that the gateway speaks. */
export const CONNECTORS: readonly Connector[] = [ssh, telnet, mysql, postgresql, redis, rdp, vnc];

/** The connector that opens sessions of a kind over a protocol. @throws Refusal when there is none */
export function connectorFor(protocol: ProtocolName, kind: SessionKind, connectors: readonly Connector[]): Connector {
  const found = connectors.find((connector) => connector.protocol === protocol && connector.sessionKinds.includes(kind));
  if (!found) throw new Refusal('connect_protocol', { protocol });
  return found;
}
