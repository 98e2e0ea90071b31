import { passwordChangeLog } from '@sallyport/contract';
import { type Actor, DEFAULT_ORGANIZATION, displayName } from '../../platform/actor.ts';
import { databaseClock } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { named, userName } from '../../resources/relations/named-objects.ts';
import { keepCommitted } from './kept-changes.ts';
import { sinceMembership } from './login-log.ts';
import { namedUser } from './operate-log.ts';

/** Kind of object of a lost password change. */
const PASSWORD_KIND = 'password';

/** Logs a password change with the user or service that made it. A service has no username. */
export async function writePasswordChange(
  db: Db | Tx,
  { actor }: { readonly actor: Pick<Actor, 'name' | 'username' | 'remoteAddress'> },
  userId: string,
): Promise<void> {
  const by = actor.username ? displayName(actor) : actor.name;
  const { rows } = await sql<{ id: string; user: string }>`
    insert into password_change_log ("user", user_id, change_by, remote_addr)
    select ${userName('account')}, id, ${by}, ${actor.remoteAddress}
      from account where id = ${userId}
    returning id, "user"`.execute(db);
  if (actor.username === '') return;
  const date = databaseClock.now();
  await keepCommitted(
    db,
    rows.map(({ id, user }) => ({
      id,
      // Accounts belong to the installation.
      organization: DEFAULT_ORGANIZATION.id,
      user: by,
      action: 'update' as const,
      resourceType: PASSWORD_KIND,
      resource: user,
      resourceId: userId,
      remoteAddress: actor.remoteAddress,
      changes: null,
      date,
    })),
  );
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
