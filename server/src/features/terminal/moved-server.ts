import type pg from 'pg';

/** Gives the sessions of one server to another, which has its recordings now. */
export async function moveSessions(
  client: Pick<pg.ClientBase, 'query'>,
  from: string,
  to: string,
): Promise<void> {
  await client.query('update session set holder = $2 where holder = $1', [from, to]);
}
