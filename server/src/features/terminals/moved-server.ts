import type pg from 'pg';

/**
 * The server goes on under another name: its terminal, with the name and the storages that were
 * chosen for it, stays.
 */
export async function moveTerminal(
  client: Pick<pg.ClientBase, 'query'>,
  from: string,
  to: string,
): Promise<void> {
  await client.query('update terminal set holder = $2 where holder = $1', [from, to]);
}
