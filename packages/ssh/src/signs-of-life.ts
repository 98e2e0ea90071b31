import { keepaliveOf } from './channel-internals.ts';
import { protocolOf } from './internals.ts';
import type { Client } from './ssh2.ts';

/**
 * Takes any packet of a server as a sign of life. ssh2 counts answers to its keep-alive only, and
 * some servers answer it with UNIMPLEMENTED (TinySSH 20230101). The server side of ssh2 counts any
 * packet of a client. Call it once the client is ready.
 */
export function countAnyPacket(client: Client): void {
  const protocol = protocolOf(client);
  const keepalive = keepaliveOf(client);
  let hasHeard = false;
  keepalive.onPacket(() => {
    hasHeard = true;
  });
  const { ping } = protocol;
  protocol.ping = () => {
    // ssh2 has just counted this question.
    if (hasHeard) keepalive.reset();
    hasHeard = false;
    ping.call(protocol);
  };
}
