import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { DEAD_AFTER_SECONDS, serverOf } from '../servers/index.ts';

/**
 * Returns the names of running servers whose recordings are on their own disk only. Empty for one
 * server, and if an administrator has chosen that for all servers.
 */
export async function recordingsOnDisks(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string; servers: number }>`
    with living as (select distinct ${serverOf(sql`id`)} as id from server
      where date_seen > now() - make_interval(secs => ${DEAD_AFTER_SECONDS}))
    select t.name, (select count(*)::int from living) as servers
    from terminal t join living l on l.id = t.holder
      join replay_storage r on r.name = t.replay_storage
    where r.type = 'server' and not r.is_for_all order by t.name`.execute(db);
  return rows.filter(({ servers }) => servers > 1).map(({ name }) => name);
}
