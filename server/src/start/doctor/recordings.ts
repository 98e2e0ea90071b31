import { DEAD_AFTER_SECONDS, serverOf } from '../../features/servers/index.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { type Finding, warning } from './finding.ts';

/** Checks that the recordings of several servers do not depend on the disk of one. */
export async function examineRecordingHomes(db: Db): Promise<Finding[]> {
  const { rows } = await sql<{ name: string; servers: number }>`
    with living as (select distinct ${serverOf(sql`id`)} as id from server
      where date_seen > now() - make_interval(secs => ${DEAD_AFTER_SECONDS}))
    select t.name, (select count(*)::int from living) as servers
    from terminal t join living l on l.id = t.holder
      join replay_storage r on r.name = t.replay_storage
    where r.type = 'server' order by t.name`.execute(db);
  const [first] = rows;
  if (!first || first.servers < 2) return [];
  return [
    warning(
      'recording-storages',
      `Recordings of these servers are on their own disks only: ${rows.map(({ name }) => name).join(', ')}. The loss of a server loses its recordings`,
      'Create a bucket under Settings > Terminal > Recording storages, test it, and choose it for each terminal',
    ),
  ];
}
