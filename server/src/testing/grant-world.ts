import type { Db } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import {
  buildAsset,
  buildGroup,
  buildOrganization,
  buildPermission,
  buildSystemUser,
  buildUser,
  rootNode,
} from './builders.ts';

/** A small installation of two organizations with random links. */
export interface GrantWorld {
  readonly organizations: readonly string[];
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly systemUsers: readonly string[];
  readonly nodes: readonly string[];
  readonly assets: readonly string[];
  readonly rules: readonly string[];
}

const PROTOCOLS = ['ssh', 'ssh', 'rdp', 'vnc'];

/** Inserts a node below another; returns its id. */
export async function addNode(db: Db, parent: string): Promise<string> {
  const id = crypto.randomUUID();
  await sql`
    with marked as (update node set child_mark = child_mark + 1 where id = ${parent}
    returning key, child_mark, ancestors, org_id)
    insert into node (id, org_id, key, value, parent_id, ancestors)
    select ${id}::uuid, org_id, key || ':' || child_mark, ${`node ${id}`},
    ${parent}::uuid, ancestors || ${id}::uuid from marked`.execute(db);
  return id;
}

/** Builds the objects; even ones belong to the first organization, odd ones to the second. */
export async function buildGrantWorld(db: Db): Promise<GrantWorld> {
  const organizations = ['', await buildOrganization(db)];
  const of = (index: number) => organizations[index % 2] ?? '';
  const times = async (
    count: number,
    build: (index: number) => Promise<string>,
  ): Promise<string[]> => {
    const ids: string[] = [];
    for (let index = 0; index < count; index++) ids.push(await build(index));
    return ids;
  };
  const roots = [await rootNode(db, of(0)), await rootNode(db, of(1))];
  const nodes = [...roots];
  // A line of nodes below each root, with a branch.
  for (let index = 2; index < 10; index++)
    nodes.push(await addNode(db, nodes[index >= 8 ? index - 6 : index - 2] ?? ''));
  const users = await times(3, async () => (await buildUser(db)).id);
  // Initially every link exists in some permission, so changes remove as often as they add.
  const groups = await times(4, (index) => buildGroup(db, [users[index % 3] ?? ''], of(index)));
  const protocol = (index: number) => PROTOCOLS[index >> 1] ?? 'ssh';
  const systemUsers = await times(8, (index) =>
    buildSystemUser(db, {
      organization: of(index),
      protocol: protocol(index),
      priority: 1 + (index % 5),
    }),
  );
  const assets = await times(10, (index) =>
    buildAsset(db, { organization: of(index), nodes: [nodes[index] ?? ''] }),
  );
  const some = (list: readonly string[], rule: number, ...which: number[]) =>
    which.map((one) => list[(one * 2 + (rule % 2)) % list.length] ?? '');
  const rules = await times(6, (index) =>
    buildPermission(db, {
      organization: of(index),
      users: index < 3 ? [users[index] ?? ''] : [],
      groups: index >= 2 ? some(groups, index, index) : [],
      assets: some(assets, index, index),
      nodes: index % 3 === 0 ? [] : some(nodes, index, index),
      systemUsers: some(systemUsers, index, index, index + 1),
      actions: [255, 1, 6, 7, 2, 5][index] ?? 1,
    }),
  );
  return { organizations, users, groups, systemUsers, nodes, assets, rules };
}

/** A random change; the numbers choose its objects. */
export interface GrantChange {
  readonly kind: (typeof GRANT_CHANGES)[number];
  readonly rule: number;
  readonly other: number;
  readonly how: number;
}

export const GRANT_CHANGES = [
  'user',
  'group',
  'asset',
  'node',
  'systemUser',
  'systemUser',
  'member',
  'active',
  'dates',
  'actions',
  'assetActive',
  'protocols',
  'hostname',
  'ip',
  'place',
  'move',
  'userActive',
] as const;

