import { isUuid, list, MOST_LOST_NOTE, Permission, text } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { type Caller, displayName } from '../../platform/actor.ts';
import { type Db, transact } from '../../platform/db/database.ts';
import { invalid } from '../../platform/errors.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import { lockLost, markSettled } from './store.ts';

/** Most lost changes of one request. */
const MOST_SETTLED = 200;

const SETTLED = {
  ids: list({ label: { en: 'Lost changes', zh: '丢失的变更' }, max: 36, maxItems: MOST_SETTLED }),
  note: text({ label: { en: 'Note', zh: '处理说明' }, max: MOST_LOST_NOTE, multiline: true }),
} as const;

interface LostChangeOptions {
  readonly db: Db;
  readonly audit: AuditWriter;
}

/** Mounts the route that marks lost changes as settled. */
export function mountLostChanges(app: FastifyInstance, options: LostChangeOptions): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/audits/lost-changes/settled/',
    access: Permission.ADMIN,
    area: 'changes',
    summary:
      'Mark lost changes of the organization as settled, with a note. They leave Needs attention.',
    body: SETTLED,
    answer: samples({ settled: 2 }),
    async handler(context) {
      const { ids, note } = readBody(context, SETTLED);
      return { settled: await settle(options, { ids, note: note.trim() }, context) };
    },
  });
}

/** @throws Invalid. Returns the number of changes that were not settled before */
function settle(
  { db, audit }: LostChangeOptions,
  { ids, note }: { readonly ids: readonly string[]; readonly note: string },
  caller: Caller,
): Promise<number> {
  if (note === '') throw invalid('note', 'required');
  const chosen = [...new Set(ids)];
  if (chosen.length === 0) throw invalid('ids', 'required');
  const { actor } = caller;
  return transact(db, async (tx) => {
    const changes = await lockLost(chosen.filter(isUuid), actor.organization.id, tx);
    const known = new Set(changes.map(({ id }) => id));
    const missing = chosen.find((id) => !known.has(id));
    if (missing !== undefined) throw invalid('ids', 'unknown_object', { value: missing });
    const open = changes.filter(({ is_settled: isSettled }) => !isSettled);
    await markSettled(
      open.map(({ id }) => id),
      { by: displayName(actor), note },
      tx,
    );
    await audit(
      tx,
      caller,
      ...open.map(({ id, resource }) => ({
        action: 'update' as const,
        resourceType: 'lost_change',
        resource,
        resourceId: id,
        changes: { is_settled: [false, true] as const, note: ['', note] as const },
      })),
    );
    return open.length;
  });
}
