import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Caller } from '../../platform/actor.ts';
import { type Database, type Db, openDatabase, type Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import {
  buildAsset,
  buildGroup,
  buildOrganization,
  buildPermission,
  buildSystemUser,
  buildUser,
  rootNode,
} from '../../testing/builders.ts';
import { addNode } from '../../testing/grant-world.ts';
import { until } from '../../testing/poll.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { originsOf, withStored } from './account-conditions.ts';
import { createAssetUserList } from './list.ts';
import { accountsFrom, WITHIN_ASSET } from './rows.ts';

let database: TestDatabase;
let test: Database;
let organization: string;
const ids = {
  assets: [] as string[],
  admins: [] as string[],
  systems: [] as string[],
  nodes: [] as string[],
  users: [] as string[],
  rules: [] as string[],
};
let group: string;

const someone = () =>
  ({
    actor: { organization: { id: organization, name: 'one' }, userId: ids.users[0] },
    language: 'en',
    zone: 'UTC',
  }) as Caller;

beforeAll(async () => {
  database = await createTestDatabase();
  test = openDatabase(database.url, 4);
  const { db } = test;
  organization = await buildOrganization(db);
  const root = await rootNode(db, organization);
  ids.nodes.push(root);
  for (let depth = 0; depth < 3; depth++) ids.nodes.push(await addNode(db, ids.nodes.at(-1) ?? ''));
  for (const username of ['root', 'ops', 'Root'])
    ids.admins.push(
      (
        await sql<{
          id: string;
        }>`insert into admin_user (org_id, name, username)
          values (${organization}, ${`admin ${username}`}, ${username}) returning id`.execute(db)
      ).rows[0]?.id ?? '',
    );
  for (const protocol of ['ssh', 'ssh', 'rdp', 'ssh', 'ssh'])
    ids.systems.push(await buildSystemUser(db, { organization, protocol }));
  await sql`update system_account set username = 'deploy' where id = ${ids.systems[1]}`.execute(db);
  await sql`update system_account set username_same_with_user = true
    where id = ${ids.systems[3]}`.execute(db);
  for (let number = 0; number < 5; number++) ids.users.push((await buildUser(db)).id);
  group = await buildGroup(db, ids.users.slice(0, 2), organization);
  for (let number = 0; number < 14; number++)
    ids.assets.push(
      await buildAsset(db, {
        organization,
        hostname: `${['web', 'Web', 'db', 'root'][number % 4]}-${number}`,
        protocols: number % 3 === 0 ? ['ssh/22', 'rdp/3389'] : ['ssh/22'],
        nodes: [ids.nodes[number % 4] ?? ''],
      }),
    );
  // An asset of another organization.
  await buildAsset(db, { hostname: 'web-elsewhere' });
  for (let number = 0; number < 4; number++)
    ids.rules.push(
      await buildPermission(db, {
        organization,
        users: ids.users.slice(number, number + 1),
        groups: number === 2 ? [group] : [],
        nodes: number % 2 === 0 ? [ids.nodes[number] ?? ''] : [],
        assets: number % 2 === 1 ? ids.assets.slice(number, number + 3) : [],
        systemUsers: ids.systems.slice(number, number + 2),
      }),
    );
});
afterAll(async () => {
  await test.close();
  await database.drop();
});

const at = (list: readonly string[], number: number) => list[number % list.length] ?? '';

/** Changes that alter the accounts or the order of assets. */
const CHANGES: Readonly<Record<string, (one: number, other: number) => ReturnType<typeof sql>>> = {
  'a secret is stored': (one, other) => sql`
    insert into asset_user (org_id, asset_id, username, version, is_latest, password)
    select ${organization}, ${at(ids.assets, one)}, name, 1 + count(r.id), false, 'x'
    from (select ${at(['root', 'ops', 'kim'], other)}::text as name) named
      left join asset_user r on r.asset_id = ${at(ids.assets, one)} and r.username = name
    group by name`,
  'secrets of many are stored': (one) => sql`
    insert into asset_user (org_id, asset_id, username, version, is_latest, password)
    select ${organization}, a.id, ${`many${one}`}, 1, true, 'x' from asset a
    where a.org_id = ${organization} on conflict do nothing`,
  'secrets go': (one) => sql`delete from asset_user where asset_id = ${at(ids.assets, one)}`,
  'another admin user': (one, other) =>
    sql`update asset set admin_user_id = ${other % 4 === 3 ? null : at(ids.admins, other)}
      where id = ${at(ids.assets, one)}`,
  'the name of an admin user': (one, other) =>
    sql`update admin_user set username = ${at(['root', 'ops', 'boss'], other)}
      where id = ${at(ids.admins, one)}`,
  'another hostname and address': (one, other) =>
    sql`update asset set hostname = ${`${at(['web', 'a', 'z', 'root'], other)}-${other}-${one}`},
      ip = ${`10.0.0.${other}`} where id = ${at(ids.assets, one)}`,
  'other protocols': (one, other) =>
    sql`update asset set protocols = ${other % 2 ? ['rdp/3389'] : ['ssh/22']}
      where id = ${at(ids.assets, one)}`,
  'another place': (one, other) =>
    sql`update node_assets set node_id = ${at(ids.nodes, other)}
      where asset_id = ${at(ids.assets, one)}`,
  'a rule has one more account': (one, other) =>
    sql`insert into asset_permission_system_users (asset_permission_id, system_user_id)
      values (${at(ids.rules, one)}, ${at(ids.systems, other)}) on conflict do nothing`,
  'a rule has one account less': (one, other) =>
    sql`delete from asset_permission_system_users
      where asset_permission_id = ${at(ids.rules, one)}
      and system_user_id = ${at(ids.systems, other)}`,
  'a rule has one more person': (one, other) =>
    sql`insert into asset_permission_users (asset_permission_id, user_id)
      values (${at(ids.rules, one)}, ${at(ids.users, other)}) on conflict do nothing`,
  'a person leaves the group': (one) =>
    sql`delete from user_group_users where user_group_id = ${group}
      and user_id = ${at(ids.users, one)}`,
  'a person joins the group': (one) =>
    sql`insert into user_group_users (user_group_id, user_id)
      values (${group}, ${at(ids.users, one)}) on conflict do nothing`,
  'a person is disabled or enabled': (one, other) =>
    sql`update account set is_active = ${other % 2 === 0} where id = ${at(ids.users, one)}`,
  'the name of a person': (one, other) =>
    sql`update account set username = ${`person${other}-${one}`} where id = ${at(ids.users, one)}`,
  'a system user is that of its users': (one, other) =>
    sql`update system_account set username_same_with_user = ${other % 2 === 0}
      where id = ${at(ids.systems, one)}`,
  'the name of a system user': (one, other) =>
    sql`update system_account set username = ${at(['root', 'deploy', 'kim'], other)}
      where id = ${at(ids.systems, one)}`,
  'the protocol of a system user': (one, other) =>
    sql`update system_account set protocol = ${other % 2 ? 'rdp' : 'ssh'}
      where id = ${at(ids.systems, one)}`,
};

const ORDERS = {
  hostname: sql`a.hostname, a.id`,
  '-hostname': sql`a.hostname desc, a.id desc`,
  ip: sql`a.ip, a.id`,
  '-ip': sql`a.ip desc, a.id desc`,
} as const;
const query = fc.record({
  order: fc.constantFrom(...(Object.keys(ORDERS) as (keyof typeof ORDERS)[])),
  narrowed: fc.constantFrom(
    '',
    'latest=1',
    'backend=db',
    'backend=admin_user',
    'backend=system_user',
    'backend=system_user_dynamic',
  ),
  search: fc.constantFrom(
    '',
    'web',
    'WEB',
    '-1',
    'web 1',
    'root',
    'ops',
    '127.0',
    'nothing',
    '10.0.0',
    'person',
    '%',
  ),
  limit: fc.integer({ min: 1, max: 20 }),
  offset: fc.integer({ min: 0, max: 80 }),
});
const change = fc.record({
  kind: fc.constantFrom(...Object.keys(CHANGES)),
  one: fc.nat(50),
  other: fc.nat(50),
});

/** The list as an administrator of the organization reads it. */
function listOfOne() {
  const { db } = test;
  const list = createAssetUserList({ db, organizationName: async () => 'one', near: 0 });
  return { db, list };
}

it(
  'returns any page of the ordered list with its total after any change',
  async () => {
    const { db, list } = listOfOne();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ changes: fc.array(change, { maxLength: 2 }), query }), {
          minLength: 1,
          maxLength: 5,
        }),
        async (steps) => {
          for (const { changes, query: filters } of steps) {
            for (const { kind, one, other } of changes)
              await CHANGES[kind]?.(one, other).execute(db);
            const parameters = new URLSearchParams(`order=${filters.order}&${filters.narrowed}`);
            if (filters.search) parameters.set('search', filters.search);
            const selection = await list.selection(parameters, someone());
            const { rows: all } = await sql<{
              id: string;
            }>`select row.id ${accountsFrom(selection)}
              order by ${ORDERS[filters.order]}, ${WITHIN_ASSET}`.execute(db);
            parameters.set('limit', String(filters.limit));
            parameters.set('offset', String(filters.offset));
            const page = await list.list(parameters, someone());
            expect(page?.results.map(({ id }) => id)).toEqual(
              all.slice(filters.offset, filters.offset + filters.limit).map(({ id }) => id),
            );
            // Past the end of a walked list the total is not exact.
            if (filters.offset < all.length) expect(page?.count).toBe(all.length);
          }
        },
      ),
      runs(60),
    );
  },
  limitOf(120_000),
);

