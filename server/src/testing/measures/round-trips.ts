import pg from 'pg';

/**
 * Counts database round trips during `act`. Returns the minimum of several tries, because timers
 * use the database too.
 */
export async function countRoundTrips(act: () => Promise<unknown>, tries = 4): Promise<number> {
  const counts: number[] = [];
  for (let attempt = 0; attempt < tries; attempt++) counts.push(await countOnce(act));
  return Math.min(...counts);
}

async function countOnce(act: () => Promise<unknown>): Promise<number> {
  const { query } = pg.Client.prototype;
  let count = 0;
  pg.Client.prototype.query = function counted(
    this: pg.Client,
    ...words: Parameters<typeof query>
  ) {
    count += 1;
    return query.apply(this, words);
  } as typeof query;
  try {
    await act();
    return count;
  } finally {
    pg.Client.prototype.query = query;
  }
}
