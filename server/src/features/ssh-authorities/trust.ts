import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

/** The lines of `authorized_keys` that accept the certificates of a system user. */
export interface TrustLines {
  /** The comment of the lines; tells them from those of other system users. */
  readonly owner: string;
  readonly lines: readonly string[];
}

/**
 * Returns the lines for an account of a system user, one for each authority of its organization;
 * none if the organization has no authority.
 */
export async function trustLines(
  systemUserId: string,
  username: string,
  db: Db,
): Promise<TrustLines> {
  const { rows } = await sql<{ principals: string; public_key: string }>`
    select s.certificate_principals as principals, a.public_key
    from system_account s join ssh_authority a on a.org_id = s.org_id
    where s.id = ${systemUserId} order by a.date_created desc, a.id`.execute(db);
  const owner = `sallyport:${systemUserId}`;
  return {
    owner,
    lines: rows.map(({ principals, public_key: key }) => {
      const names = principalsOf(principals, username);
      // Without the option, sshd compares the principals with the username.
      const option = names.join() === username ? '' : `,principals="${names.join(',')}"`;
      return `cert-authority${option} ${key.split(' ').slice(0, 2).join(' ')} ${owner}`;
    }),
  };
}

/** The names in certificates. Without any, a certificate would sign in to every account. */
export function principalsOf(lines: string, username: string): readonly string[] {
  const names = lines.split('\n').map((line) => line.trim());
  const listed = names.filter((name) => name !== '');
  return listed.length > 0 ? listed : [username];
}
