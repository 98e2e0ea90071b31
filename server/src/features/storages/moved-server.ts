import type pg from 'pg';

/** Renames a server. Its terminal keeps its display name and storages. */
export async function moveTerminal(
  client: Pick<pg.ClientBase, 'query'>,
  from: string,
  to: string,
): Promise<void> {
  await client.query('update terminal set holder = $2 where holder = $1', [from, to]);
}
