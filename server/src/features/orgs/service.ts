import {
  DEFAULT_ORGANIZATION_ID,
  DEFAULT_ORGANIZATION_NAME,
  isUuid,
  type OrganizationRole,
} from '@sallyport/contract';
import { type CurrentOrganization, DEFAULT_ORGANIZATION } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';

export interface OrganizationService {
  /**
   * Returns the organization that a request names by id or name. Returns the default organization
   * if the name is empty, `DEFAULT` or unknown.
   */
  resolve(wanted: string | undefined): Promise<CurrentOrganization>;
  nameOf(id: string): Promise<string>;
  /** The roles of a user in an organization, in addition to the role in the installation. */
  rolesIn(organizationId: string, userId: string): Promise<OrganizationRole[]>;
  /** Organizations that a user administers or audits, as the profile lists them. */
  administered(
    userId: string,
    role: 'Admin' | 'User' | 'Auditor',
  ): Promise<{ id: string; name: string }[]>;
}

/** Lifetime of cached names. No access decision depends on a name. */
const REMEMBER_MILLISECONDS = 10_000;

/** An organization with the roles of a user in it. */
export interface Place {
  readonly organization: CurrentOrganization;
  readonly roles: readonly OrganizationRole[];
}

/** The column that {@link joinPlace} adds to each row. Null for the default organization. */
export interface PlaceColumns {
  readonly place: {
    readonly id: string;
    readonly name: string;
    readonly roles: readonly OrganizationRole[];
  } | null;
}

/** The default organization has no members. */
const DEFAULT_PLACE: Place = { organization: DEFAULT_ORGANIZATION, roles: [] };

/** Returns true if the text can name an organization other than the default one. */
function namesOne(wanted: string | undefined): wanted is string {
  return (
    Boolean(wanted) &&
    wanted?.toUpperCase() !== DEFAULT_ORGANIZATION_ID &&
    (wanted?.length ?? 0) <= 128 &&
    !wanted?.includes('\u0000')
  );
}

const isNamed = (wanted: string) =>
  isUuid(wanted) ? sql`o.id = ${wanted}` : sql`o.name = ${wanted}`;

/**
 * Adds the column `place` to a query of users `a`: the organization that a request names, and the
 * roles of each user there. One query then authenticates and authorizes a request. Read it with
 * {@link readPlace}.
 */
export function joinPlace(wanted: string | undefined): Sql {
  if (!namesOne(wanted)) return sql`cross join lateral (select null::json as place) here`;
  return sql`left join lateral (
    select json_build_object('id', o.id, 'name', o.name,
      'roles', array(select m.role from organization_member m where m.organization_id = o.id
        and m.user_id = a.id)) as place
    from organization o where ${isNamed(wanted)}) here on true`;
}

/** Reads the column that {@link joinPlace} added. */
export function readPlace({ place }: PlaceColumns): Place {
  return place
    ? { organization: { id: place.id, name: place.name }, roles: place.roles }
    : DEFAULT_PLACE;
}

export function createOrganizations(db: Db): OrganizationService {
  const names = new Map<string, { name: string; until: number }>();
  return {
    async resolve(wanted) {
      if (!namesOne(wanted)) return DEFAULT_ORGANIZATION;
      const { rows } = await sql<CurrentOrganization>`select id, name from organization o
          where ${isNamed(wanted)}`.execute(db);
      return rows[0] ?? DEFAULT_ORGANIZATION;
    },
    async nameOf(id) {
      if (!isUuid(id)) return DEFAULT_ORGANIZATION_NAME;
      const known = names.get(id);
      if (known && known.until > Date.now()) return known.name;
      const { rows } = await sql<{
        name: string;
      }>`select name from organization where id = ${id}`.execute(db);
      const name = rows[0]?.name ?? '';
      if (names.size > 1_000) names.clear();
      names.set(id, { name, until: Date.now() + REMEMBER_MILLISECONDS });
      return name;
    },
    async rolesIn(organizationId, userId) {
      if (organizationId === '') return [];
      const { rows } = await sql<{
        role: OrganizationRole;
      }>`select role from organization_member
        where organization_id = ${organizationId} and user_id = ${userId}`.execute(db);
      return rows.map((row) => row.role);
    },
    async administered(userId, role) {
      const all = role !== 'User';
      const { rows } = await sql<{ id: string; name: string }>`
        select id, name from organization where ${all} or id in (
          select organization_id from organization_member
            where user_id = ${userId} and role in ('Admin', 'Auditor'))
        order by name`.execute(db);
      return all
        ? [{ id: DEFAULT_ORGANIZATION_ID, name: DEFAULT_ORGANIZATION_NAME }, ...rows]
        : rows;
    },
  };
}
