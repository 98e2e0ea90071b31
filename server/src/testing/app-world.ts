import type { Db } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { buildSystemUser } from './builders.ts';
import type { GrantWorld } from './grant-world.ts';

export type AppName = 'remote_app' | 'database_app';

/**
 * Applications of a kind in a {@link GrantWorld}, with permissions. Even ones belong to the first
 * organization, odd ones to the second.
 */
export interface AppWorld {
  readonly app: AppName;
  readonly apps: readonly string[];
  readonly rules: readonly string[];
  readonly systemUsers: readonly string[];
}

const PROTOCOLS = {
  remote_app: ['rdp', 'rdp', 'vnc'],
  database_app: ['mysql', 'postgresql', 'redis'],
} as const;
const TYPES = ['mysql', 'mariadb', 'postgresql', 'redis'] as const;

async function insertRow(
  db: Db,
  table: string,
  values: Readonly<Record<string, unknown>>,
): Promise<string> {
  const columns = Object.keys(values).map((name) => sql.ref(name));
  const { rows } = await sql<{ id: string }>`
    insert into ${sql.table(table)} (${sql.join(columns)})
    values (${sql.join(Object.values(values))}) returning id`.execute(db);
  return rows[0]?.id ?? '';
}

/**
 * Builds applications, suitable and unsuitable system users, and permissions with every kind of
 * link.
 */
export async function buildAppWorld(db: Db, world: GrantWorld, app: AppName): Promise<AppWorld> {
  const of = (index: number) => world.organizations[index % 2] ?? '';
  const times = async (count: number, build: (index: number) => Promise<string>) => {
    const ids: string[] = [];
    for (let index = 0; index < count; index++) ids.push(await build(index));
    return ids;
  };
  const own = (index: number): Readonly<Record<string, unknown>> =>
    app === 'remote_app'
      ? { asset_id: world.assets[index], path: 'x', params: '{}' }
      : { type: TYPES[(index >> 1) % TYPES.length], host: 'db.example.com' };
  const apps = await times(8, (index) =>
    insertRow(db, app, { org_id: of(index), name: `app ${index}`, ...own(index) }),
  );
  // Half of the servers offer remote desktops.
  await sql`update asset set protocols = array['ssh/22', 'rdp/3389'] where id = any (${world.assets.filter((_, index) => index % 4 < 2)}::uuid[])`.execute(
    db,
  );
  const systemUsers = await times(6, (index) =>
    buildSystemUser(db, {
      organization: of(index),
      protocol: PROTOCOLS[app][index >> 1] ?? 'rdp',
      priority: 1 + (index % 4),
    }),
  );
  const some = (list: readonly string[], rule: number, ...which: number[]) =>
    which.map((one) => list[(one * 2 + (rule % 2)) % list.length] ?? '');
  const rules = await times(6, async (index) => {
    const rule = await insertRow(db, `${app}_permission`, {
      org_id: of(index),
      name: `rule ${index}`,
      date_start: new Date(Date.now() - 3_600_000),
      date_expired: new Date(Date.now() + 3_600_000),
    });
    const links = {
      users: ['user_id', index < 3 ? [world.users[index] ?? ''] : []],
      user_groups: ['user_group_id', index >= 2 ? some(world.groups, index, index) : []],
      [`${app}s`]: [`${app}_id`, some(apps, index, index, index + 1)],
      system_users: ['system_user_id', some(systemUsers, index, index, index + 1)],
    } as const;
    for (const [field, [column, ids]] of Object.entries(links))
      for (const id of new Set(ids))
        await toggle(db, `${app}_permission_${field}`, {
          [`${app}_permission_id`]: rule,
          [column]: id,
        });
    return rule;
  });
  return { app, apps, rules, systemUsers };
}

/** Inserts a pair, or deletes an existing one. */
async function toggle(
  db: Db,
  table: string,
  pair: Readonly<Record<string, string>>,
): Promise<void> {
  const entries = Object.entries(pair);
  const same = sql.join(
    entries.map(([column, id]) => sql`${sql.ref(column)} = ${id}`),
    sql` and `,
  );
  const { rowCount } = await sql`delete from ${sql.table(table)} where ${same}`.execute(db);
  if (rowCount > 0) return;
  await sql`
    insert into ${sql.table(table)} (${sql.join(entries.map(([column]) => sql.ref(column)))})
    values (${sql.join(entries.map(([, id]) => id))})`.execute(db);
}

/** Kinds of changes to application permissions. */
export const APP_CHANGES = [
  'ruleUser',
  'ruleGroup',
  'ruleApp',
  'ruleApp',
  'ruleSystemUser',
  'ruleSystemUser',
  'ruleActive',
  'ruleDates',
  'appKind',
] as const;

export interface AppChange {
  readonly kind: (typeof APP_CHANGES)[number];
  readonly rule: number;
  readonly other: number;
  readonly how: number;
}

/** Applies a change as it happens in production. */
export async function applyAppChange(
  db: Db,
  world: GrantWorld,
  { app, apps, rules, systemUsers }: AppWorld,
  change: AppChange,
): Promise<void> {
  const { other, how } = change;
  const index = change.rule % rules.length;
  const rule = rules[index] ?? '';
  const own = (list: readonly string[]) =>
    list.filter((_, position) => position % 2 === index % 2)[other % (list.length / 2)] ?? '';
  const table = `${app}_permission`;
  const link = (field: string, column: string, id: string) =>
    toggle(db, `${table}_${field}`, { [`${table}_id`]: rule, [column]: id });
  const hours = (count: number) => new Date(Date.now() + count * 3_600_000);
  const steps: Record<AppChange['kind'], () => Promise<unknown>> = {
    ruleUser: () => link('users', 'user_id', world.users[other % world.users.length] ?? ''),
    ruleGroup: () => link('user_groups', 'user_group_id', own(world.groups)),
    ruleApp: () => link(`${app}s`, `${app}_id`, own(apps)),
    ruleSystemUser: () => link('system_users', 'system_user_id', own(systemUsers)),
    ruleActive: () =>
      sql`update ${sql.table(table)} set is_active = not is_active where id = ${rule}`.execute(db),
    ruleDates: () =>
      sql`update ${sql.table(table)} set date_start = ${hours([-2, -2, 1][how % 3] ?? 0)}, date_expired = ${hours([2, -1, 2][how % 3] ?? 0)} where id = ${rule}`.execute(
        db,
      ),
    // A database changes its type; a program moves to another server.
    appKind: () =>
      app === 'database_app'
        ? sql`update database_app set type = ${TYPES[how % TYPES.length]} where id = ${own(apps)}`.execute(
            db,
          )
        : sql`update remote_app set asset_id = ${own(world.assets.slice(0, 8))} where id = ${own(apps)}`.execute(
            db,
          ),
  };
  await steps[change.kind]();
}
