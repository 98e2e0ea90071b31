import { Permission, type SessionTimeline, session, type TimelineEntry } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { parameter, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { StoredCommands } from './stored-commands/texts.ts';
import { timelineOf } from './timeline-store.ts';

const COMMAND: TimelineEntry = {
  kind: 'command',
  at: 12.5,
  seconds: 0,
  text: 'systemctl restart nginx',
  operate: null,
  risk_level: 0,
  is_success: true,
  verdict: 'none',
};
const EXAMPLE: SessionTimeline = {
  seconds: 900.5,
  entries: [
    COMMAND,
    { ...COMMAND, kind: 'file', at: 40.5, text: '/tmp/app.log', operate: 'Download' },
  ],
  left_out: 0,
};

/** The events of a session in order. */
export function mountTimeline(
  app: FastifyInstance,
  {
    db,
    engines,
    stored,
  }: { readonly db: Db; readonly engines: Engines; readonly stored: StoredCommands },
): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/terminal/sessions/:id/timeline/',
    access: Permission.AUDIT,
    area: 'logs',
    summary:
      'The events of a session, the earliest first: commands, file operations, interventions, second persons, interruptions, and idle times of a minute or more.',
    answer: samples<SessionTimeline>(EXAMPLE),
    async handler(context): Promise<SessionTimeline> {
      const row = await engineOf(engines, session).reader.retrieve(
        parameter(context, 'id'),
        context,
      );
      return timelineOf(String(row.id), db, stored, context.language);
    },
  });
}
