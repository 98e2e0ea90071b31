import { UNUSED_KINDS } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { Invalid } from '../../../platform/errors.ts';
import { buildOrganization, rootNode } from '../../../testing/builders.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import { findUnused, UNUSED_LIMITS, type UnusedOrder } from './store.ts';

let place: TestDatabase;
let database: Database;
let organizationId: string;

/** Sixty permissions with two users, a group, four assets and two nodes each; half are used. */
beforeAll(async () => {
  place = await createTestDatabase();
  database = openDatabase(place.url, 2);
  const { db } = database;
  organizationId = await buildOrganization(db);
  const run = (query: ReturnType<typeof sql>) => query.execute(db);
  await run(sql`insert into account (username, name, email, password, role)
    select 'member' || n, 'Member ' || n, 'm' || n || '@example.com', 'x', 'User' from generate_series(1, 20) n`);
  await run(sql`insert into user_group (org_id, name)
    select ${organizationId}, 'Group ' || n from generate_series(1, 5) n`);
  await run(sql`insert into user_group_users select g.id, u.id from user_group g, account u
    where g.org_id = ${organizationId} and u.username like 'member%'
      and hashtext(g.name || u.username) % 4 = 0`);
  await run(sql`insert into asset (org_id, hostname, ip, platform)
    select ${organizationId}, 'Web-' || n, '10.0.0.1', 'Linux' from generate_series(1, 50) n`);
  const root = await rootNode(db, organizationId);
  await run(sql`insert into node (id, org_id, parent_id, key, value, ancestors)
    select made.id, n.org_id, n.id, n.key || ':' || i, 'Room ' || i, n.ancestors || made.id
    from node n, generate_series(1, 9) i
      cross join lateral (select md5(i::text)::uuid as id) made where n.id = ${root}`);
  for (const org of [organizationId, ''])
    await run(sql`insert into asset_permission
        (org_id, name, date_start, date_created, date_expired)
      select ${org}, 'Rule ' || n, now() - interval '1 year',
      now() - make_interval(days => 200 + n),
        now() + make_interval(days => 1 + n % 7) from generate_series(1, 60) n`);
  for (const [links, column, table, one] of [
    [
      'users',
      'user_id',
      sql`account o`,
      sql`o.username like 'member%' and hashtext(p.name || o.username) % 10 = 0`,
    ],
    ['user_groups', 'user_group_id', sql`user_group o`, sql`hashtext(p.name || o.name) % 5 = 0`],
    ['assets', 'asset_id', sql`asset o`, sql`hashtext(p.name || o.hostname) % 12 = 0`],
    [
      'nodes',
      'node_id',
      sql`node o`,
      sql`o.parent_id is not null and hashtext(p.name || o.value) % 5 = 0`,
    ],
  ] as const)
    await run(sql`insert into ${sql.table(`asset_permission_${links}`)}
      (asset_permission_id, ${sql.ref(column)}, date_added)
      select p.id, o.id,
        now() - make_interval(days => 100 + abs(hashtext(p.name || o.id::text)) % 200)
      from asset_permission p, ${table} where ${one}`);
  await run(sql`insert into permission_use (permission_id, user_id, asset_id, node_id, last_used)
    select p.id, u.user_id, a.asset_id, null,
      now() - make_interval(days => abs(hashtext(p.name || a.asset_id::text)) % 200)
    from asset_permission p join asset_permission_users u on u.asset_permission_id = p.id
      join asset_permission_assets a on a.asset_permission_id = p.id
    where hashtext(p.name) % 2 = 0 and hashtext(a.asset_id::text) % 2 = 0 on conflict do nothing`);
});
afterAll(async () => {
  await database.close();
  await place.drop();
});

const ORDERS: readonly UnusedOrder['by'][] = ['permission', 'since', 'last_used', 'valid_until'];
const SMALL = { fewRules: 1, sampledRules: 5, sortedRows: 1_000 };

it('returns the same pages from a part of the permissions as from all', async () => {
  let compared = 0;
  for (const by of ORDERS)
    for (const descending of [false, true])
      for (const kind of [undefined, ...UNUSED_KINDS])
        for (const search of [undefined, '%1%', '%web-2%', '%nothing%']) {
          const question = { organizationId, days: 90, kind, search, order: { by, descending } };
          const all = await findUnused({ ...question, limit: 1_000, offset: 0 }, database.db, {
            ...UNUSED_LIMITS,
          });
          expect(all.count).toBe(all.rows.length);
          for (const offset of [0, 7, all.count]) {
            const page = { ...question, limit: 3, offset };
            const part = await findUnused(page, database.db, SMALL);
            expect(part.rows).toEqual(all.rows.slice(offset, offset + 3));
            if (part.rows.length > 0)
              expect(part.count).toBeGreaterThanOrEqual(offset + part.rows.length);
            compared += part.rows.length;
          }
        }
  expect(compared).toBeGreaterThan(300);
});

it('refuses to sort more rows than allowed by a column of the member', async () => {
  const question = { organizationId, days: 90, kind: undefined, search: undefined };
  const limits = { ...SMALL, sortedRows: 1 };
  for (const by of ['since', 'last_used'] as const) {
    const query = { ...question, order: { by, descending: false }, limit: 3, offset: 0 };
    await expect(findUnused(query, database.db, limits)).rejects.toBeInstanceOf(Invalid);
  }
  const query = { ...question, order: { by: 'permission', descending: false } } as const;
  expect(
    (await findUnused({ ...query, limit: 3, offset: 0 }, database.db, limits)).rows,
  ).toHaveLength(3);
});
