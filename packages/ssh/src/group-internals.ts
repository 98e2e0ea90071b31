/**
 * The private parts of ssh2's group exchange (RFC 4419), as `internals.ts` has those of its
 * connections. `internals.test.ts` checks each part.
 */
import type { GroupKeys } from './group-keys.ts';
import { having, member, type Protocol } from './internals.ts';

/** Members of a group exchange that `limitGroup` replaces. */
export interface GroupExchange {
  setDHParams(prime: Buffer, generator: Buffer): void;
  generateKeys(): void;
}

/** Returns the current key exchange if it is a group exchange. */
export function groupExchangeOf(protocol: Protocol): GroupExchange | undefined {
  const exchange = member(protocol, '_kex');
  if (!exchange || member(having(exchange), 'type') !== 'groupex') return undefined;
  return having<GroupExchange>(exchange, 'setDHParams', 'generateKeys');
}

/** Sets the keys with which ssh2 completes a group exchange. */
export function setGroupKeys(exchange: GroupExchange, keys: GroupKeys): void {
  Reflect.set(exchange, '_public', keys.publicValue);
  Reflect.set(exchange, '_dh', keys);
}
