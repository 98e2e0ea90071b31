import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';

type Query = typeof pg.Client.prototype.query;
type Send = (client: pg.Client, words: Parameters<Query>, send: () => unknown) => unknown;

/** Runs `act` while `replace` sees every query of this process. */
async function watchQueries<T>(act: () => Promise<T>, replace: Send): Promise<T> {
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function watched(this: pg.Client, ...words: Parameters<Query>) {
    return replace(this, words, () => query.apply(this, words));
  } as Query;
  try {
    return await act();
  } finally {
    pg.Client.prototype.query = query;
  }
}

/** On a slow machine a timer uses the database in most tries. */
const MOST_TRIES = 24;

/** Returns the minimum of several tries, which three of them have reached. */
async function fewest(count: () => Promise<number>, tries: number): Promise<number> {
  const counts: number[] = [];
  while (counts.length < MOST_TRIES) {
    counts.push(await count());
    const least = Math.min(...counts);
    if (counts.length >= tries && counts.filter((one) => one === least).length > 2) return least;
  }
  return Math.min(...counts);
}

/**
 * Counts database round trips during `act`. Returns the minimum of several tries, because timers
 * use the database too.
 */
export const countRoundTrips = (act: () => Promise<unknown>, tries = 6): Promise<number> =>
  fewest(async () => {
    let count = 0;
    await watchQueries(act, (_client, _words, send) => {
      count += 1;
      return send();
    });
    return count;
  }, tries);

/** Turns of the event loop without a new query after which no code can send one by itself. */
const QUIET_TURNS = 20;

/**
 * Counts the round trips that `act` waits for one after the other, as a remote database shows them:
 * queries sent at the same time count once. Returns the minimum of several tries.
 */
export const countSequentialRoundTrips = (
  act: () => Promise<unknown>,
  tries = 6,
): Promise<number> => fewest(() => countWaves(act), tries);

/**
 * Holds all answers until the process sends no more queries, then delivers them together. The
 * number of deliveries is that of sequential round trips.
 */
async function countWaves(act: () => Promise<unknown>): Promise<number> {
  let [running, quiet, waves, isOver] = [0, 0, 0, false];
  let held: (() => void)[] = [];
  const delivered = () => (isOver ? undefined : new Promise<void>((deliver) => held.push(deliver)));
  const last = new WeakMap<pg.Client, Promise<void>>();
  const hold: Send = (client, words, send) => {
    // Callbacks and cursors belong to background work.
    if (typeof words.at(-1) === 'function' || 'submit' in Object(words[0])) return send();
    const isPipelined = (client as pg.Client & { readonly pipeline?: boolean }).pipeline === true;
    const answered = (async () => {
      // A connection without pipelining sends a query after the answer to the one before.
      if (!isPipelined) await last.get(client);
      [running, quiet] = [running + 1, 0];
      const answer = await Promise.allSettled([send()]);
      running -= 1;
      await delivered();
      return answer[0];
    })();
    last.set(
      client,
      answered.then(() => undefined),
    );
    return answered.then((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  };
  const deliver = async () => {
    while (!isOver) {
      await nextTurn();
      quiet = running > 0 || held.length === 0 ? 0 : quiet + 1;
      if (quiet < QUIET_TURNS) continue;
      [waves, quiet] = [waves + 1, 0];
      const waiting = held;
      held = [];
      for (const settle of waiting) settle();
    }
    for (const settle of held) settle();
  };
  const delivering = deliver();
  try {
    await watchQueries(act, hold);
    return waves;
  } finally {
    isOver = true;
    await delivering;
  }
}
