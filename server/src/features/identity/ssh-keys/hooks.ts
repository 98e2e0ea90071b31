import { sshKey } from '@sallyport/contract';
import { databaseClock } from '../../../platform/clock.ts';
import { sql } from '../../../platform/db/sql.ts';
import { Invalid, invalid } from '../../../platform/errors.ts';
import { fingerprintOf, isSamePublicKey, wireOf } from '../../../platform/ssh-keys.ts';
import { hooksFor, type ResourceHooks } from '../../../resources/hooks.ts';
import { assertConfirmedOnce, type ConfirmServices } from '../mfa/confirmed.ts';
import { ownKeyProblem } from '../profile/profile.ts';
import { assertSignedIn } from '../sign-in-sessions/current.ts';
import { deleteSshKey } from './store.ts';

/** Enough for all devices of a user. A sign-in compares each of them. */
const MAX_KEYS = 20;

/** Creates the hooks of the own SSH keys. */
export function createSshKeyHooks(services: ConfirmServices): ResourceHooks {
  return hooksFor(sshKey, {
    columns: {
      type: () => sql`split_part(t.public_key, ' ', 1)`,
      fingerprint: () => sql`t.public_key`,
    },
    async beforeSave(values, _previous, operation) {
      const { caller } = operation;
      assertSignedIn(caller);
      const { password, date_expired: end } = values;
      // The password confirms the request and is not stored.
      delete values.password;
      values.public_key = String(values.public_key).trim();
      const problem = ownKeyProblem(values.public_key, services.settings);
      if (problem) throw new Invalid({ public_key: [problem] });
      if (end instanceof Date && end.getTime() <= databaseClock.now())
        throw invalid('date_expired', 'newcomer_over');
      await assertConfirmedOnce(operation, password, services);
    },
    beforeDelete: (_row, { caller }) => assertSignedIn(caller),
    async insert(values, { tx, caller }) {
      const { userId } = caller.actor;
      // Serializes requests of a user, so that parallel ones cannot exceed the limit together.
      await sql`select 1 from account where id = ${userId} for update`.execute(tx);
      const { rows } = await sql<{
        line: string;
      }>`select public_key as line from ssh_key where user_id = ${userId}`.execute(tx);
      if (rows.length >= MAX_KEYS)
        throw invalid('non_field_errors', 'ssh_key_limit', { max: MAX_KEYS });
      const line = String(values.public_key);
      const wire = wireOf(line);
      if (wire && rows.some((row) => isSamePublicKey(row.line, wire)))
        throw invalid('public_key', 'ssh_key_known');
      const id = crypto.randomUUID();
      await sql`
        insert into ssh_key (id, user_id, name, public_key, date_expired)
        values (${id}, ${userId}, ${values.name ?? ''}, ${line},
          ${values.date_expired ?? null})`.execute(tx);
      return id;
    },
    remove: ({ id }, { caller, tx }) => deleteSshKey(caller.actor.userId, id, tx),
    present(rows) {
      for (const row of rows) {
        const wire = wireOf(String(row.fingerprint));
        row.fingerprint = wire ? fingerprintOf(wire) : '';
      }
    },
  });
}
