import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { TooManyRequests } from '../../../platform/errors.ts';
import { placeOf } from './place.ts';

/** Requests that an address may make at once before it is slowed down: a whole office may share one. */
const BURST = 240;
/** Requests for each second of waiting. */
const PER_SECOND = 4;
/** Names that are remembered; beyond it those that are full again are forgotten. */
const MAX_REMEMBERED = 20_000;

const monotonic = () => performance.now() / 1_000;

/** Seconds until one more is let through under a name; 0 when this one is, and is counted. */
export interface Allowance {
  (name: string): number;
  /** Counts one less: it was no attempt to guess. */
  giveBack(name: string): void;
}

/** Lets `burst` through at once under each name, and `perSecond` from then on; each use of the function counts apart. */
export function createAllowance(
  burst: number,
  perSecond: number,
  clock: () => number = monotonic,
): Allowance {
  const buckets = new Map<string, { left: number; at: number }>();
  const refill = (bucket: { left: number; at: number }, now: number) =>
    Math.min(burst, bucket.left + (now - bucket.at) * perSecond);
  const take = (name: string) => {
    const now = clock();
    const left = refill(buckets.get(name) ?? { left: burst, at: now }, now);
    if (left < 1) return Math.ceil((1 - left) / perSecond);
    buckets.set(name, { left: left - 1, at: now });
    if (buckets.size > MAX_REMEMBERED)
      for (const [other, one] of buckets) if (refill(one, now) >= burst) buckets.delete(other);
    return 0;
  };
  const giveBack = (name: string) => {
    const bucket = buckets.get(name);
    if (bucket) bucket.left = Math.min(burst, bucket.left + 1);
  };
  return Object.assign(take, { giveBack });
}

/** Counts one more under a name. @throws TooManyRequests that says when to come back */
export function count(allowance: Allowance, name: string): void {
  refuseFor(allowance(name));
}

interface Asking {
  readonly request: { readonly ip: string };
}

/** Lets an address through. @throws TooManyRequests */
export interface RateLimit {
  (context: Asking): Promise<void>;
  /** Gives back what a request took that proved a secret which nobody guesses: such requests are not slowed down. */
  giveBack(context: Asking): Promise<void>;
}

/** What all servers count together. */
interface SharedAllowance {
  (name: string): Promise<number>;
  giveBack(name: string): Promise<void>;
}

/** A limit by address; each use of the function counts apart. This server counts first, so that a flood does not reach what all servers count together. */
export function createRateLimit(
  together?: SharedAllowance,
  burst = BURST,
  perSecond = PER_SECOND,
  clock: () => number = monotonic,
): RateLimit {
  const allowance = createAllowance(burst, perSecond, clock);
  const limit = async ({ request }: Asking) => {
    const name = placeOf(request.ip);
    count(allowance, name);
    if (together) refuseFor(await together(name));
  };
  const giveBack = async ({ request }: Asking) => {
    const name = placeOf(request.ip);
    allowance.giveBack(name);
    await together?.giveBack(name);
  };
  return Object.assign(limit, { giveBack });
}

/** The same limit for all servers of a database, counted there. Returns seconds as `Allowance` does. */
export function allowanceOfAll(db: Db, burst = BURST, perSecond = PER_SECOND): SharedAllowance {
  const take = async (name: string) => {
    const { rows } = await sql<{ left: number }>`
      insert into sign_in_rate as r (place, "left") values (${name}, ${burst - 1})
      on conflict (place) do update set date_counted = now(),
        "left" = greatest(least(${burst}, r."left" + extract(epoch from now() - r.date_counted) * ${perSecond}::float8) - 1, -1)
      returning "left"::float8 as "left"`.execute(db);
    const left = rows[0]?.left ?? 0;
    return left >= 0 ? 0 : Math.ceil(-left / perSecond);
  };
  const giveBack = async (name: string) => {
    await sql`update sign_in_rate set "left" = least(${burst}, "left" + 1) where place = ${name}`.execute(
      db,
    );
  };
  return Object.assign(take, { giveBack });
}

/** Forgets addresses whose allowance is full again. */
export async function forgetRates(db: Db): Promise<void> {
  await sql`delete from sign_in_rate where date_counted < now() - make_interval(secs => ${BURST / PER_SECOND})`.execute(
    db,
  );
}

function refuseFor(seconds: number): void {
  if (seconds > 0) throw new TooManyRequests('too_many_requests', { seconds });
}
