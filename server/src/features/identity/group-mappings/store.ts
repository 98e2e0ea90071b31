import type { GroupSource } from '@sallyport/contract';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

/** The groups that a source reports of a user. */
export interface ReportedGroups {
  readonly userId: string;
  readonly groups: readonly string[];
}

/**
 * Returns the groups of a user after an answer without groups: none if the source sent some before,
 * as many omit an empty list. Undefined if it never sent groups of this user.
 */
export async function groupsOfNone(
  userId: string,
  source: string,
  db: Db,
): Promise<readonly string[] | undefined> {
  const { rows } = await sql`
    select 1 from provider_groups
    where user_id = ${userId} and source = ${source} and cardinality(groups) > 0`.execute(db);
  return rows.length > 0 ? [] : undefined;
}

/** A change of a user: a user group to join or leave, or another role. */
export interface MappedChange {
  readonly user_id: string;
  readonly user: string;
  readonly kind: 'join' | 'leave' | 'role';
  readonly group_id: string | null;
  /** Name of the user group, or the new role. */
  readonly what: string;
  readonly org_id: string;
  readonly before: string;
  /** True for a group that only a change set can change. */
  readonly is_controlled: boolean;
}

/** Mappings `m` with each reported name `n` of their group; the digest is that of the index. */
const NAMED_MAPPINGS = sql`
  group_mapping m join provider_group_name n on n.source = m.source
    and md5(n.key) = md5(group_key(m.source, m.provider_group))
    and n.key = group_key(m.source, m.provider_group)`;

/** Stores the groups that a source reports. Unchanged rows are not written again. */
export async function keepReported(
  source: GroupSource,
  reported: readonly ReportedGroups[],
  tx: Tx,
): Promise<void> {
  const rows = reported.map(({ userId, groups }) => ({ user_id: userId, groups }));
  await sql`
    insert into provider_groups (user_id, source, groups)
    select r.user_id, ${source}, array(select jsonb_array_elements_text(r.groups))
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (user_id uuid, groups jsonb)
    on conflict (user_id) do update set source = excluded.source, groups = excluded.groups,
      date_read = now()
    where (provider_groups.source, provider_groups.groups)
      is distinct from (excluded.source, excluded.groups)`.execute(tx);
}

/**
 * Returns the changes that mappings demand of users whose groups are known, or of `only` some.
 * `isPreview` takes inactive mappings too, and groups and roles under change control, which no
 * mapping gives.
 * Groups of an organization reach its members only.
 */
export async function mappedChanges(
  { only, isPreview, limit }: { only: readonly string[] | null; isPreview: boolean; limit: number },
  on: Db | Tx,
): Promise<MappedChange[]> {
  const { rows } = await sql<MappedChange>`
    with reported as (
      select p.user_id, p.source, p.groups, a.role, a.duty,
        a.name || '(' || a.username || ')' as label
      from provider_groups p join account a on a.id = p.user_id
      where a.source = p.source and (${only}::uuid[] is null or p.user_id = any (${only}::uuid[]))),
    mappings as materialized (
      select m.id, m.role, m.source, n.name
      from ${NAMED_MAPPINGS}
      where m.is_active or ${isPreview}),
    fitting as (
      select r.user_id, m.id, m.role
      from reported r cross join lateral unnest(r.groups) g (name)
        join mappings m on m.source = r.source and m.name = g.name),
    roles as (
      select r.user_id, r.label, r.role as before, r.duty, given.role as given,
        coalesce(max(f.role) filter (where f.role = 'Admin'), max(f.role), '') as wanted
      from reported r left join fitting f on f.user_id = r.user_id
        left join provider_role given on given.user_id = r.user_id
      group by r.user_id, r.label, r.role, r.duty, given.role),
    changed_roles as (
      select user_id, label, before, coalesce(nullif(wanted, ''), 'User') as after,
        wanted <> '' and exists (select 1 from change_control where org_id = '') as is_controlled
      from roles
      where (before = 'User' and wanted <> '' or before = given and before <> wanted)
        -- A duty is given by hand, and a role without a duty breaks their separation.
        and duty = '' and (wanted = '' or not exists (select 1 from setting
          where name = 'SECURITY_SEPARATE_DUTIES' and value = 'true'))
        and (wanted <> 'Auditor'
          or not exists (select 1 from user_group_users u where u.user_id = roles.user_id))),
    wanted as (
      select distinct f.user_id, g.id, g.name, g.org_id, exists (select 1 from change_control c
        where c.org_id = g.org_id) as is_controlled
      from fitting f join group_mapping_user_groups mg on mg.group_mapping_id = f.id
        join user_group g on g.id = mg.user_group_id
        join reported r on r.user_id = f.user_id
        left join changed_roles c on c.user_id = f.user_id and not c.is_controlled
      where coalesce(c.after, r.role) <> 'Auditor'
        and (g.org_id = '' or exists (select 1 from organization_member o
          where o.organization_id::text = g.org_id and o.user_id = f.user_id)))
    select w.user_id, r.label as user, 'join' as kind, w.id as group_id, w.name as what,
        w.org_id, '' as before, w.is_controlled
      from wanted w join reported r on r.user_id = w.user_id
      where (${isPreview} or not w.is_controlled) and not exists (select 1 from user_group_users u
        where u.user_id = w.user_id and u.user_group_id = w.id)
    union all
    select given.user_id, r.label, 'leave', g.id, g.name, g.org_id, '', false
      from provider_membership given join reported r on r.user_id = given.user_id
        join user_group g on g.id = given.user_group_id
      where not exists (select 1 from wanted w
        where w.user_id = given.user_id and w.id = given.user_group_id)
    union all
    select user_id, label, 'role', null, after, '', before, is_controlled from changed_roles
      where ${isPreview} or not is_controlled
    order by 2, 3, 5 limit ${limit}`.execute(on);
  return rows;
}

