import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { type Approvers, IS_VALID_USER, isApprover } from '../perms/index.ts';
import { administers } from './store.ts';

const MOST_REVIEWERS = 50;

interface Reviewing {
  readonly organizationId: string;
  /** The user whose act is reviewed; null if the account was deleted. */
  readonly userId: string | null;
  /** Review before the administrators of the organization. */
  readonly named: Approvers;
  /** Another condition on account `u`. */
  readonly also?: Sql;
  /** A user who is not left out if there are too many. */
  readonly first?: string | undefined;
}

/**
 * Users who may review for a user: those among `named` who can sign in, and without them the
 * administrators of the organization. Named groups without such members have no reviewer. Excludes
 * the user.
 */
export async function reviewersOf(
  { organizationId, userId, named, also = sql`true`, first }: Reviewing,
  on: Db | Tx,
): Promise<readonly string[]> {
  const isNamed = isApprover(named, organizationId);
  const others = named.groups.length > 0 ? sql`false` : administers(organizationId);
  const { rows } = await sql<{ id: string; is_named: boolean }>`
    select u.id, ${isNamed} as is_named from account u
    where u.id is distinct from ${userId}::uuid and ${IS_VALID_USER} and ${also}
      and (${isNamed} or ${others})
    order by is_named desc, u.id is not distinct from ${first ?? null}::uuid desc, u.date_joined,
      u.id limit ${MOST_REVIEWERS}`.execute(on);
  const own = rows.filter((row) => row.is_named);
  return (own.length > 0 ? own : rows).map(({ id }) => id);
}
