import type pg from 'pg';

/** Assigns the sessions of one server to another, which now has its recordings. */
export async function moveSessions(
  client: Pick<pg.ClientBase, 'query'>,
  from: string,
  to: string,
): Promise<void> {
  await client.query('update session set holder = $2 where holder = $1', [from, to]);
}
