import {
  adminUser,
  Permission,
  PREVIOUS_SECRET_DAYS,
  type Resource,
  systemUser,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { parameter, route } from '../../http/route.ts';
import type { Db } from '../../platform/db/database.ts';
import { Conflict } from '../../platform/errors.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { AuditWriter, Sql } from '../../resources/hooks.ts';

const MASK = '******';

/** Whether a row (alias `t`) still has the secret from before its last change. */
export const hasPreviousSecret = (): Sql =>
  sql`(t.previous_secrets is not null
    and t.date_secret_changed > now() - make_interval(days => ${PREVIOUS_SECRET_DAYS}))`;

/** When the secret of a row (alias `t`) was stored; null where there is none. */
export const dateSecretChanged = (): Sql =>
  sql`(case when coalesce(t.password, t.private_key) is not null
    then coalesce(t.date_secret_changed, t.date_created) end)`;

const EARLIER = sql`
  password = t.previous_secrets ->> 'password',
  private_key = t.previous_secrets ->> 'private_key',
  public_key = t.previous_secrets ->> 'public_key',
  date_updated = now()`;
const CHANGED = sql`t.password is distinct from before.password as password,
  t.private_key is distinct from before.private_key as key`;
const FORGOTTEN = (): Sql => sql`t.previous_secrets is not null and not ${hasPreviousSecret()}`;

interface Kind {
  readonly resource: Resource;
  /**
   * Puts the earlier secret of a row in the place of the present one, which the trigger of the
   * table keeps.
   */
  readonly takeBack: (row: Sql) => Sql;
  readonly forget: () => Sql;
}

/** The resources whose secrets can be taken back. */
const KINDS: readonly Kind[] = [
  {
    resource: systemUser,
    takeBack: (row) =>
      sql`update system_account t set ${EARLIER} from system_account before where ${row}
        returning ${CHANGED}`,
    forget: () => sql`update system_account t set previous_secrets = null where ${FORGOTTEN()}`,
  },
  {
    resource: adminUser,
    takeBack: (row) =>
      sql`update admin_user t set ${EARLIER} from admin_user before where ${row}
        returning ${CHANGED}`,
    forget: () => sql`update admin_user t set previous_secrets = null where ${FORGOTTEN()}`,
  },
];

/**
 * Takes back the last change of the secret of an account: the one from before it comes back, and
 * the present one is kept in its place.
 */
export function mountPreviousSecrets(
  app: FastifyInstance,
  { db, engines, audit }: { db: Db; engines: Engines; audit: AuditWriter },
): void {
  for (const { resource, takeBack } of KINDS) {
    route(app, {
      method: 'POST',
      url: `/api/v1/${resource.path}/:id/previous-secret/`,
      access: Permission.ADMIN,
      summary:
        'Take back the last change of the password or key: the one from before it is used again, and the present one is kept in its place.',
      status: 204,
      async handler(context): Promise<void> {
        const row = await engineOf(engines, resource).reader.retrieve(
          parameter(context, 'id'),
          context,
        );
        await db.transaction().execute(async (tx) => {
          const there = sql`t.id = ${row.id} and before.id = t.id and ${hasPreviousSecret()}`;
          const { rows } = await sql<{
            password: boolean;
            key: boolean;
          }>`${takeBack(there)}`.execute(tx);
          const [changed] = rows;
          if (!changed) throw new Conflict('no_previous_secret');
          await audit(tx, context, {
            action: 'update',
            resourceType: resource.name,
            resource: String(row.name),
            resourceId: String(row.id),
            changes: {
              ...(changed.password && { password: [MASK, MASK] as const }),
              ...(changed.key && { private_key: [MASK, MASK] as const }),
            },
          });
        });
        context.reply.code(204);
      },
    });
  }
}

/** Forgets secrets that can no longer be taken back. */
export async function forgetPreviousSecrets(db: Db): Promise<void> {
  for (const { forget } of KINDS) await sql`${forget()}`.execute(db);
}
