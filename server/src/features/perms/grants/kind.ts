import { actionMask, CHANGE_DATA } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Sql } from '../../../resources/hooks.ts';

/**
 * A kind of target that permissions grant. Everything that explains and checks grants is written
 * once, over these parts. In them `a` is the target, `s` a system user, `p` a permission.
 */
export interface GrantKind {
  /** The table of the permissions; the names of their links begin with it. */
  readonly rule: 'asset_permission' | 'remote_app_permission' | 'database_app_permission';
  /** The table of the targets. */
  readonly target: 'asset' | 'remote_app' | 'database_app';
  /** Whether the permission `rule.id` reaches the target `asked.target_id`. */
  readonly covers: Sql;
  /**
   * The ways in which permissions reach targets of a condition on their id: `rule_id`, `target_id`,
   * and the `node_id` that leads there, or null.
   */
  places(isMeant: (id: Sql) => Sql): Sql;
  /** Whether a target can be used at all. */
  readonly isUsable: Sql;
  /** Whether a system user can be used on a target. */
  readonly isOffered: Sql;
  /**
   * What a target offers system users, as a text of protocols with their ports: `ssh/22 rdp/3389`,
   * `mysql/`.
   */
  readonly offered: Sql;
  /** What a permission allows, as bits of the actions. */
  readonly actions: Sql;
  /** The same of a permission that is not saved yet. */
  maskOf(terms: { readonly actions: readonly string[]; readonly is_read_only: boolean }): number;
}

const offers = (asset: string) =>
  sql`exists (select 1 from unnest(${sql.ref(`${asset}.protocols`)}) offered
    where split_part(offered, '/', 1) = s.protocol)`;

/** Servers: reached by name, or by a node above them. */
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

const named = (
  app: 'remote_app' | 'database_app',
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
    // Rules about programs allow their use, and nothing beyond it.
    actions: sql`1`,
    maskOf: () => 1,
  };
};

/** Programs on servers: their server must be active and offer remote desktops. */
export const REMOTE_APPS: GrantKind = {
  ...named('remote_app'),
  isUsable: sql`exists (select 1 from asset host where host.id = a.asset_id and host.is_active)`,
  isOffered: sql`(s.protocol = 'rdp'
    and exists (select 1 from asset host where host.id = a.asset_id and ${offers('host')}))`,
  offered: sql`coalesce((
    select 'rdp/' from asset host where host.id = a.asset_id
      and exists (select 1 from unnest(host.protocols) offered
      where split_part(offered, '/', 1) = 'rdp')), '')`,
};

const DATABASE_PROTOCOL = sql`case a.type when 'mariadb' then 'mysql' else a.type end`;

/** Databases: of MariaDB the system users have the protocol of MySQL. */
export const DATABASE_APPS: GrantKind = {
  ...named('database_app'),
  // What else is allowed is added as a bit, so that of several permissions the one that allows it
  // counts.
  actions: sql`(p.actions | case when p.is_read_only then 0 else ${sql.lit(CHANGE_DATA)} end)`,
  maskOf: ({ actions, is_read_only: isReadOnly }) =>
    actionMask(actions) | (isReadOnly ? 0 : CHANGE_DATA),
  isUsable: sql`true`,
  isOffered: sql`(s.protocol = ${DATABASE_PROTOCOL})`,
  offered: sql`(${DATABASE_PROTOCOL} || '/')`,
};

/** The kinds of application. */
export const APP_KINDS = [REMOTE_APPS, DATABASE_APPS] as const;

/** A table of links of the permissions of a kind. */
export const linksOf = (
  { rule }: GrantKind,
  field: 'users' | 'user_groups' | 'system_users',
): Sql => sql.table(`${rule}_${field}`);

/** The column of such a table, by an alias, that names the permission. */
export const ruleIn = ({ rule }: GrantKind, alias: string): Sql => sql.ref(`${alias}.${rule}_id`);