/** Applies a change: links appear and vanish, dates shift, nodes move. */
export async function applyGrantChange(
  db: Db,
  world: GrantWorld,
  change: GrantChange,
): Promise<void> {
  const { how, other } = change;
  const ruleIndex = change.rule % world.rules.length;
  const rule = world.rules[ruleIndex] ?? '';
  const pick = (list: readonly string[], parity: number) =>
    list.filter((_, index) => index % 2 === parity)[other % (list.length / 2)] ?? '';
  const own = (list: readonly string[]) => pick(list, ruleIndex % 2);
  const toggle = async (
    table: string,
    columns: readonly [string, string],
    ids: readonly [string, string],
  ) => {
    const [first, second] = columns.map((column) => sql.ref(column));
    const { rowCount } =
      await sql`delete from ${sql.table(table)} where ${first} = ${ids[0]} and ${second} = ${ids[1]}`.execute(
        db,
      );
    if (rowCount === 0)
      await sql`insert into ${sql.table(table)} (${first}, ${second}) values (${ids[0]}, ${ids[1]})`.execute(
        db,
      );
  };
  const link = (name: string, column: string, id: string) =>
    toggle(`asset_permission_${name}`, ['asset_permission_id', column], [rule, id]);
  const hours = (count: number) => new Date(Date.now() + count * 3_600_000);
  const steps: Record<GrantChange['kind'], () => Promise<unknown>> = {
    user: () => link('users', 'user_id', world.users[other % world.users.length] ?? ''),
    group: () => link('user_groups', 'user_group_id', own(world.groups)),
    asset: () => link('assets', 'asset_id', own(world.assets)),
    node: () => link('nodes', 'node_id', own(world.nodes)),
    systemUser: () => link('system_users', 'system_user_id', own(world.systemUsers)),
    member: () =>
      toggle(
        'user_group_users',
        ['user_group_id', 'user_id'],
        [own(world.groups), world.users[how % world.users.length] ?? ''],
      ),
    active: () =>
      sql`update asset_permission set is_active = not is_active where id = ${rule}`.execute(db),
    dates: () =>
      sql`update asset_permission set date_start = ${hours([-2, -2, 1][how % 3] ?? 0)}, date_expired = ${hours([2, -1, 2][how % 3] ?? 0)} where id = ${rule}`.execute(
        db,
      ),
    actions: () =>
      sql`update asset_permission set actions = ${[1, 2, 4, 6, 255, 0][how % 6]} where id = ${rule}`.execute(
        db,
      ),
    assetActive: () =>
      sql`update asset set is_active = not is_active where id = ${own(world.assets)}`.execute(db),
    protocols: () =>
      sql`update asset set protocols = ${[['ssh/22'], ['rdp/3389'], ['ssh/2222', 'vnc/5901']][how % 3]} where id = ${own(world.assets)}`.execute(
        db,
      ),
    hostname: () =>
      sql`update asset set hostname = ${`${'acegi'[how % 5]}-${other}`} || substr(id::text, 1, 8) where id = ${own(world.assets)}`.execute(
        db,
      ),
    ip: () =>
      sql`update asset set ip = ${`10.${how % 5}.0.1`} where id = ${own(world.assets)}`.execute(db),
    place: () =>
      toggle(
        'node_assets',
        ['node_id', 'asset_id'],
        [
          own(world.nodes),
          world.assets.filter((_, index) => index % 2 === ruleIndex % 2)[how % 5] ?? '',
        ],
      ),
    move: async () => {
      const [moved, target] = [
        own(world.nodes),
        world.nodes.filter((_, index) => index % 2 === ruleIndex % 2)[how % 5] ?? '',
      ];
      await sql`
        select node_move(m.id, t.id) from node m, node t
        where m.id = ${moved} and t.id = ${target} and m.parent_id is not null
        and m.parent_id <> t.id and not m.id = any (t.ancestors)`.execute(db);
    },
    userActive: () =>
      sql`update account set is_active = ${how % 3 !== 0}, date_expired = ${how % 3 === 1 ? hours(-1) : null} where id = ${world.users[other % 3]}`.execute(
        db,
      ),
  };
  await steps[change.kind]();
}
