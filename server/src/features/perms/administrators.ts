import { Permission, type WhomToAsk } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { LicenseService } from '../license/index.ts';
import { IS_VALID_USER } from './grants/paths.ts';

/** Maximum number of names in an answer. */
const MOST_NAMED = 5;

/** Mounts the names of administrators, for users without access. */
export function mountAdministrators(
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
      ...(await administratorsOf(actor.organization.id, actor.userId, db)),
      requests: license.isLicensed(),
    }),
  });
}

/**
 * Administrators of an organization besides the caller, by name. An organization without
 * administrators, such as the default one, falls back to super administrators.
 */
async function administratorsOf(
  organizationId: string,
  callerId: string,
  db: Db,
): Promise<Omit<WhomToAsk, 'requests'>> {
  const { rows } = await sql<{ name: string; count: number }>`
    with own as materialized (
      select u.id, u.name from account u join organization_member m on m.user_id = u.id
        and m.role = 'Admin'
      where m.organization_id::text = ${organizationId} and u.id <> ${callerId}
        and ${IS_VALID_USER}
    ), administrator as (
      select id, name from own
      union all
      select u.id, u.name from account u where u.role = 'Admin' and u.id <> ${callerId}
        and ${IS_VALID_USER}
        and not exists (select 1 from own)
    )
    select name, count(*) over () as count from administrator order by name, id
    limit ${MOST_NAMED}`.execute(db);
  return { names: rows.map(({ name }) => name), count: rows[0]?.count ?? 0 };
}
