import { createDiffieHellman, randomBytes } from 'node:crypto';
import { type GroupExchange, groupExchangeOf, setGroupKeys } from './group-internals.ts';
import type { Protocol } from './internals.ts';

/** Bits of a prime that ssh2 requests, and that RFC 8270 requires. */
const MIN_BITS = 2048;
const MAX_BITS = 8192;
/** Twice the security of the strongest hash; as in OpenSSH, and far below the size of the prime. */
const EXPONENT_BYTES = 64;

/**
 * Limits a group exchange (RFC 4419) that has begun as a client. ssh2 accepts a prime of any size,
 * with an exponent of that size: one of 10,000 bits held the event loop for a second.
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
    const keys = createDiffieHellman(...group);
    keys.setPrivateKey(randomBytes(EXPONENT_BYTES));
    setGroupKeys(exchange, keys);
    group = undefined;
  };
}

function bitsOf(prime: Buffer): number {
  const first = prime.findIndex((byte) => byte !== 0);
  return first < 0 ? 0 : (prime.length - first) * 8 - Math.clz32(prime[first] ?? 0) + 24;
}
