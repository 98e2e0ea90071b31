import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { TooManyRequests } from '../../../platform/errors.ts';
import { networkOf } from '../../../platform/network-of.ts';

/** Burst limit of an address: a whole office may share one. */
const BURST = 240;
/** Refill per second. */
const PER_SECOND = 4;
/** Maximum remembered names; above it, full buckets are deleted. */
const MAX_REMEMBERED = 20_000;

const monotonic = () => performance.now() / 1_000;

/**
 * Takes one request from a name's allowance. Returns 0, or the seconds until the next request
 * passes.
 */
export interface Allowance {
  (name: string): number;
  /** Gives one request back, if it was not an attempt to guess. */
  giveBack(name: string): void;
}

/**
 * Creates a token bucket per name with `burst` requests and a refill of `perSecond`. Each allowance
 * counts separately.
 */
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

/**
 * Takes one request from a name's allowance.
 * @throws TooManyRequests with the seconds until a retry
 */
export function countUse(allowance: Allowance, name: string): void {
  refuseFor(allowance(name));
}

interface Asking {
  readonly request: { readonly ip: string };
}

/**
 * Takes one request from an address.
 * @throws TooManyRequests
 */
export interface RateLimit {
  (context: Asking): Promise<void>;
  /** Gives the request back if it proved an unguessable secret: such requests are not limited. */
  giveBack(context: Asking): Promise<void>;
  /**
   * Runs the check of a secret that cannot be guessed. All servers count only its failures, so a
   * success asks the database nothing.
   */
  ofSecret<T>(context: Asking, check: () => Promise<T>): Promise<T>;
}

/** An allowance that all servers share. */
interface SharedAllowance {
  (name: string): Promise<number>;
  giveBack(name: string): Promise<void>;
}

/**
 * Creates a limit by address; each limit counts separately. This server counts first, so that a
 * flood does not reach the shared allowance.
 */
export function createRateLimit(
  together?: SharedAllowance,
  burst = BURST,
  perSecond = PER_SECOND,
  clock: () => number = monotonic,
): RateLimit {
  const allowance = createAllowance(burst, perSecond, clock);
  const limit = async ({ request }: Asking) => {
    const name = networkOf(request.ip);
    countUse(allowance, name);
    if (together) refuseFor(await together(name));
  };
  const giveBack = async ({ request }: Asking) => {
    const name = networkOf(request.ip);
    allowance.giveBack(name);
    await together?.giveBack(name);
  };
  const ofSecret = async <T>({ request }: Asking, check: () => Promise<T>): Promise<T> => {
    const name = networkOf(request.ip);
    countUse(allowance, name);
    try {
      const result = await check();
      allowance.giveBack(name);
      return result;
    } catch (error) {
      if (together) refuseFor(await together(name));
      throw error;
    }
  };
  return Object.assign(limit, { giveBack, ofSecret });
}

/**
 * Creates an allowance in the database, shared by all servers. Returns seconds like `Allowance`.
 */
export function allowanceOfAll(db: Db, burst = BURST, perSecond = PER_SECOND): SharedAllowance {
  const take = async (name: string) => {
    const { rows } = await sql<{ left: number }>`
      insert into sign_in_rate as r (place, "left") values (${name}, ${burst - 1})
      on conflict (place) do update set date_counted = now(),
        "left" = greatest(
          least(
            ${burst},
            r."left" + ${perSecond}::float8
              * greatest(extract(epoch from now() - r.date_counted), 0)
          ) - 1, -1)
      returning "left"::float8 as "left"`.execute(db);
    const left = rows[0]?.left ?? 0;
    return left >= 0 ? 0 : Math.ceil(-left / perSecond);
  };
  const giveBack = async (name: string) => {
    await sql`
      update sign_in_rate set "left" = least(${burst}, "left" + 1)
      where place = ${name}`.execute(db);
  };
  return Object.assign(take, { giveBack });
}

/** Deletes addresses whose allowance is full again. */
export async function forgetRates(db: Db): Promise<void> {
  await sql`
    delete from sign_in_rate
    where date_counted < now() - make_interval(secs => ${BURST / PER_SECOND})`.execute(db);
}

function refuseFor(seconds: number): void {
  if (seconds > 0) throw new TooManyRequests('too_many_requests', { seconds });
}
