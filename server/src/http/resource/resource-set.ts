import { isUuid, MAX_ITEMS, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { Context } from '../context.ts';
import { exampleId } from '../openapi/examples.ts';
import { invalid } from '../problem.ts';
import { route } from '../route.ts';
import { samples } from '../shapes.ts';
import type { Sql } from './hooks.ts';

/** Long enough to look at a dialog, short enough that it still means what the person saw. */
const LIFE_SECONDS = 3_600;
/** Sets that one person has at a time; the oldest go first. */
const MOST_KEPT = 100;

/** The condition that a request's `spm` sets. @throws Invalid for a set that is unknown, expired or somebody else's: never ignored, it may guard a deletion */
export async function setCondition({ query, actor }: Context, db: Db, id = sql`t.id`): Promise<Sql | undefined> {
  const spm = query.get('spm');
  if (!spm) return undefined;
  const known = isUuid(spm)
    ? await sql`select 1 from resource_set where id = ${spm} and user_id = ${actor.userId} and date_expired > now()`.execute(db)
    : { rows: [] };
  if (known.rows.length === 0) throw invalid('spm', 'unknown_set');
  return sql`${id} in (select unnest(chosen.ids) from resource_set chosen where chosen.id = ${spm})`;
}

/** Names a set of ids for its maker (specification §7). */
export function mountResourceSets(app: FastifyInstance, db: Db): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/common/resources/cache/',
    access: Permission.USE,
    summary: 'Give a set of ids a name to use as spm.',
    bodyShape: samples({ resources: [exampleId('asset')] }),
    answer: samples({ spm: exampleId('resource_set') }),
    async handler({ request, actor }) {
      const { resources = [] } = (request.body ?? {}) as { resources?: unknown };
      // A single select sends its one id bare.
      const ids = [resources].flat();
      if (ids.length > MAX_ITEMS) throw invalid('resources', 'list_too_long', { max: MAX_ITEMS });
      const wrong = ids.find((id) => !isUuid(id));
      if (wrong !== undefined) throw invalid('resources', 'not_uuid', { value: typeof wrong === 'string' ? wrong.slice(0, 64) : '…' });
      await sql`
        delete from resource_set where date_expired < now() or id in (
          select kept.id from resource_set kept where kept.user_id = ${actor.userId} order by kept.date_expired desc offset ${MOST_KEPT - 1})`.execute(db);
      const { rows } = await sql<{ id: string }>`
        insert into resource_set (user_id, ids, date_expired) values (${actor.userId}, ${ids}::uuid[], now() + make_interval(secs => ${LIFE_SECONDS})) returning id`.execute(
        db,
      );
      return { spm: rows[0]?.id };
    },
  });
}
