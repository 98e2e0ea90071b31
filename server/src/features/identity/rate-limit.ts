import { Refusal } from '../../http/problem.ts';

/** Requests that an address may make at once before it is slowed down: a whole office may share one. */
const BURST = 240;
/** Requests for each second of waiting. */
const PER_SECOND = 4;
/** Addresses that are remembered; beyond it those that are full again are forgotten. */
const MAX_REMEMBERED = 20_000;

/** Lets an address through, or refuses with 429 and says when to come back. Each server counts for itself. */
export type RateLimit = (context: { readonly request: { readonly ip: string }; readonly reply: { header(name: string, value: string): unknown } }) => void;

/** A limit by address; each use of the function counts apart. */
export function createRateLimit(burst = BURST, perSecond = PER_SECOND, clock: () => number = () => performance.now() / 1_000): RateLimit {
  const buckets = new Map<string, { left: number; at: number }>();
  const refill = (bucket: { left: number; at: number }, now: number) => Math.min(burst, bucket.left + (now - bucket.at) * perSecond);
  return ({ request, reply }) => {
    const now = clock();
    const bucket = buckets.get(request.ip) ?? { left: burst, at: now };
    const left = refill(bucket, now);
    if (left < 1) {
      const seconds = Math.ceil((1 - left) / perSecond);
      reply.header('retry-after', String(seconds));
      throw new Refusal(429, 'too_many_requests', { seconds });
    }
    buckets.set(request.ip, { left: left - 1, at: now });
    if (buckets.size > MAX_REMEMBERED) for (const [address, one] of buckets) if (refill(one, now) >= burst) buckets.delete(address);
  };
}
