import { DEFAULT_ORGANIZATION_ID, DEFAULT_ORGANIZATION_NAME, isUuid, type OrganizationRole } from '@sallyport/contract';
import { sql } from 'kysely';
import { type CurrentOrganization, DEFAULT_ORGANIZATION } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';

export interface OrganizationService {
  /** The organization a request names by id or name; the default one for nothing, `DEFAULT`, and what is unknown. */
  resolve(wanted: string | undefined): Promise<CurrentOrganization>;
  /** The same, with what a user is there beyond the cluster-wide role: what every request asks, in one question to the database. */
  resolveFor(userId: string, wanted: string | undefined): Promise<{ readonly organization: CurrentOrganization; readonly roles: readonly OrganizationRole[] }>;
  nameOf(id: string): Promise<string>;
  /** What a user is in an organization beyond the cluster-wide role. */
  rolesIn(organizationId: string, userId: string): Promise<OrganizationRole[]>;
  /** Organizations that a user administers or audits, as the profile lists them. */
  administered(userId: string, role: 'Admin' | 'User' | 'Auditor'): Promise<{ id: string; name: string }[]>;
}

/** How long a name is remembered; organizations are renamed rarely and nothing is decided by the name. */
const REMEMBER_MILLISECONDS = 10_000;

/** Nobody is a member of the default organization. */
const NOWHERE_ELSE = { organization: DEFAULT_ORGANIZATION, roles: [] } as const;

/** Whether a request may name an organization other than the default one. */
function namesOne(wanted: string | undefined): wanted is string {
  return Boolean(wanted) && wanted?.toUpperCase() !== DEFAULT_ORGANIZATION_ID && (wanted?.length ?? 0) <= 128 && !wanted?.includes('\u0000');
}

const isNamed = (wanted: string) => (isUuid(wanted) ? sql`o.id = ${wanted}` : sql`o.name = ${wanted}`);

/** Opens the service of organizations. */
export function createOrganizations(db: Db): OrganizationService {
  const names = new Map<string, { name: string; until: number }>();
  return {
    async resolve(wanted) {
      if (!namesOne(wanted)) return DEFAULT_ORGANIZATION;
      const { rows } = await sql<CurrentOrganization>`select id, name from organization o where ${isNamed(wanted)}`.execute(db);
      return rows[0] ?? DEFAULT_ORGANIZATION;
    },
    async resolveFor(userId, wanted) {
      if (!namesOne(wanted)) return NOWHERE_ELSE;
      const { rows } = await sql<CurrentOrganization & { roles: OrganizationRole[] }>`
        select o.id, o.name, array(select m.role from organization_member m where m.organization_id = o.id and m.user_id = ${userId}) as roles
        from organization o where ${isNamed(wanted)}`.execute(db);
      const [found] = rows;
      return found ? { organization: { id: found.id, name: found.name }, roles: found.roles } : NOWHERE_ELSE;
    },
    async nameOf(id) {
      if (!isUuid(id)) return DEFAULT_ORGANIZATION_NAME;
      const known = names.get(id);
      if (known && known.until > Date.now()) return known.name;
      const { rows } = await sql<{ name: string }>`select name from organization where id = ${id}`.execute(db);
      const name = rows[0]?.name ?? '';
      if (names.size > 1_000) names.clear();
      names.set(id, { name, until: Date.now() + REMEMBER_MILLISECONDS });
      return name;
    },
    async rolesIn(organizationId, userId) {
      if (organizationId === '') return [];
      const { rows } = await sql<{
        role: OrganizationRole;
      }>`select role from organization_member where organization_id = ${organizationId} and user_id = ${userId}`.execute(db);
      return rows.map((row) => row.role);
    },
    async administered(userId, role) {
      const all = role !== 'User';
      const { rows } = await sql<{ id: string; name: string }>`
        select id, name from organization where ${all} or id in (
          select organization_id from organization_member where user_id = ${userId} and role in ('Admin', 'Auditor'))
        order by name`.execute(db);
      return all ? [{ id: DEFAULT_ORGANIZATION_ID, name: DEFAULT_ORGANIZATION_NAME }, ...rows] : rows;
    },
  };
}
