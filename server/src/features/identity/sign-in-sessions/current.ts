import { signInRefusals } from '@sallyport/contract';
import { type Actor, bitsOf, type Caller } from '../../../platform/actor.ts';
import type { Db } from '../../../platform/db/database.ts';
import { executePrepared, type Sql, sql } from '../../../platform/db/sql.ts';
import { Forbidden } from '../../../platform/errors.ts';
import { sharedReads } from '../../../platform/shared-reads.ts';
import type { OrganizationService } from '../../orgs/index.ts';
import { standingIn } from '../authenticator.ts';
import { RULES_OF_ACCOUNT, signInCircumstances } from '../sign-in-rules/store.ts';
import type { SignedIn } from './store.ts';

/** A connection that was opened with a sign-in, and its own address. */
export interface OpenConnection {
  readonly loginId: string;
  readonly remoteAddr: string | null;
}

/** Current permissions of a sign-in or an access key, for connections that were opened with it. */
export interface CurrentSignIns {
  /**
   * Returns the permission bits in an organization; 0 if the sign-in has ended, its rules refuse
   * it at the address of the connection, or its account is invalid.
   */
  permissions(connection: OpenConnection, organizationId: string): Promise<number>;
  isValid(loginId: string): Promise<boolean>;
  /** Returns true if the sign-in is valid, and its rules admit the address of the connection. */
  isAdmitted(connection: OpenConnection): Promise<boolean>;
  /**
   * Returns an account as an actor in an organization, for work that continues without its user;
   * undefined if the account is invalid.
   */
  actor(userId: string, organizationId: string, remoteAddress: string): Promise<Actor | undefined>;
}

type Held = Pick<SignedIn, 'user_id' | 'role' | 'kind' | 'has_factor' | 'sign_in_rules'>;

/** Returns true if the rules refuse a sign-in at an address now. */
const isRefused = (
  { sign_in_rules: rules, kind, has_factor }: Held,
  remoteAddr: string | null,
): boolean =>
  rules !== null &&
  signInRefusals(rules, signInCircumstances(remoteAddr, kind), has_factor).length > 0;

/** Query for the account of a sign-in or an access key, while both are valid. */
export const holderOfLogin = (loginId: string | Sql): Sql<Held> => sql<Held>`
      select a.id as user_id, a.role, held.kind, held.has_factor,
        ${RULES_OF_ACCOUNT} as sign_in_rules
      from (
        select user_id, kind, mfa_verified is not null as has_factor
        from web_session where id = ${loginId}::uuid and date_expired > now()
        union all
        select user_id, 'access-key', false from access_key
        where id = ${loginId}::uuid and is_active and coalesce(date_expired > now(), true)
      ) held
      join account a on a.id = held.user_id
      where a.is_active and coalesce(a.date_expired > now(), true)`;

/** Finds sign-ins by id, without a token. */
export function createCurrentSignIns(db: Db, organizations: OrganizationService): CurrentSignIns {
  const find = async (loginId: string) => (await executePrepared(holderOfLogin(loginId), db))[0];
  const findAdmitted = async ({ loginId, remoteAddr }: OpenConnection) => {
    const signIn = await find(loginId);
    return signIn && !isRefused(signIn, remoteAddr) ? signIn : undefined;
  };
  // All live sessions are checked in the same moment. One login needs no plan for a list.
  const validLogins = (logins: readonly string[]) => {
    const [only = ''] = logins;
    const valid =
      logins.length === 1
        ? find(only).then((found) => new Set(found && [only]))
        : sql<{ id: string }>`select login.id::text as id from unnest(${logins}::uuid[]) login (id)
            where exists (${holderOfLogin(sql`login.id`)})`
            .execute(db)
            .then(({ rows }) => new Set(rows.map(({ id }) => id)));
    return async (login: string) => (await valid).has(login);
  };
  return {
    async permissions(connection, organizationId) {
      const signIn = await findAdmitted(connection);
      if (!signIn) return 0;
      const roles = await organizations.rolesIn(organizationId, signIn.user_id);
      return bitsOf(
        { role: signIn.role, organizationRoles: standingIn(signIn.role, organizationId, roles) },
        true,
      );
    },
    isValid: sharedReads(validLogins),
    isAdmitted: async (connection) => (await findAdmitted(connection)) !== undefined,
    async actor(userId, organizationId, remoteAddress) {
      const { rows } = await sql<Pick<SignedIn, 'username' | 'name' | 'role' | 'duty'>>`
        select username, name, role, duty from account
        where id = ${userId}::uuid and is_active
          and coalesce(date_expired > now(), true)`.execute(db);
      const [account] = rows;
      if (!account) return undefined;
      const organization = await organizations.resolve(organizationId);
      // A deleted organization must not resolve to the default one.
      if (organization.id !== organizationId) return undefined;
      const organizationRoles = standingIn(
        account.role,
        organizationId,
        await organizations.rolesIn(organizationId, userId),
      );
      const roles = { role: account.role, organizationRoles };
      return {
        ...account,
        ...roles,
        userId,
        organization,
        isValid: true,
        permissions: bitsOf(roles, true),
        remoteAddress,
        session: { id: '', kind: 'bearer' },
      };
    },
  };
}

/**
 * Rejects requests signed by an access key: a key must not change the credentials of its account.
 * @throws AppError sign_in_needed
 */
export function assertSignedIn({ actor }: Caller): void {
  if (actor.session.kind === 'access-key') throw new Forbidden('sign_in_needed');
}