it(
  'filters accounts by usernames after any change, also when restricted to their origins',
  async () => {
    const { db, list } = listOfOne();
    const { rows: people } = await sql<{
      username: string;
    }>`select username from account where id = any (${ids.users}::uuid[])`.execute(db);
    const known = [
      'root',
      'Root',
      'deploy',
      'ops',
      'kim',
      'many7',
      'person3-4',
      'nobody',
      ...people.map(({ username }) => username),
    ];
    const request = fc.record({
      usernames: fc.subarray(known, { minLength: 1, maxLength: 2 }),
      order: fc.constantFrom(...(Object.keys(ORDERS) as (keyof typeof ORDERS)[])),
      limit: fc.integer({ min: 1, max: 20 }),
      offset: fc.integer({ min: 0, max: 30 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 3 }),
        request,
        async (changes, { usernames, order, limit, offset }) => {
          for (const { kind, one, other } of changes) await CHANGES[kind]?.(one, other).execute(db);
          const isOne = (name: ReturnType<typeof sql>) => sql`${name} = any (${usernames})`;
          const selection = {
            organizationId: organization,
            assets: [],
            rows: [isOne(sql`row.username`)],
            isLatest: false,
          };
          const idsOf = async (from: ReturnType<typeof sql>) =>
            (
              await sql<{
                id: string;
              }>`select row.id ${from} order by ${ORDERS[order]}, ${WITHIN_ASSET}`.execute(db)
            ).rows.map(({ id }) => id);
          const all = await idsOf(accountsFrom(selection));
          const origins = await originsOf(isOne, organization, db);
          const stored = origins.every((origin) => origin === 'db')
            ? [withStored(isOne, organization)]
            : [];
          expect(await idsOf(accountsFrom({ ...selection, assets: stored, origins }))).toEqual(all);
          const parameters = new URLSearchParams({
            order,
            limit: String(limit),
            offset: String(offset),
            username: usernames[0] ?? '',
          });
          if (usernames[1]) parameters.append('username', usernames[1]);
          const page = await list.list(parameters, someone());
          expect(page?.results.map(({ id }) => id)).toEqual(all.slice(offset, offset + limit));
          if (offset < all.length) expect(page?.count).toBe(all.length);
        },
      ),
      runs(40),
    );
    await list.stop();
  },
  limitOf(120_000),
);

