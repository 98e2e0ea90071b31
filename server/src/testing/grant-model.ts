import { CHANGE_DATA } from '@sallyport/contract';
import type { Db } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';

interface Rule {
  readonly id: string;
  readonly org_id: string;
  readonly is_active: boolean;
  readonly actions: number;
  /** For database permissions. */
  readonly is_read_only?: boolean;
  readonly date_start: Date;
  readonly date_expired: Date;
}

/** A usable account on an asset, computed naively. */
export interface ModelAccount {
  readonly id: string;
  readonly mask: number;
  readonly rules: readonly string[];
}

type Pair = readonly [string, string];

/** The part of an asset that the model needs. */
interface Target {
  readonly is_active: boolean;
  readonly protocols: readonly string[];
  readonly org_id: string;
}

/** A remote app with its server, or a database with its type. */
interface App {
  readonly id: string;
  readonly org_id: string;
  readonly type: string;
  readonly asset_id?: string;
}

/**
 * Converts an application to an asset: a remote app is usable if its server is and offers remote
 * desktops, a database by the protocol of its type.
 */
function asTarget(
  { id, org_id, type, asset_id }: App,
  hosts: readonly (Target & { readonly id: string })[],
): Target & { readonly id: string } {
  if (asset_id === undefined)
    return {
      id,
      org_id,
      is_active: true,
      protocols: [type === 'mariadb' ? 'mysql/3306' : `${type}/1`],
    };
  const host = hosts.find((one) => one.id === asset_id);
  return {
    id,
    org_id,
    is_active: host?.is_active ?? false,
    protocols: host?.protocols.filter((protocol) => protocol.startsWith('rdp/')) ?? [],
  };
}

/**
 * A naive model of grants after the specification, on plain copies of the tables and without the
 * program's queries. A valid permission that names a user, directly or by group, reaches its assets
 * and everything at or below its nodes.
 */
export class GrantModel {
  private readonly rules: readonly Rule[];
  private readonly links: Readonly<Record<string, readonly Pair[]>>;
  private readonly parents: ReadonlyMap<string, { parent: string | null; org: string }>;
  private readonly assets: ReadonlyMap<string, Target>;
  private readonly systemUsers: readonly {
    id: string;
    protocol: string;
    priority: number;
    name: string;
  }[];
  private readonly validUsers: ReadonlySet<string>;

  private constructor(
    rules: readonly Rule[],
    links: GrantModel['links'],
    parents: GrantModel['parents'],
    assets: GrantModel['assets'],
    systemUsers: GrantModel['systemUsers'],
    validUsers: ReadonlySet<string>,
  ) {
    this.rules = rules;
    this.links = links;
    this.parents = parents;
    this.assets = assets;
    this.systemUsers = systemUsers;
    this.validUsers = validUsers;
  }

  /**
   * Copies the tables for asset permissions or a kind of application; applications count as assets.
   */
  static async load(
    db: Db,
    target: 'asset' | 'remote_app' | 'database_app' = 'asset',
  ): Promise<GrantModel> {
    const table = async <T>(name: string) =>
      (await sql<T>`select * from ${sql.table(name)}`.execute(db)).rows;
    const pairs = async (name: string, first: string, second: string): Promise<Pair[]> =>
      (await table<Record<string, string>>(name)).map((row) => [
        row[first] ?? '',
        row[second] ?? '',
      ]);
    const isAsset = target === 'asset';
    const ofDatabase = (rule: Rule) => rule.actions | (rule.is_read_only ? 0 : CHANGE_DATA);
    const actionsOf = (rule: Rule) =>
      isAsset ? rule.actions : target === 'remote_app' ? 1 : ofDatabase(rule);
    const ofRule = (name: string, column: string) =>
      pairs(`${target}_permission_${name}`, `${target}_permission_id`, column);
    const nodes = await table<{ id: string; parent_id: string | null; org_id: string }>('node');
    const hosts = await table<Target & { id: string }>('asset');
    const assets = isAsset ? hosts : (await table<App>(target)).map((app) => asTarget(app, hosts));
    const accounts = await table<{ id: string; is_active: boolean; date_expired: Date | null }>(
      'account',
    );
    const isValid = (account: (typeof accounts)[number]) =>
      account.is_active &&
      (account.date_expired === null || account.date_expired.getTime() > Date.now());
    return new GrantModel(
      (await table<Rule>(`${target}_permission`)).map((rule) => ({
        ...rule,
        actions: actionsOf(rule),
      })),
      {
        users: await ofRule('users', 'user_id'),
        groups: await ofRule('user_groups', 'user_group_id'),
        assets: await ofRule(`${target}s`, `${target}_id`),
        nodes: isAsset ? await ofRule('nodes', 'node_id') : [],
        systemUsers: await ofRule('system_users', 'system_user_id'),
        members: await pairs('user_group_users', 'user_group_id', 'user_id'),
        placed: await pairs('node_assets', 'node_id', 'asset_id'),
      },
      new Map(nodes.map((node) => [node.id, { parent: node.parent_id, org: node.org_id }])),
      new Map(assets.map((asset) => [asset.id, asset])),
      await table('system_account'),
      new Set(accounts.filter(isValid).map(({ id }) => id)),
    );
  }

