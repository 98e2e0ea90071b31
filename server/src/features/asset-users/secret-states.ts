import { OLD_SECRET_DAYS, type SecretState } from '@sallyport/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { amongAssets, assetsReachedBy } from './account-conditions.ts';

/** Conditions for accounts (`row`) by the state of their secret. */
export const SECRETS: Readonly<Record<SecretState, (row: Sql) => Sql>> = {
  old: (row) => sql`(${row}.has_secret and coalesce(${row}.date_secret_changed, ${row}.date_created)
    < now() - make_interval(days => ${OLD_SECRET_DAYS}))`,
  unchanged: (row) => sql`(${row}.has_secret and ${row}.date_secret_changed is null)`,
  missing: (row) => sql`(not ${row}.has_secret)`,
};

const HAS_SECRET = sql`coalesce(t.password, t.private_key) is not null`;

/**
 * Condition for assets that may have an account whose secret has a state. Admin users and system
 * users are few: their assets are those to walk.
 */
export function withSecretIn(
  state: SecretState,
  organizationId: string,
  db: Db | Tx,
): Promise<Sql> {
  const inState = (hasSecret: Sql, changed = sql`t.date_secret_changed`) => sql`
    cross join lateral (select ${hasSecret} as has_secret, ${changed} as date_secret_changed,
      t.date_created) state
    where t.org_id = ${organizationId} and ${SECRETS[state](sql`state`)}`;
  const version = sql`case when t.version > 1 then t.date_created end`;
  return amongAssets(
    sql`select t.asset_id from asset_user t ${inState(sql`true`, version)}
      union all
      select other.id from asset other where other.admin_user_id in (
        select t.id from admin_user t ${inState(HAS_SECRET)})
      union all
      ${assetsReachedBy(sql`select t.id from system_account t
        ${inState(sql`t.login_mode = 'auto' and ${HAS_SECRET}`)}`)}`,
    sql`true`,
    db,
  );
}
