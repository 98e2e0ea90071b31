import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { gatherReferenceSums } from './reference-sums.ts';

let place: TestDatabase;
let database: Database;
beforeAll(async () => {
  place = await createTestDatabase();
  database = openDatabase(place.url, 8);
});
afterAll(async () => {
  await database.close();
  await place.drop();
});

const COUNT = 3;
/** The id of the n-th object of a kind, which is a hexadecimal digit; null for 0. */
const numbered = (kind: string, at: number): string | null =>
  at === 0 ? null : `00000000-0000-4000-8000-0000000000${kind}${at}`;
const adminUser = (at: number) => numbered('a', at);
const domain = (at: number) => numbered('d', at);
const label = (at: number) => numbered('b', at);

async function reset(): Promise<void> {
  const { db } = database;
  await sql`truncate asset cascade`.execute(db);
  for (const at of Array.from({ length: COUNT }, (_none, index) => index + 1)) {
    await sql`insert into admin_user (id, name) values (${adminUser(at)}, ${`admin ${at}`})
      on conflict do nothing`.execute(db);
    await sql`insert into domain (id, name) values (${domain(at)}, ${`domain ${at}`})
      on conflict do nothing`.execute(db);
    await sql`insert into label (id, name, value) values (${label(at)}, 'label', ${`${at}`})
      on conflict do nothing`.execute(db);
  }
}

let count = 0;

const index = fc.integer({ min: 0, max: COUNT });
const step = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), admin: index, domain: index, amount: index }),
  fc.record({ kind: fc.constant('move' as const), admin: index, domain: index, from: index }),
  fc.record({ kind: fc.constant('label' as const), label: index, from: index }),
  fc.record({ kind: fc.constant('unlabel' as const), label: index }),
  fc.record({ kind: fc.constant('delete' as const), from: index }),
  fc.record({ kind: fc.constant('delete domain' as const), domain: index }),
  fc.record({ kind: fc.constant('delete label' as const), label: index }),
  fc.record({ kind: fc.constant('gather' as const) }),
  fc.record({ kind: fc.constant('truncate labels' as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function take(one: Step): Promise<void> {
  const { db } = database;
  switch (one.kind) {
    case 'create':
      await sql`insert into asset (hostname, ip, platform, protocols, admin_user_id, domain_id)
        select 'asset ' || ${++count}::int || ' ' || n, '127.0.0.1', 'Linux', '{ssh/22}',
          ${adminUser(one.admin)}, ${domain(one.domain)}
        from generate_series(1, ${one.amount}::int) n`.execute(db);
      return;
    case 'move':
      await sql`update asset set admin_user_id = ${adminUser(one.admin)},
        domain_id = ${domain(one.domain)}
        where admin_user_id is not distinct from ${adminUser(one.from)}`.execute(db);
      return;
    case 'label':
      await sql`insert into label_assets (label_id, asset_id)
        select ${label(Math.max(1, one.label))}, id from asset
        where domain_id is not distinct from ${domain(one.from)}
        on conflict do nothing`.execute(db);
      return;
    case 'unlabel':
      await sql`delete from label_assets where label_id = ${label(one.label)}`.execute(db);
      return;
    case 'delete':
      await sql`delete from asset where domain_id is not distinct from ${domain(one.from)}
        `.execute(db);
      return;
    case 'delete domain':
      await sql`delete from domain where id = ${domain(one.domain)}`.execute(db);
      await sql`insert into domain (id, name)
        select ${domain(one.domain)}, ${`domain ${one.domain}`} where ${one.domain}::int > 0
        on conflict do nothing`.execute(db);
      return;
    case 'delete label':
      await sql`delete from label where id = ${label(one.label)}`.execute(db);
      await sql`insert into label (id, name, value)
        select ${label(one.label)}, 'label', ${`${one.label}`} where ${one.label}::int > 0
        on conflict do nothing`.execute(db);
      return;
    case 'gather':
      await gatherReferenceSums(db);
      return;
    default:
      await sql`truncate label_assets`.execute(db);
  }
}

/** References whose sum is not the number of their assets. */
async function differences(): Promise<readonly unknown[]> {
  const { rows } = await sql`
    with counted as (
      select reference_id, count(*)::int as assets from (
        select admin_user_id as reference_id from asset union all select domain_id from asset
        union all select label_id from label_assets) r where reference_id is not null group by 1
    ), kept as (
      select reference_id, sum(assets)::int as assets from asset_reference_tally group by 1
      having sum(assets) <> 0
    )
    (table counted except table kept) union all (table kept except table counted)`.execute(
    database.db,
  );
  return rows;
}

it('sums the assets of admin users, domains and labels after all changes, also at a time', {
  timeout: limitOf(120_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { maxLength: 3 }), { maxLength: 8 }),
      async (turns) => {
        await reset();
        for (const turn of turns) {
          const isSafe = turn.every(({ kind }) => kind === 'create' || kind === 'gather');
          if (isSafe) await Promise.all(turn.map(take));
          else for (const one of turn) await take(one);
          expect(await differences()).toEqual([]);
        }
        await gatherReferenceSums(database.db);
        expect(await differences()).toEqual([]);
        const { rows } = await sql`select reference_id from asset_reference_tally group by 1
        having count(*) > 1 or sum(assets) = 0`.execute(database.db);
        expect(rows).toEqual([]);
      },
    ),
    runs(40),
  );
});
