import { type DayOfSessions, Permission, session } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { scopeOf } from '../../resources/scope.ts';
import { sessionsByDay } from './store.ts';

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
      return sessionsByDay({ zone: context.zone, days: DAYS, scope: scopeOf(engineOf(engines, session), context) }, db);
    },
  });
}
