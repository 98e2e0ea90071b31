import { isUuid, list, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { markRead } from './store.ts';

const FIELDS = {
  ids: list({
    label: { en: 'Notifications', zh: '通知' },
    max: 36,
    maxItems: 200,
    required: false,
  }),
};

/** Mounts the route that marks notifications of the caller as read. */
export function mountNotifications(app: FastifyInstance, db: Db): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/users/notifications/read/',
    access: Permission.USE,
    area: 'own',
    summary: 'Mark notifications of the caller as read; without ids, all of them.',
    body: FIELDS,
    answer: samples({ detail: 'Succeed' }),
    async handler(context) {
      const { ids } = readBody(context, FIELDS) as { readonly ids?: readonly string[] };
      // A malformed id matches no notification.
      await markRead(context.actor.userId, ids?.filter(isUuid), db);
      return { detail: 'Succeed' };
    },
  });
}
