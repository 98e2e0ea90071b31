import type { LdapUser } from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { DirectoryPerson } from '../../platform/directory/connection.ts';
import { likePattern } from '../../resources/read/search.ts';

/** Sort orders of the list of people. */
export const PEOPLE_ORDERS = ['username', 'name', 'email', 'existing', 'id'] as const;
export type PeopleOrder = (typeof PEOPLE_ORDERS)[number];

/** Filter, order and page of a list of people. */
export interface PeopleQuery {
  readonly search: string;
  readonly order: PeopleOrder;
  readonly descending: boolean;
  readonly limit: number | undefined;
  readonly offset: number;
}

const EXISTING = sql`exists (select 1 from account a where folded_name(a.username) = folded_name(p.username))`;
const ORDERS: Readonly<Record<PeopleOrder, Sql>> = {
  username: sql`p.username`,
  name: sql`p.name`,
  email: sql`p.email`,
  existing: EXISTING,
  id: sql`p.username`,
};

/** Lists the people read from the directory. With a page, `count` is the total. */
export async function listPeople(
  { search, order, descending, limit, offset }: PeopleQuery,
  db: Db,
): Promise<{ readonly rows: LdapUser[]; readonly count: number }> {
  const where = search ? sql`p.search_text like ${likePattern(search)}` : sql`true`;
  const ordered = descending
    ? sql`${ORDERS[order]} desc, p.username desc, p.dn`
    : sql`${ORDERS[order]}, p.username, p.dn`;
  const page = limit === undefined ? sql`` : sql`limit ${limit} offset ${offset}`;
  const { rows } = await sql<LdapUser>`
    select p.username as id, p.username, p.name, p.email, ${EXISTING} as existing from ldap_person p
      where ${where} order by ${ordered} ${page}`.execute(db);
  if (limit === undefined) return { rows, count: rows.length };
  const counted = await sql<{
    count: number;
  }>`select count(*)::integer as count from ldap_person p where ${where}`.execute(db);
  return { rows, count: counted.rows[0]?.count ?? 0 };
}

/** The people with these usernames, or all if the list is empty. */
export async function peopleNamed(
  usernames: readonly string[],
  db: Db,
): Promise<DirectoryPerson[]> {
  const { rows } = await sql<{ fields: DirectoryPerson }>`
    select fields
      from ldap_person
      ${usernames.length > 0 ? sql`where username = any(${usernames})` : sql``} order by username,
      dn`.execute(db);
  return rows.map(({ fields }) => fields);
}