  private linked(name: string, from: string): string[] {
    return (this.links[name] ?? []).filter(([first]) => first === from).map(([, second]) => second);
  }

  private lineOf(node: string): string[] {
    const parent = this.parents.get(node)?.parent;
    return parent ? [node, ...this.lineOf(parent)] : [node];
  }

  private reaches(rule: Rule, asset: string): boolean {
    if (this.linked('assets', rule.id).includes(asset)) return true;
    const granted = this.linked('nodes', rule.id);
    return (this.links.placed ?? []).some(
      ([node, placed]) =>
        placed === asset && this.lineOf(node).some((above) => granted.includes(above)),
    );
  }

  private rulesOf(user: string, organization: string | undefined): Rule[] {
    const now = Date.now();
    const names = (rule: Rule) =>
      this.linked('users', rule.id).includes(user) ||
      this.linked('groups', rule.id).some((group) => this.linked('members', group).includes(user));
    return this.rules.filter(
      (rule) =>
        rule.is_active &&
        rule.date_start.getTime() <= now &&
        rule.date_expired.getTime() > now &&
        names(rule) &&
        (organization === undefined || rule.org_id === organization),
    );
  }

  /** Returns the ids of the active assets granted to a user. */
  assetsOf(user: string, organization?: string): string[] {
    const rules = this.rulesOf(user, organization);
    return [...this.assets]
      .filter(([id, { is_active }]) => is_active && rules.some((rule) => this.reaches(rule, id)))
      .map(([id]) => id)
      .sort();
  }

  /** Returns the accounts on an asset, in display order. */
  accountsOf(user: string, assetId: string, organization?: string): ModelAccount[] {
    const asset = this.assets.get(assetId);
    if (!asset?.is_active || !this.validUsers.has(user)) return [];
    const covering = this.rulesOf(user, organization).filter((rule) => this.reaches(rule, assetId));
    const offered = asset.protocols.map((protocol) => protocol.split('/')[0]);
    return this.systemUsers
      .filter(({ protocol }) => offered.includes(protocol))
      .map((account) => ({
        account,
        rules: covering.filter((rule) => this.linked('systemUsers', rule.id).includes(account.id)),
      }))
      .filter(({ rules }) => rules.length > 0)
      .sort(
        (a, b) =>
          a.account.priority - b.account.priority || (a.account.name < b.account.name ? -1 : 1),
      )
      .map(({ account, rules }) => ({
        id: account.id,
        mask: rules.reduce((mask, rule) => mask | rule.actions, 0),
        rules: rules.map(({ id }) => id).sort(),
      }));
  }

  /** Returns the assets at or below a node. */
  assetsBelow(node: string): Set<string> {
    return new Set(
      (this.links.placed ?? [])
        .filter(([place]) => this.lineOf(place).includes(node))
        .map(([, asset]) => asset),
    );
  }

  /** Returns true if a user is in a group. */
  isMember(user: string, group: string): boolean {
    return this.linked('members', group).includes(user);
  }

  /** Returns true if an account may use anything. */
  isValid(user: string): boolean {
    return this.validUsers.has(user);
  }

