import type { Grant } from '../../gateway/ports/grant.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { GrantedAccount } from '../perms/index.ts';

/** Returns the parts of a grant that follow from its account. */
export async function accountPart(
  db: Db,
  account: GrantedAccount,
  userId: string,
  protocol: Grant['systemUser']['protocol'],
): Promise<Pick<Grant, 'systemUser' | 'ruleIds' | 'actions' | 'validUntil'>> {
  return {
    systemUser: {
      id: account.id,
      name: account.name,
      username: await usernameFor(db, account.username_same_with_user, account.username, userId),
      loginMode: account.login_mode,
      protocol,
      sftpRoot: account.sftp_root,
    },
    ruleIds: account.rules,
    actions: account.mask,
    validUntil: account.validUntil,
  };
}

async function usernameFor(
  db: Db,
  sameWithUser: boolean,
  username: string,
  userId: string,
): Promise<string> {
  if (!sameWithUser) return username;
  const { rows } = await sql<{
    username: string;
  }>`select username from account where id = ${userId}`.execute(db);
  return rows[0]?.username ?? username;
}
