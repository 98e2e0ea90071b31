import type pg from 'pg';
import { StartError } from '../../config.ts';
import { COMMAND } from '../release.ts';

type Client = Pick<pg.ClientBase, 'query'>;

/** The database that took the contents of this one. */
export interface Move {
  /** Host, port and name, without credentials. */
  readonly place: string;
  readonly date: Date;
}

/** Returns the newest move away from a database; undefined if its contents are current. */
export async function moveOf(client: Client): Promise<Move | undefined> {
  const { rows: tables } = await client.query<{ present: boolean }>(
    "select to_regclass('public.database_move') is not null as present",
  );
  if (!tables[0]?.present) return;
  const { rows } = await client.query<Move>(
    'select place, date_moved as date from database_move order by date_moved desc limit 1',
  );
  return rows[0];
}

/** Marks a database whose contents another one has taken: no server starts on it any more. */
export async function markMoved(client: Client, place: string): Promise<void> {
  await client.query('insert into database_move (place) values ($1)', [place]);
}

/** Removes the mark. Returns false if there was none. */
export async function unmarkMoved(client: Client): Promise<boolean> {
  const { rowCount } = await client.query('delete from database_move');
  return (rowCount ?? 0) > 0;
}

/** @throws StartError if the contents were moved to another database */
export async function assertNotMoved(client: Client): Promise<void> {
  const move = await moveOf(client);
  if (!move) return;
  throw new StartError(
    `This database was moved to ${move.place} on ${move.date.toISOString().slice(0, 10)}. Name that one: SALLYPORT_DATABASE_URL; if it is the embedded one, remove SALLYPORT_DATABASE_URL. To use this one again without everything written since: ${COMMAND} database reopen`,
  );
}
