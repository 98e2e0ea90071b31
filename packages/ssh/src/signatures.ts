import { protocolOf } from './internals.ts';
import type { Client } from './ssh2.ts';

/**
 * Checks a signature algorithm before a user's key is offered or signs. ssh2 falls back to SHA-1
 * for servers without the extension of RFC 8308, section 3.1.
 */
export function watchSignatures(client: Client, isAllowed: (name: string) => boolean): void {
  const protocol = protocolOf(client);
  const sign = protocol.authPK.bind(protocol);
  protocol.authPK = (username, key, algorithm, ...rest) => {
    if (isAllowed(typeof algorithm === 'string' ? algorithm : key.type))
      sign(username, key, algorithm, ...rest);
  };
}
