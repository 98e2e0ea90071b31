import { isUuid, list, MOST_ALERT_NOTE, Permission, text } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { type Caller, displayName } from '../../platform/actor.ts';
import { type Db, transact } from '../../platform/db/database.ts';
import { Forbidden, invalid } from '../../platform/errors.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import { lockAlerts, markSeen, watchersOf } from './store.ts';

/** Most alerts of one request. */
const MOST_SEEN = 200;

const SEEN = {
  ids: list({ label: { en: 'Alerts', zh: '告警' }, max: 36, maxItems: MOST_SEEN }),
  note: text({ label: { en: 'Note', zh: '处理说明' }, max: MOST_ALERT_NOTE, multiline: true }),
} as const;

interface AlertOptions {
  readonly db: Db;
  readonly audit: AuditWriter;
}

/** Mounts the route that marks alerts as seen. */
export function mountAlerts(app: FastifyInstance, options: AlertOptions): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/audits/alerts/seen/',
    access: Permission.AUDIT,
    area: 'alerts',
    summary:
      'Mark alerts of the organization as seen, with a note. Alerts about the caller need another administrator or auditor, if there is one.',
    body: SEEN,
    answer: samples({ seen: 2 }),
    async handler(context) {
      const { ids, note } = readBody(context, SEEN);
      return { seen: await see(options, { ids, note: note.trim() }, context) };
    },
  });
}

/** @throws Invalid, Forbidden. Returns the number of alerts that were unseen */
function see(
  { db, audit }: AlertOptions,
  { ids, note }: { readonly ids: readonly string[]; readonly note: string },
  caller: Caller,
): Promise<number> {
  if (note === '') throw invalid('note', 'required');
  const { actor } = caller;
  const chosen = [...new Set(ids)];
  if (chosen.length === 0) throw invalid('ids', 'required');
  return transact(db, async (tx) => {
    const alerts = await lockAlerts(chosen.filter(isUuid), actor.organization.id, tx);
    const known = new Set(alerts.map(({ id }) => id));
    const missing = chosen.find((id) => !known.has(id));
    if (missing !== undefined) throw invalid('ids', 'unknown_object', { value: missing });
    const unseen = alerts.filter(({ is_seen: isSeen }) => !isSeen);
    if (unseen.some(({ user_id: user }) => user === actor.userId)) {
      const watchers = await watchersOf(actor.organization.id, 0, tx);
      watchers.delete(actor.userId);
      if (watchers.size > 0) throw new Forbidden('alert_own');
    }
    const by = displayName(actor);
    await markSeen(
      unseen.map(({ id }) => id),
      { by, note },
      tx,
    );
    await audit(
      tx,
      caller,
      ...unseen.map(({ id, user }) => ({
        action: 'update' as const,
        resourceType: 'alert',
        resource: user,
        resourceId: id,
        changes: { is_seen: [false, true] as const, note: ['', note] as const },
      })),
    );
    return unseen.length;
  });
}
