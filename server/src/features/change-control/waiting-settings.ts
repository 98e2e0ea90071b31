import { formatDatetime, type WaitingSetting } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { SUPER } from '../../platform/settings/service.ts';
import { WAITING_SETTING } from './examples.ts';
import { waitingSettings } from './store.ts';

/** Mounts the list of settings whose change waits, which the card of weak settings reads. */
export function mountWaitingSettings(app: FastifyInstance, db: Db): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/change-sets/settings/',
    access: SUPER,
    area: 'settings',
    summary: 'The settings that proposals and approved change sets change, the oldest set first.',
    answer: samples<readonly WaitingSetting[]>([
      WAITING_SETTING,
      { ...WAITING_SETTING, applies_at: '2026-11-28 02:00:00 +0800' },
    ]),
    handler: async ({ zone }) =>
      (await waitingSettings(db)).map(({ setting, id, applies_at: time }) => ({
        setting,
        change_set: id,
        applies_at: time && formatDatetime(time, zone),
      })),
  });
}
