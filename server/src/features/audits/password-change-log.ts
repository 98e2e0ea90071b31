import { passwordChangeLog } from '@sallyport/contract';
import { type Actor, displayName } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { named, userName } from '../../resources/relations/named-objects.ts';
import { sinceMembership } from './login-log.ts';
import { namedUser } from './operate-log.ts';

/** Logs a password change with the user or service that made it. A service has no username. */
export async function writePasswordChange(
  db: Db | Tx,
  { actor }: { readonly actor: Pick<Actor, 'name' | 'username' | 'remoteAddress'> },
  userId: string,
): Promise<void> {
  await sql`
    insert into password_change_log ("user", user_id, change_by, remote_addr)
    select ${userName('account')}, id, ${actor.username ? displayName(actor) : actor.name},
      ${actor.remoteAddress} from account where id = ${userId}`.execute(db);
}

/**
 * The hooks of the password change log. Auditors of an organization see changes of its members
 * only.
 */
export const passwordChangeLogHooks = hooksFor(passwordChangeLog, {
  visible: sinceMembership,
  columns: {
    links: () =>
      sql`jsonb_build_object('user', ${named('user', sql`t.user_id`)}, 'change_by',
        ${namedUser(sql`t.change_by`)})`,
  },
});
