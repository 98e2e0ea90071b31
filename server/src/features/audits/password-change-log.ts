import { sql } from 'kysely';
import { type Actor, displayName } from '../../http/actor.ts';
import type { ResourceHooks } from '../../http/resource/hooks.ts';
import type { Db, Tx } from '../../platform/db/database.ts';

/** Keeps that somebody's password was changed, and by whom. */
export async function writePasswordChange(
  db: Db | Tx,
  { actor }: { readonly actor: Pick<Actor, 'name' | 'username' | 'remoteAddress'> },
  userId: string,
): Promise<void> {
  await sql`
    insert into password_change_log ("user", user_id, change_by, remote_addr)
    select name || '(' || username || ')', id, ${displayName(actor)}, ${actor.remoteAddress} from account where id = ${userId}`.execute(db);
}

/** An organization's auditor sees the changes of its members only. */
export const passwordChangeLogHooks: ResourceHooks = {
  visible: ({ actor }) =>
    actor.organization.id === ''
      ? undefined
      : sql`t.user_id in (select member.user_id from organization_member member where member.organization_id::text = ${actor.organization.id})`,
};
