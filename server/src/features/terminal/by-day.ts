import { type DayOfSessions, Permission, session } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { type Engines, engineOf } from '../../http/resource/mount.ts';
import { scopeOf } from '../../http/resource/scope.ts';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';

const DAYS = 14;
const EXAMPLE: readonly DayOfSessions[] = [{ date: '2026-01-31', count: 12, users: 5 }];

/** How much was worked on the servers on each of the last days, for the start page. */
export function mountSessionsByDay(app: FastifyInstance, { db, engines }: { readonly db: Db; readonly engines: Engines }): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/terminal/sessions/by-day/',
    access: Permission.AUDIT,
    summary: `Sessions, and the people who had them, on each of the last ${DAYS} days in the zone of the request; the oldest first.`,
    answer: samples<readonly DayOfSessions[]>(EXAMPLE),
    async handler(context): Promise<readonly DayOfSessions[]> {
      const { zone } = context;
      const { rows } = await sql<DayOfSessions>`
        select to_char(d.day, 'YYYY-MM-DD') as date, count(t.id)::int as count, count(distinct t.user_id)::int as users
        from (select (now() at time zone ${zone})::date - back as day from generate_series(0, ${DAYS - 1}) back) d
        left join session t on t.date_start >= (d.day::timestamp at time zone ${zone}) and t.date_start < ((d.day + 1)::timestamp at time zone ${zone})
          and ${scopeOf(engineOf(engines, session), context)}
        group by d.day order by d.day`.execute(db);
      return rows;
    },
  });
}
