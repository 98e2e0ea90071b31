import { LEAST_TARGET_SEARCH, type RequestableTarget } from '@sallyport/contract';
import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { likePattern } from '../../../resources/read/search.ts';

/** Maximum matches of a search. */
const MOST_TARGETS = 12;

/**
 * Returns active servers and applications whose name or address contains the text, in the default
 * organization and those of the user. Names that begin with the text come first.
 */
export async function targetsFor(
  userId: string,
  search: string,
  db: Db,
): Promise<readonly RequestableTarget[]> {
  const text = search.trim().toLowerCase();
  if ([...text].length < LEAST_TARGET_SEARCH) return [];
  const inside = likePattern(text);
  const { rows } = await sql<RequestableTarget>`
    with place as (
      select '' as id
      union all
      select m.organization_id::text from organization_member m where m.user_id = ${userId}
    ), found as (
      select 'asset' as target, a.hostname as name, a.ip as detail, a.org_id from asset a
        where a.is_active and (lower(a.hostname) like ${inside} or lower(a.ip) like ${inside})
      union all
      select 'database_app', d.name, d.type, d.org_id from database_app d
        where lower(d.name) like ${inside}
      union all
      select 'remote_app', r.name, r.type, r.org_id from remote_app r
        where lower(r.name) like ${inside}
    )
    select target, name, detail, org_id from found where org_id in (select id from place)
    order by not starts_with(lower(name), ${text}), length(name), name, target
    limit ${MOST_TARGETS}`.execute(db);
  return rows;
}
