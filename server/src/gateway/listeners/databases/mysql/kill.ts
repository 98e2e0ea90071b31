import type { LivePassword } from '../ports.ts';

/** Maximum characters of a `KILL` statement. */
const MAX_KILL = 200;

/** Owner and server connection of one of our connection ids. */
export interface KnownConnection {
  readonly userId: string;
  readonly databaseId: string;
  readonly atServer: number;
}

/** Finds a connection by our id, also in another process of this server. */
export type FindConnection = (
  id: number,
) => KnownConnection | undefined | Promise<KnownConnection | null | undefined>;

/**
 * Translates a `KILL` with one of our ids to the server's id, for the user's own connections to the
 * same database. Returns other statements unchanged.
 */
export function killOf(
  statement: string,
  find: FindConnection,
  { person, databaseId }: LivePassword,
): string | Promise<string> {
  if (statement.length > MAX_KILL) return statement;
  const [, before, id] =
    /^(\s*KILL\s+(?:(?:HARD|SOFT)\s+)?(?:(?:QUERY|CONNECTION)\s+)?)(\d{1,10})\s*;?\s*$/i.exec(
      statement,
    ) ?? [];
  if (before === undefined) return statement;
  const translated = (known: KnownConnection | null | undefined) =>
    known && known.userId === person.userId && known.databaseId === databaseId
      ? before + known.atServer
      : statement;
  const known = find(Number(id));
  return known instanceof Promise ? known.then(translated) : translated(known);
}
