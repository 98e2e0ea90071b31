import { sql } from 'kysely';
import type { Context } from '../../../http/context.ts';
import { invalid } from '../../../http/problem.ts';
import type { ResourceHooks } from '../../../http/resource/hooks.ts';
import type { Vault } from '../../../platform/crypto/vault.ts';
import { assertSignedIn } from '../signed-in.ts';

/** Enough for every script of a person; each is one more thing to lose. */
const MAX_KEYS = 50;

/** Where a key's secret is sealed for. */
export const sealContext = (id: string) => `access_key.secret.${id}`;

/** What is particular to access keys: the secret is made here, and told only in the answer to the request that made it. */
export function createAccessKeyHooks(vault: Vault): ResourceHooks {
  const made = new WeakMap<Context['request'], Map<string, string>>();
  return {
    columns: { secret: () => sql`null::text` },
    beforeSave: (_values, _previous, context) => assertSignedIn(context),
    beforeDelete: (_row, context) => assertSignedIn(context),
    async insert(values, context, tx) {
      const { userId } = context.actor;
      // One after the other, so that many requests at once do not pass the limit together.
      await sql`select 1 from account where id = ${userId} for update`.execute(tx);
      const { rows } = await sql<{ count: number }>`select count(*) as count from access_key where user_id = ${userId}`.execute(tx);
      if ((rows[0]?.count ?? 0) >= MAX_KEYS) throw invalid('non_field_errors', 'access_key_limit', { max: MAX_KEYS });
      const id = crypto.randomUUID();
      // The established clients expect a uuid: 122 random bits.
      const secret = crypto.randomUUID();
      await sql`
        insert into access_key (id, user_id, secret, is_active)
        values (${id}, ${userId}, ${vault.seal(secret, sealContext(id))}, ${values.is_active !== false})`.execute(tx);
      const secrets = made.get(context.request) ?? new Map<string, string>();
      made.set(context.request, secrets.set(id, secret));
      return id;
    },
    present(rows, context) {
      const secrets = made.get(context.request);
      for (const row of rows) row.secret = secrets?.get(String(row.id)) ?? null;
    },
  };
}
