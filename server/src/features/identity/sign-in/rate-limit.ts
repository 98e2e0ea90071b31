import { TooManyRequests } from '../../../platform/errors.ts';
import { placeOf } from './place.ts';

/** Requests that an address may make at once before it is slowed down: a whole office may share one. */
const BURST = 240;
/** Requests for each second of waiting. */
const PER_SECOND = 4;
/** Names that are remembered; beyond it those that are full again are forgotten. */
const MAX_REMEMBERED = 20_000;

const monotonic = () => performance.now() / 1_000;

/** Seconds until one more is let through under a name; 0 when this one is, and is counted. Each server counts for itself. */
export type Allowance = (name: string) => number;

/** Lets `burst` through at once under each name, and `perSecond` from then on; each use of the function counts apart. */
export function createAllowance(burst: number, perSecond: number, clock: () => number = monotonic): Allowance {
  const buckets = new Map<string, { left: number; at: number }>();
  const refill = (bucket: { left: number; at: number }, now: number) => Math.min(burst, bucket.left + (now - bucket.at) * perSecond);
  return (name) => {
    const now = clock();
    const left = refill(buckets.get(name) ?? { left: burst, at: now }, now);
    if (left < 1) return Math.ceil((1 - left) / perSecond);
    buckets.set(name, { left: left - 1, at: now });
    if (buckets.size > MAX_REMEMBERED) for (const [other, one] of buckets) if (refill(one, now) >= burst) buckets.delete(other);
    return 0;
  };
}

/** Counts one more under a name. @throws TooManyRequests that says when to come back */
export function count(allowance: Allowance, name: string): void {
  const seconds = allowance(name);
  if (seconds > 0) throw new TooManyRequests('too_many_requests', { seconds });
}

/** Lets an address through. @throws TooManyRequests */
export type RateLimit = (context: { readonly request: { readonly ip: string } }) => void;

/** A limit by address; each use of the function counts apart. */
export function createRateLimit(burst = BURST, perSecond = PER_SECOND, clock: () => number = monotonic): RateLimit {
  const allowance = createAllowance(burst, perSecond, clock);
  return ({ request }) => count(allowance, placeOf(request.ip));
}
