import type { WhomToAsk } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { IS_VALID_USER } from './grants/paths.ts';

/** Maximum number of names in an answer. */
const MOST_NAMED = 5;

/**
 * Administrators of an organization, by name. An organization without administrators, such as the
 * default one, falls back to super administrators.
 */
export async function administratorsOf(
  organizationId: string,
  db: Db,
): Promise<Omit<WhomToAsk, 'requests'>> {
  const { rows } = await sql<{ name: string; count: number }>`
    with own as materialized (
      select u.id, u.name from account u join organization_member m on m.user_id = u.id
        and m.role = 'Admin'
      where m.organization_id::text = ${organizationId} and ${IS_VALID_USER}
    ), administrator as (
      select id, name from own
      union all
      select u.id, u.name from account u where u.role = 'Admin' and ${IS_VALID_USER}
        and not exists (select 1 from own)
    )
    select name, count(*) over () as count from administrator order by name, id
    limit ${MOST_NAMED}`.execute(db);
  return { names: rows.map(({ name }) => name), count: rows[0]?.count ?? 0 };
}
