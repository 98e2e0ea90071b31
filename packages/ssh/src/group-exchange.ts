import { type GroupExchange, groupExchangeOf, setGroupKeys } from './group-internals.ts';
import { createGroupKeys } from './group-keys.ts';
import type { Protocol } from './internals.ts';

/** Bits of a prime that ssh2 requests, and that RFC 8270 requires. */
const MIN_BITS = 2048;
const MAX_BITS = 8192;

/**
 * Limits a group exchange (RFC 4419) that has begun as a client. ssh2 accepts a prime of any size
 * and tests it, which holds the event loop for seconds.
 */
export function limitGroup(protocol: Protocol): void {
  const exchange = groupExchangeOf(protocol);
  if (!exchange) return;
  let group: Parameters<GroupExchange['setDHParams']> | undefined;
  const { setDHParams } = exchange;
  exchange.setDHParams = (prime, generator) => {
    const bits = bitsOf(prime);
    if (bits < MIN_BITS || bits > MAX_BITS)
      throw new Error(`the server chose a group of ${bits} bits`);
    group = [prime, generator];
    setDHParams.call(exchange, prime, generator);
  };
  exchange.generateKeys = () => {
    if (!group) return;
    setGroupKeys(exchange, createGroupKeys(...group));
    group = undefined;
  };
}

function bitsOf(prime: Buffer): number {
  const first = prime.findIndex((byte) => byte !== 0);
  return first < 0 ? 0 : (prime.length - first) * 8 - Math.clz32(prime[first] ?? 0) + 24;
}
