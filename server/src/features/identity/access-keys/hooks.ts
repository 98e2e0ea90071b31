import { accessKey, type ValuesOf } from '@sallyport/contract';
import { databaseClock } from '../../../platform/clock.ts';
import type { Vault } from '../../../platform/crypto/vault.ts';
import { sql } from '../../../platform/db/sql.ts';
import { invalid } from '../../../platform/errors.ts';
import { hooksFor, kept, type ResourceHooks } from '../../../resources/hooks.ts';
import { assertConfirmedOnce, type ConfirmServices } from '../mfa/confirmed.ts';
import { assertSignedIn } from '../sign-in-sessions/current.ts';
import { sealContext } from './signature.ts';
import { endOpenedBy, revokeAccessKeys } from './store.ts';

/** Enough for all scripts of a user; each key is another secret to lose. */
const MAX_KEYS = 50;
const DAY = 86_400_000;
const TOLERANCE = 10 * 60_000;

/** Secrets of new keys until the response shows them. */
const SECRETS = kept(() => new Map<string, string>());

/**
 * Creates the hooks of access keys. The secret is generated here, and only the response to the
 * creating request contains it.
 */
export function createAccessKeyHooks(vault: Vault, services: ConfirmServices): ResourceHooks {
  const maxDays = () => services.settings.get('SECURITY_ACCESS_KEY_MAX_DAYS');
  const latestEnd = () => (maxDays() > 0 ? new Date(databaseClock.now() + maxDays() * DAY) : null);
  /**
   * Checks a new end against the setting.
   * @throws Invalid
   */
  function assertEnd(end: unknown): void {
    const latest = latestEnd();
    // A client's clock may be slightly fast.
    if (latest && !(end instanceof Date && end.getTime() <= latest.getTime() + TOLERANCE))
      throw invalid('date_expired', 'access_key_end', { max: maxDays() });
  }

  return hooksFor(accessKey, {
    columns: { secret: () => sql`null::text` },
    async beforeSave(values, previous, operation) {
      const { caller } = operation;
      assertSignedIn(caller);
      const { date_expired: end, password } = values;
      // The password confirms the request and is not stored.
      delete values.password;
      if (!previous) {
        values.date_expired ??= latestEnd();
        assertEnd(values.date_expired);
        await assertConfirmedOnce(operation, password, services);
      } else if (end !== undefined && String(end) !== String(previous.date_expired)) assertEnd(end);
    },
    beforeDelete: (_row, { caller }) => assertSignedIn(caller),
    async insert(values, operation) {
      const { tx } = operation;
      const { userId } = operation.caller.actor;
      // Serializes requests of a user, so that parallel ones cannot exceed the limit together.
      await sql`select 1 from account where id = ${userId} for update`.execute(tx);
      const { rows } = await sql<{
        count: number;
      }>`select count(*) as count from access_key where user_id = ${userId}`.execute(tx);
      if ((rows[0]?.count ?? 0) >= MAX_KEYS)
        throw invalid('non_field_errors', 'access_key_limit', { max: MAX_KEYS });
      const id = crypto.randomUUID();
      // Existing clients expect a UUID: 122 random bits.
      const secret = crypto.randomUUID();
      await sql`
        insert into access_key (id, user_id, secret, is_active, name, date_expired)
        values (${id}, ${userId}, ${vault.seal(secret, sealContext(id))},
          ${values.is_active !== false}, ${values.name ?? ''},
          ${values.date_expired ?? null})`.execute(tx);
      operation.get(SECRETS).set(id, secret);
      return id;
    },
    async afterSave(saved, { tx }) {
      const isOff = ({ is_active, date_expired }: ValuesOf<typeof accessKey>) =>
        is_active === false ||
        (date_expired instanceof Date && date_expired.getTime() <= databaseClock.now());
      await endOpenedBy(
        saved.filter(({ values }) => isOff(values)).map(({ id }) => id),
        tx,
      );
    },
    remove: async ({ id }, { caller, tx }) =>
      void (await revokeAccessKeys(tx, caller.actor.userId, id)),
    present(rows, { operation }) {
      const secrets = operation?.get(SECRETS);
      for (const row of rows) row.secret = secrets?.get(String(row.id)) ?? null;
    },
  });
}