/** Returns the number of users that the source last reported in the group of each mapping. */
export async function usersOfMappings(
  ids: readonly string[],
  db: Db | Tx,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ id: string; users: number }>`
    with mappings as materialized (
      select m.id, m.source, array_agg(n.name) as names
      from ${NAMED_MAPPINGS}
      where m.id = any (${ids}::uuid[])
      group by m.id),
    fitting as materialized (
      select m.id, p.user_id, p.source
      from mappings m cross join lateral (
        select p.user_id, p.source from provider_groups p
        where group_digests(p.groups) && group_digests(m.names) and p.source = m.source
          and p.groups && m.names
        -- Without it PostgreSQL reads all rows instead of the index for each mapping.
        offset 0) p)
    select f.id, count(*)::integer as users
    from fitting f join account a on a.id = f.user_id and a.source = f.source
    group by f.id`.execute(db);
  return new Map(rows.map(({ id, users }) => [id, users]));
}

/** A group that a source reported, with the number of its users. */
export interface SeenGroup {
  readonly source: string;
  readonly name: string;
  readonly users: number;
}

/** Returns the reported groups with most users first, and the number of users with groups. */
export async function seenGroups(
  limit: number,
  db: Db,
): Promise<{ readonly groups: SeenGroup[]; readonly users: number }> {
  const { rows: groups } = await sql<SeenGroup>`
    select p.source, named as name, count(*)::integer as users
    from provider_groups p cross join lateral unnest(p.groups) named
    group by p.source, named order by users desc, p.source, named limit ${limit}`.execute(db);
  const { rows } = await sql<{
    users: number;
  }>`select count(*)::integer as users from provider_groups`.execute(db);
  return { groups, users: rows[0]?.users ?? 0 };
}

/** Applies changes, and remembers which memberships and roles mappings gave. */
export async function storeChanges(changes: readonly MappedChange[], tx: Tx): Promise<void> {
  const text = JSON.stringify(changes);
  await sql`
    with joined as (
      insert into user_group_users (user_group_id, user_id)
      select group_id, user_id from jsonb_to_recordset(${text}::jsonb) as c (user_id uuid,
        kind text, group_id uuid) where kind = 'join'
      on conflict do nothing returning user_id, user_group_id)
    insert into provider_membership (user_id, user_group_id)
    select user_id, user_group_id from joined on conflict do nothing`.execute(tx);
  // The guard of change control looks for the given membership.
  await sql`
    delete from user_group_users u using provider_membership p,
      jsonb_to_recordset(${text}::jsonb) as c (user_id uuid, kind text, group_id uuid)
    where c.kind = 'leave' and p.user_id = c.user_id and p.user_group_id = c.group_id
      and u.user_id = p.user_id and u.user_group_id = p.user_group_id`.execute(tx);
  await sql`
    delete from provider_membership p
      using jsonb_to_recordset(${text}::jsonb) as c (user_id uuid, kind text, group_id uuid)
    where c.kind = 'leave' and p.user_id = c.user_id and p.user_group_id = c.group_id`.execute(tx);
  // The guard looks for the given role, too.
  await sql`
    update account a set role = r.what
    from jsonb_to_recordset(${text}::jsonb) as r (user_id uuid, kind text, what text)
    where r.kind = 'role' and a.id = r.user_id`.execute(tx);
  await sql`
    with roles as (
      select user_id, what as role from jsonb_to_recordset(${text}::jsonb) as c (user_id uuid,
        kind text, what text) where kind = 'role'),
    kept as (
      insert into provider_role (user_id, role)
      select user_id, role from roles where role <> 'User'
      on conflict (user_id) do update set role = excluded.role returning user_id)
    delete from provider_role p using roles r
    where p.user_id = r.user_id and r.role = 'User'`.execute(tx);
}