  /** Returns the end of the last permission, in seconds. */
  untilOf(rules: readonly string[]): number {
    const ends = this.rules
      .filter(({ id }) => rules.includes(id))
      .map(({ date_expired }) => date_expired.getTime());
    return Math.floor(Math.max(...ends) / 1_000);
  }

  /**
   * Returns the reasons why an organization's permissions grant an asset: permission, group, node
   * and accounts, as sorted texts.
   */
  pathsOf(user: string, assetId: string, organization: string): string[] {
    const asset = this.assets.get(assetId);
    if (!asset?.is_active || !this.validUsers.has(user)) return [];
    const offered = asset.protocols.map((protocol) => protocol.split('/')[0]);
    const groupsOf = (rule: Rule) => [
      ...(this.linked('users', rule.id).includes(user) ? [null] : []),
      ...this.linked('groups', rule.id).filter((group) =>
        this.linked('members', group).includes(user),
      ),
    ];
    const nodesOf = (rule: Rule) => {
      const above = new Set(
        (this.links.placed ?? [])
          .filter(([, placed]) => placed === assetId)
          .flatMap(([node]) => this.lineOf(node)),
      );
      return [
        ...(this.linked('assets', rule.id).includes(assetId) ? [null] : []),
        ...this.linked('nodes', rule.id).filter((node) => above.has(node)),
      ];
    };
    const accountsOf = (rule: Rule) =>
      this.systemUsers
        .filter(
          ({ id, protocol }) =>
            offered.includes(protocol) && this.linked('systemUsers', rule.id).includes(id),
        )
        .map(({ id }) => id)
        .sort();
    return this.rulesOf(user, organization)
      .flatMap((rule) =>
        groupsOf(rule).flatMap((group) =>
          nodesOf(rule).map((node) => `${rule.id} ${group} ${node} ${accountsOf(rule)}`),
        ),
      )
      .sort();
  }

  /**
   * Returns, by permission id, the obstacles of each permission that names the user or reaches the
   * asset.
   */
  obstaclesOf(user: string, assetId: string, organization: string): Record<string, string[]> {
    const now = Date.now();
    const offered =
      this.assets.get(assetId)?.protocols.map((protocol) => protocol.split('/')[0]) ?? [];
    const judged = this.rules
      .filter(({ org_id }) => org_id === organization)
      .map((rule) => {
        const names =
          this.linked('users', rule.id).includes(user) ||
          this.linked('groups', rule.id).some((group) =>
            this.linked('members', group).includes(user),
          );
        const reaches = this.reaches(rule, assetId);
        const fits = this.systemUsers.some(
          ({ id, protocol }) =>
            offered.includes(protocol) && this.linked('systemUsers', rule.id).includes(id),
        );
        const obstacles = [
          ...(rule.is_active ? [] : ['disabled']),
          ...(rule.date_start.getTime() > now ? ['not_started'] : []),
          ...(rule.date_expired.getTime() <= now ? ['expired'] : []),
          ...(names ? [] : ['user']),
          ...(reaches ? [] : ['asset']),
          ...(fits ? [] : ['protocol']),
        ];
        return { id: rule.id, isNear: names || reaches, obstacles };
      });
    return Object.fromEntries(
      judged
        .filter(({ isNear, obstacles }) => isNear && obstacles.length > 0)
        .map(({ id, obstacles }) => [id, obstacles]),
    );
  }

  /** Returns the nodes with granted assets at or below them, with counts. */
  nodesOf(user: string, organization?: string): Record<string, number> {
    const granted = this.assetsOf(user, organization);
    const below = new Map<string, Set<string>>();
    for (const [node, asset] of this.links.placed ?? [])
      if (granted.includes(asset))
        for (const above of this.lineOf(node))
          below.set(above, (below.get(above) ?? new Set()).add(asset));
    return Object.fromEntries([...below].map(([node, assets]) => [node, assets.size]));
  }

  /** Returns the granted assets directly on a node. */
  assetsOn(user: string, node: string): string[] {
    const granted = this.assetsOf(user);
    return this.linked('placed', node)
      .filter((asset) => granted.includes(asset))
      .sort();
  }
}
