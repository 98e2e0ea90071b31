import { Permission, type WhomToAsk } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import type { LicenseService } from '../license/service.ts';
import { administratorsOf } from './whom-to-ask-store.ts';

/** Mounts the names of administrators, for users without access. */
export function mountWhomToAsk(
  app: FastifyInstance,
  db: Db,
  license: Pick<LicenseService, 'isLicensed'>,
): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/perms/users/administrators/',
    access: Permission.USE,
    summary:
      'The names of the administrators who can grant access in the current organization, the first few.',
    answer: samples<WhomToAsk>({ names: ['Li Wei'], count: 1, requests: true }),
    handler: async ({ actor }) => ({
      ...(await administratorsOf(actor.organization.id, db)),
      requests: license.isLicensed(),
    }),
  });
}
