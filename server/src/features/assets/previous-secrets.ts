import {
  adminUser,
  Permission,
  PREVIOUS_SECRET_DAYS,
  type Resource,
  systemUser,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { parameter, route } from '../../http/route.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { Conflict } from '../../platform/errors.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { AuditWriter } from '../../resources/hooks.ts';

const MASK = '******';

/** True if the previous secret of a row (alias `t`) can be restored. */
export const hasPreviousSecret = (): Sql =>
  sql`(t.previous_secrets is not null
    and t.date_secret_changed > now() - make_interval(days => ${PREVIOUS_SECRET_DAYS}))`;

/** Date of the current secret of a row (alias `t`); null without a secret. */
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
const EXPIRED = (): Sql => sql`t.previous_secrets is not null and not ${hasPreviousSecret()}`;

interface Kind {
  readonly resource: Resource;
  /**
   * Swaps the previous secret of a row with the current one. A trigger keeps the replaced secret.
   */
  readonly restore: (row: Sql) => Sql;
  readonly forget: () => Sql;
}

const KINDS: readonly Kind[] = [
  {
    resource: systemUser,
    restore: (row) =>
      sql`update system_account t set ${EARLIER} from system_account before where ${row}
        returning ${CHANGED}`,
    forget: () => sql`update system_account t set previous_secrets = null where ${EXPIRED()}`,
  },
  {
    resource: adminUser,
    restore: (row) =>
      sql`update admin_user t set ${EARLIER} from admin_user before where ${row}
        returning ${CHANGED}`,
    forget: () => sql`update admin_user t set previous_secrets = null where ${EXPIRED()}`,
  },
];

/**
 * Mounts the undo of the last secret change. The previous secret becomes current, and the current
 * one is kept as previous.
 */
export function mountPreviousSecrets(
  app: FastifyInstance,
  { db, engines, audit }: { db: Db; engines: Engines; audit: AuditWriter },
): void {
  for (const { resource, restore } of KINDS) {
    route(app, {
      method: 'POST',
      url: `/api/v1/${resource.path}/:id/previous-secret/`,
      access: Permission.ADMIN,
      area: 'secrets',
      summary: 'Restore the previous secret. The current one becomes the previous.',
      status: 204,
      async handler(context): Promise<void> {
        const row = await engineOf(engines, resource).reader.retrieve(
          parameter(context, 'id'),
          context,
        );
        await db.transaction(async (tx) => {
          const condition = sql`t.id = ${row.id} and before.id = t.id and ${hasPreviousSecret()}`;
          const { rows } = await sql<{
            password: boolean;
            key: boolean;
          }>`${restore(condition)}`.execute(tx);
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

/** Deletes previous secrets whose time to restore has passed. Returns their number. */
export async function forgetPreviousSecrets(db: Db): Promise<number> {
  let removed = 0;
  for (const { forget } of KINDS) removed += (await sql`${forget()}`.execute(db)).rowCount ?? 0;
  return removed;
}
