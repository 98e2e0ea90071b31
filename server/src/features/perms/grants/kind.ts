import { actionMask, CHANGE_DATA } from '@sallyport/contract';
import { type Sql, sql } from '../../../platform/db/sql.ts';

/**
 * A kind of target that permissions grant, as SQL fragments. Grants are checked and explained by
 * the same code for all kinds. Aliases: `a` is the target, `s` a system user, `p` a permission.
 */
export interface GrantKind {
  /** Table of the permissions and prefix of its link tables. */
  readonly rule:
    | 'asset_permission'
    | 'remote_app_permission'
    | 'database_app_permission'
    | 'cluster_permission';
  /** Table of the targets. */
  readonly target: 'asset' | 'remote_app' | 'database_app' | 'cluster';
  /** True if the permission `rule.id` reaches the target `asked.target_id`. */
  readonly covers: Sql;
  /**
   * Query for the paths from permissions to targets that match a condition on their id: `rule_id`,
   * `target_id` and `node_id`. The node is null for direct paths.
   */
  places(isMeant: (id: Sql) => Sql): Sql;
  /** True if a target can be used. */
  readonly isUsable: Sql;
  /** True if a system user works on a target. */
  readonly isOffered: Sql;
  /** Protocols of a target with their ports, as text: `ssh/22 rdp/3389`, `mysql/`. */
  readonly offered: Sql;
  /** Action bits of a permission. */
  readonly actions: Sql;
  /** Action bits of an unsaved permission. */
  maskOf(terms: { readonly actions: readonly string[]; readonly is_read_only: boolean }): number;
}

/** The permissions of one kind, by default those on assets, in one organization. */
export interface RuleScope {
  readonly organization: string;
  readonly kind?: GrantKind;
}

const offers = (asset: string) =>
  sql`exists (select 1 from unnest(${sql.ref(`${asset}.protocols`)}) offered
    where split_part(offered, '/', 1) = s.protocol)`;

/** Assets: named directly, or reached through a node above them. */
export const ASSETS: GrantKind = {
  rule: 'asset_permission',
  target: 'asset',
  covers: sql`(
    exists (select 1 from asset_permission_assets direct
      where direct.asset_permission_id = rule.id and direct.asset_id = asked.target_id)
    or exists (select 1 from asset_permission_nodes link
      join asset_ancestor above on above.node_id = link.node_id and above.asset_id = asked.target_id
    where link.asset_permission_id = rule.id))`,
  places: (isMeant) => sql`
    select link.asset_permission_id as rule_id, link.asset_id as target_id, null::uuid as node_id
    from asset_permission_assets link where ${isMeant(sql`link.asset_id`)}
    union all
    select link.asset_permission_id, above.asset_id, above.node_id from asset_ancestor above
      join asset_permission_nodes link on link.node_id = above.node_id
    where ${isMeant(sql`above.asset_id`)}`,
  isUsable: sql`a.is_active`,
  isOffered: offers('a'),
  offered: sql`array_to_string(a.protocols, ' ')`,
  actions: sql`p.actions`,
  maskOf: ({ actions }) => actionMask(actions),
};

const appKind = (
  app: 'remote_app' | 'database_app' | 'cluster',
): Pick<GrantKind, 'rule' | 'target' | 'covers' | 'places' | 'actions' | 'maskOf'> => {
  const rule = `${app}_permission` as const;
  const links = sql.table(`${rule}_${app}s`);
  return {
    rule,
    target: app,
    covers: sql`exists (select 1 from ${links} direct
      where ${sql.ref(`direct.${rule}_id`)} = rule.id
      and ${sql.ref(`direct.${app}_id`)} = asked.target_id)`,
    places: (isMeant) => sql`
      select ${sql.ref(`link.${rule}_id`)} as rule_id, ${sql.ref(`link.${app}_id`)} as target_id,
        null::uuid as node_id from ${links} link
      where ${isMeant(sql.ref(`link.${app}_id`))}`,
    // Permissions of remote apps and clusters have one action here: connect.
    actions: sql`1`,
    maskOf: () => 1,
  };
};

/** Remote apps: their host must be active and offer remote desktops. */
export const REMOTE_APPS: GrantKind = {
  ...appKind('remote_app'),
  isUsable: sql`exists (select 1 from asset host where host.id = a.asset_id and host.is_active)`,
  isOffered: sql`(s.protocol = 'rdp'
    and exists (select 1 from asset host where host.id = a.asset_id and ${offers('host')}))`,
  offered: sql`coalesce((
    select 'rdp/' from asset host where host.id = a.asset_id
      and exists (select 1 from unnest(host.protocols) offered
      where split_part(offered, '/', 1) = 'rdp')), '')`,
};

const DATABASE_PROTOCOL = sql`case a.type when 'mariadb' then 'mysql' else a.type end`;

/** Databases: system users for MariaDB have the MySQL protocol. */
export const DATABASE_APPS: GrantKind = {
  ...appKind('database_app'),
  // Changing data is a separate bit, so the union of several permissions allows it if one does.
  actions: sql`(p.actions | case when p.is_read_only then 0 else ${sql.lit(CHANGE_DATA)} end)`,
  maskOf: ({ actions, is_read_only: isReadOnly }) =>
    actionMask(actions) | (isReadOnly ? 0 : CHANGE_DATA),
  isUsable: sql`true`,
  isOffered: sql`(s.protocol = ${DATABASE_PROTOCOL})`,
  offered: sql`(${DATABASE_PROTOCOL} || '/')`,
};

/** Clusters: verbs, actions and namespaces are decided for each request. */
export const CLUSTERS: GrantKind = {
  ...appKind('cluster'),
  isUsable: sql`true`,
  isOffered: sql`(s.protocol = 'kubernetes')`,
  offered: sql`'kubernetes/'::text`,
};

export const APP_KINDS = [REMOTE_APPS, DATABASE_APPS, CLUSTERS] as const;

export const linksOf = (
  { rule }: GrantKind,
  field: 'users' | 'user_groups' | 'system_users',
): Sql => sql.table(`${rule}_${field}`);

/** Column of a link table (by its alias) with the permission. */
export const ruleIn = ({ rule }: GrantKind, alias: string): Sql => sql.ref(`${alias}.${rule}_id`);
