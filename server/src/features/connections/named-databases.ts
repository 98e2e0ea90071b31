import { isUuid } from '@sallyport/contract';
import type { GrantedDatabase, SshDatabases } from '../../gateway/listeners/ssh/ports.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { allOf } from '../../resources/read/scope.ts';
import { containsWords, wordsOf } from '../../resources/read/search.ts';
import { appAccounts, connects, DATABASE_APPS, isAppGranted } from '../perms/index.ts';

/** Maximum number of listed databases with the same name. */
const MAX_NAMED = 50;
const MAX_NAME = 256;
const SEARCHED = sql`lower(concat_ws(' ', t.name, t.host, t.database, t.comment))`;

/** Finds the databases that a user may query, by name. Reads the grants on each call. */
export function createNamedDatabases(db: Db): SshDatabases {
  const read = async (
    userId: string,
    condition: Sql | undefined,
    limit: number,
    offset: number,
  ) => {
    const isGranted = isAppGranted(DATABASE_APPS, { userId, organizationId: undefined });
    const { rows } = await sql<GrantedDatabase & { readonly total: number }>`
      select t.id, t.name, t.type, t.host, coalesce(t.database, '') as database,
        coalesce(t.comment, '') as comment, (count(*) over ())::int as total
      from database_app t where ${condition ? allOf([isGranted, condition]) : isGranted}
        order by t.name, t.id limit ${limit} offset ${offset}`.execute(db);
    return {
      count: rows[0]?.total ?? 0,
      results: rows.map(({ total: _, ...database }) => database),
    };
  };
  return {
    async named(userId, text) {
      const name = text.trim();
      if (name === '' || name.length > MAX_NAME || name.includes('\u0000')) return [];
      const conditions = [
        ...(isUuid(name) ? [sql`t.id = ${name}::uuid`] : []),
        sql`t.name = ${name}`,
        sql`lower(t.name) = lower(${name})`,
      ];
      for (const condition of conditions) {
        const { results } = await read(userId, condition, MAX_NAMED, 0);
        if (results.length > 0) return results;
      }
      return [];
    },
    async accounts(userId, databaseId) {
      const granted = await appAccounts(
        DATABASE_APPS,
        { userId, organizationId: undefined },
        databaseId,
        db,
      );
      return granted.filter(connects).map(({ id, name, username, priority }) => ({
        id,
        name,
        username,
        priority,
        hasFiles: false,
      }));
    },
    async search(userId, { words, limit, offset }) {
      const searchWords = wordsOf(words);
      return read(
        userId,
        searchWords.length > 0
          ? sql`${sql.join(containsWords(searchWords, SEARCHED, false), sql` and `)}`
          : undefined,
        limit,
        offset,
      );
    },
  };
}