it('refuses a distant page while counts are read for long, and shows it afterwards', async () => {
  const { db } = test;
  const list = createAssetUserList({
    db,
    organizationName: async () => 'one',
    near: 0,
    waitMilliseconds: 1,
  });
  const page = () => list.list(new URLSearchParams('limit=5&offset=5'), someone());
  await db.transaction(async (other) => {
    await sql`lock table asset_user in access exclusive mode`.execute(other);
    for (const _attempt of [1, 2]) await expect(page()).rejects.toMatchObject({ code: 'busy' });
  });
  await until(
    () =>
      page().then(
        ({ results } = { count: 0, results: [] }) => results.length === 5,
        () => false,
      ),
    'the counts are read',
  );
  await list.stop();
});

it('counts secrets stored in the meantime, also when committed late', async () => {
  const { db } = test;
  const list = createAssetUserList({ db, organizationName: async () => 'one', near: 0 });
  const count = async () =>
    (await list.list(new URLSearchParams('limit=5&offset=5'), someone()))?.count ?? 0;
  const store = (name: string, on: Db | Tx) =>
    sql`
    insert into asset_user (org_id, asset_id, username, version, password)
    values (${organization}, ${at(ids.assets, 0)}, ${name}, 1, 'x')`.execute(on);
  const before = await count();
  await db.transaction(async (slow) => {
    await store('slow', slow);
    await store('quick', db);
    expect(await count()).toBe(before + 1);
  });
  expect(await count()).toBe(before + 2);
});
