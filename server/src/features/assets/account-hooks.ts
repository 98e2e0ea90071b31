import { sql } from 'kysely';
import { Invalid, Refusal } from '../../http/problem.ts';
import type { ResourceHooks, Values } from '../../http/resource/hooks.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { privateKeyProblem, publicKeyProblem } from '../identity/public-key.ts';

/** Refuses keys that cannot be read; the password of the same body is the passphrase. @throws Invalid */
function assertKeys(values: Values): void {
  const key = values.private_key ? privateKeyProblem(String(values.private_key), String(values.password ?? '')) : undefined;
  if (key) throw new Invalid({ private_key: [key] });
  const publicKey = values.public_key ? publicKeyProblem(String(values.public_key)) : undefined;
  if (publicKey) throw new Invalid({ public_key: [publicKey] });
}

/** What is particular to admin users (assets reference §5). */
export const adminUserHooks: ResourceHooks = {
  columns: { assets_amount: () => sql`(select count(*) from asset a where a.admin_user_id = t.id)` },
  beforeSave: (values) => assertKeys(values),
  async beforeDelete(row, { language }, tx) {
    const { rows } = await sql`select 1 from asset where admin_user_id = ${row.id} limit 1`.execute(tx);
    if (rows.length > 0) throw new Refusal(400, 'in_use', { what: language === 'zh' ? '资产' : 'assets' });
  },
};

/** How many assets each system user reaches, by its id. */
type ReachOf = (systemUserIds: readonly string[], db: Db | Tx) => Promise<ReadonlyMap<string, number>>;

/** What is particular to system users (assets reference §6). */
export const createSystemUserHooks = (reachOf: ReachOf): ResourceHooks => ({
  async present(rows, _context, db) {
    const amounts = await reachOf(
      rows.map((row) => String(row.id)),
      db,
    );
    for (const row of rows) row.assets_amount = amounts.get(String(row.id)) ?? 0;
  },
  async beforeSave(values, previous, context, tx) {
    assertKeys(values);
    const value = (name: string): unknown => values[name] ?? previous?.[name];
    const protocol = String(value('protocol') ?? 'ssh');
    const isManual = value('login_mode') === 'manual';
    if (isManual || protocol === 'telnet' || protocol === 'vnc') values.auto_push = false;
    const sameName = value('username_same_with_user') === true;
    const problems: Record<string, { code: 'login_required_credentials' | 'not_unique' }[]> = {};
    if (!isManual && protocol !== 'vnc') {
      if (!value('username') && !sameName) problems.username = [{ code: 'login_required_credentials' }];
      // Existing rows keep the secret they have when none is sent.
      const { rows } = previous
        ? await sql`select 1 from system_account where id = ${previous.id} and (password is not null or private_key is not null)`.execute(tx)
        : { rows: [] };
      if (!values.password && !values.private_key && rows.length === 0) problems.password = [{ code: 'login_required_credentials' }];
    }
    if (sameName) {
      const { rows } = await sql`
        select 1 from system_account where org_id = ${context.actor.organization.id} and protocol = ${protocol} and username_same_with_user and id is distinct from ${previous?.id ?? null}::uuid`.execute(
        tx,
      );
      if (rows.length > 0) problems.username_same_with_user = [{ code: 'not_unique' }];
    }
    if (Object.keys(problems).length > 0) throw new Invalid(problems);
  },
});

/** What is particular to gateways (assets reference §7). */
export const gatewayHooks: ResourceHooks = {
  beforeSave: (values) => assertKeys(values),
};

/** What is particular to domains. */
export const domainHooks: ResourceHooks = {
  columns: { gateway_count: () => sql`(select count(*) from gateway g where g.domain_id = t.id)` },
};
