import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import {
  buildOrganization,
  buildPermission,
  buildUser,
  rootNode,
} from '../../../testing/builders.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import { listGrantedAssets } from './assets.ts';
import { createGrants, type GrantService } from './service.ts';

const ASSETS = 400;

let place: TestDatabase;
let database: Database;
let grants: GrantService;
const users: Record<'root' | 'some', string> = { root: '', some: '' };
beforeAll(async () => {
  place = await createTestDatabase();
  database = openDatabase(place.url, 4);
  const { db } = database;
  grants = createGrants(db);
  // Every seventh is inactive; one of four belongs to the node; every fifth is called cache.
  await sql`insert into asset (hostname, ip, platform, is_active)
    select case when n % 5 = 0 then 'cache-' else 'web-' end || lpad(n::text, 4, '0'),
      '10.0.0.' || n % 50, 'Linux', n % 7 > 0 from generate_series(1, ${ASSETS}::integer) n`.execute(
    db,
  );
  const elsewhere = await buildOrganization(db);
  await sql`insert into asset (org_id, hostname, ip, platform)
    select ${elsewhere}, 'web-' || n, '10.0.1.1', 'Linux' from generate_series(1, 20) n`.execute(
    db,
  );
  const root = await rootNode(db);
  const child = await sql<{ id: string }>`
    insert into node (id, org_id, key, value, parent_id, ancestors)
    select made.id, '', n.key || ':900', 'Some', n.id, n.ancestors || made.id
    from node n, gen_random_uuid() made (id) where n.id = ${root} returning id`.execute(db);
  const node = child.rows[0]?.id ?? '';
  await sql`insert into node_assets (node_id, asset_id)
    select case when right(hostname, 1) in ('1', '4', '5') then ${node}::uuid
      else ${root}::uuid end, id from asset where org_id = ''`.execute(db);
  for (const [name, nodes] of [
    ['root', [root]],
    ['some', [node]],
  ] as const) {
    users[name] = (await buildUser(db)).id;
    await buildPermission(db, { users: [users[name]], nodes });
  }
  await sql`analyze asset`.execute(db);
});
afterAll(async () => {
  await database.close();
  await place.drop();
});

async function list(name: 'root' | 'some', query: string, wideFrom: number) {
  const view = await grants.view({ userId: users[name], organizationId: undefined });
  // As for users with many assets, who have no list of them in memory.
  const large = { ...view, coverage: { ...view.coverage, atMost: 100_000 } };
  const page = await listGrantedAssets(database.db, large, new URLSearchParams(query), {
    sortBy: 'hostname',
    wideFrom,
  });
  if (!('results' in page)) throw new Error('not a page');
  return { count: page.count, ids: page.results.map(({ id }) => id) };
}

it.each(['root', 'some'] as const)(
  'returns the page of a search that finds many assets as that of one that finds few: %s',
  async (name) => {
    for (const search of ['web', 'web-0', '0 web', 'cache', '00'])
      for (const order of ['hostname', '-hostname', 'ip', '-ip'])
        for (const offset of [0, 7, 20, 300]) {
          const query = `search=${search}&limit=10&offset=${offset}&order=${order}`;
          const few = await list(name, query, Number.MAX_SAFE_INTEGER);
          const many = await list(name, query, 1);
          expect(many.ids, query).toEqual(few.ids);
          // The sample of a small table is the whole table.
          expect(many.count, query).toBe(few.count);
        }
  },
);

it('returns nothing for a word that no asset contains', async () => {
  expect(await list('root', 'search=nowhere&limit=10', 1)).toEqual({ count: 0, ids: [] });
});

it('sees an asset that is added after the first page', async () => {
  const query = 'search=web&limit=10&order=-hostname';
  const before = await list('root', query, 1);
  await sql`insert into asset (hostname, ip, platform) values ('web-9999', '10.0.0.1', 'Linux')`.execute(
    database.db,
  );
  await sql`insert into node_assets (node_id, asset_id)
    select n.id, a.id from node n, asset a where n.org_id = '' and n.parent_id is null
      and a.hostname = 'web-9999'`.execute(database.db);
  const after = await list('root', query, 1);
  expect(after.ids.slice(1)).toEqual(before.ids.slice(0, -1));
});
