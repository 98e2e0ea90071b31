import { UNUSED_DAYS, UNUSED_KINDS } from '@sallyport/contract';
import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import {
  applyGrantChange,
  buildGrantWorld,
  GRANT_CHANGES,
  type GrantWorld,
} from '../../../testing/grant-world.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import { findUnused, useOf } from './store.ts';

let place: TestDatabase;
let database: Database;
beforeAll(async () => {
  place = await createTestDatabase();
  database = openDatabase(place.url, 5);
});
afterAll(async () => {
  await database.close();
  await place.drop();
});

const DAY = 86_400_000;
const LINKS = {
  user: ['users', 'user_id'],
  user_group: ['user_groups', 'user_group_id'],
  asset: ['assets', 'asset_id'],
  node: ['nodes', 'node_id'],
} as const;
type Member = keyof typeof LINKS;
const MEMBERS: readonly Member[] = ['user', 'user_group', 'asset', 'node'];

interface Rule {
  readonly id: string;
  readonly org_id: string;
  readonly is_active: boolean;
  readonly date_start: Date;
  readonly date_expired: Date;
  readonly date_created: Date;
}

interface Link {
  readonly rule: string;
  readonly other: string;
  /** True if the link is older than every reported period. */
  readonly isOld: boolean;
}

/** Plain copies of the tables. */
async function copy() {
  const rows = async <T>(query: ReturnType<typeof sql<T>>) =>
    (await query.execute(database.db)).rows;
  const links = (table: string, column: string) =>
    rows(
      sql<Link>`select asset_permission_id as rule, ${sql.ref(column)} as other,
        date_added < now() - interval '180 days' as "isOld"
        from ${sql.table(`asset_permission_${table}`)}`,
    );
  return {
    rules: await rows(sql<Rule>`select * from asset_permission`),
    links: {
      user: await links(...LINKS.user),
      user_group: await links(...LINKS.user_group),
      asset: await links(...LINKS.asset),
      node: await links(...LINKS.node),
    },
    accounts: await rows(
      sql<{
        rule: string;
        other: string;
      }>`select asset_permission_id as rule, system_user_id as other
        from asset_permission_system_users`,
    ),
    members: await rows(
      sql<{
        group: string;
        user: string;
      }>`select user_group_id as group, user_id as user from user_group_users`,
    ),
    valid: (
      await rows(
        sql<{
          id: string;
        }>`select id from account where is_active and coalesce(date_expired > now(), true)`,
      )
    ).map(({ id }) => id),
    placed: await rows(
      sql<{
        node: string;
        asset: string;
      }>`select node_id as node, asset_id as asset from node_assets`,
    ),
    parents: new Map(
      (
        await rows(sql<{ id: string; parent_id: string | null }>`select id, parent_id from node`)
      ).map((node) => [node.id, node.parent_id]),
    ),
  };
}
type Tables = Awaited<ReturnType<typeof copy>>;

interface Use {
  readonly rule: string;
  readonly user: string;
  readonly place: string;
  readonly at: number;
}

/** Computes the uses of a session, one permission at a time. */
function usesOf(
  { rules, links, accounts, members, placed, parents }: Tables,
  session: { user: string; asset: string; account: string; at: number },
): Use[] {
  const { user, asset, account, at } = session;
  const above = (node: string | null | undefined): string[] =>
    node ? [node, ...above(parents.get(node))] : [];
  const nodes = new Set(
    placed.filter((one) => one.asset === asset).flatMap(({ node }) => above(node)),
  );
  const groups = members.filter((member) => member.user === user).map(({ group }) => group);
  return rules.flatMap((rule) => {
    const listed = (kind: Member) =>
      links[kind].filter((link) => link.rule === rule.id).map(({ other }) => other);
    const isInForce =
      rule.is_active && rule.date_start.getTime() <= at && rule.date_expired.getTime() > at;
    const names =
      listed('user').includes(user) || listed('user_group').some((group) => groups.includes(group));
    const uses = accounts.some((link) => link.rule === rule.id && link.other === account);
    const places = [
      ...listed('asset').filter((one) => one === asset),
      ...listed('node').filter((node) => nodes.has(node)),
    ];
    return isInForce && names && uses
      ? places.map((one) => ({ rule: rule.id, user, place: one, at }))
      : [];
  });
}

/** Computes the expected unused rows as sorted texts, from all recorded sessions. */
function expectedUnused(
  { rules, links, members }: Tables,
  uses: readonly Use[],
  organization: string,
  days: number,
): string[] {
  const now = Date.now();
  const since = now - days * DAY;
  const latest = (which: (use: Use) => boolean) =>
    Math.max(Number.NEGATIVE_INFINITY, ...uses.filter(which).map(({ at }) => at));
  const text = (kind: string, rule: string, member: string | null, last: number) =>
    `${kind} ${rule} ${member} ${Number.isFinite(last) ? last : 'never'}`;
  return rules
    .filter(({ org_id, is_active, date_start, date_expired, date_created }) => {
      const isInForce = is_active && date_start.getTime() <= now && date_expired.getTime() > now;
      return (
        org_id === organization &&
        isInForce &&
        date_start.getTime() <= since &&
        date_created.getTime() <= since
      );
    })
    .flatMap(({ id }) => {
      const last = latest(({ rule }) => rule === id);
      if (last < since) return [text('permission', id, null, last)];
      return MEMBERS.flatMap((kind) =>
        links[kind]
          .filter(({ rule, isOld }) => rule === id && isOld)
          .flatMap(({ other }) => {
            const isUseOf = ({ user, place: used }: Use) =>
              kind === 'user'
                ? user === other
                : kind === 'user_group'
                  ? members.some((member) => member.group === other && member.user === user)
                  : used === other;
            const lastOfIt = latest((use) => use.rule === id && isUseOf(use));
            return lastOfIt < since ? [text(kind, id, other, lastOfIt)] : [];
          }),
      );
    })
    .sort();
}

async function compare(world: GrantWorld, uses: readonly Use[]): Promise<number> {
  const tables = await copy();
  let rowsSeen = 0;
  for (const organizationId of world.organizations)
    for (const days of UNUSED_DAYS) {
      const question = {
        organizationId,
        days,
        search: undefined,
        order: { by: 'permission', descending: false },
      } as const;
      const { count, rows } = await findUnused(
        { ...question, kind: undefined, limit: 1_000, offset: 0 },
        database.db,
      );
      const reported = rows.map(
        ({ kind, permission, member, lastUsed }) =>
          `${kind} ${permission} ${member} ${lastUsed?.getTime() ?? 'never'}`,
      );
      expect([...reported].sort()).toEqual(expectedUnused(tables, uses, organizationId, days));
      expect(count).toBe(reported.length);
      rowsSeen += count;
      // A page is a slice of all rows; a kind is a filter of them.
      const page = await findUnused(
        { ...question, kind: undefined, limit: 2, offset: 1 },
        database.db,
      );
      expect([page.count, page.rows]).toEqual([count, rows.slice(1, 3)]);
      for (const kind of UNUSED_KINDS) {
        const some = await findUnused({ ...question, kind, limit: 1_000, offset: 0 }, database.db);
        expect(some.rows).toEqual(rows.filter((row) => row.kind === kind));
      }
    }
  for (const { id } of tables.rules) {
    const own = uses.filter(({ rule }) => rule === id);
    const { lastUsed, users, members: namedCount } = await useOf(id, 90, database.db);
    expect(lastUsed?.getTime() ?? null).toBe(
      own.length > 0 ? Math.max(...own.map(({ at }) => at)) : null,
    );
    const { links, members, valid } = tables;
    const groups = links.user_group.filter(({ rule }) => rule === id).map(({ other }) => other);
    const isNamed = (user: string) =>
      links.user.some(({ rule, other }) => rule === id && other === user) ||
      members.some((member) => groups.includes(member.group) && member.user === user);
    const people = valid.filter(isNamed);
    expect(namedCount).toBe(people.length);
    expect(users).toBe(
      people.filter((user) =>
        own.some((use) => use.user === user && use.at >= Date.now() - 90 * DAY),
      ).length,
    );
  }
  return rowsSeen;
}

/** A world whose permissions are a year old. */
async function startOver(): Promise<GrantWorld> {
  const { db } = database;
  await sql`truncate asset_permission, user_group, asset, node, system_account, account,
    organization, session cascade`.execute(db);
  const world = await buildGrantWorld(db);
  await sql`update asset_permission
    set date_start = now() - interval '1 year', date_created = now() - interval '1 year'`.execute(
    db,
  );
  for (const kind of MEMBERS)
    await sql`update ${sql.table(`asset_permission_${LINKS[kind][0]}`)}
      set date_added = '-infinity'`.execute(db);
  return world;
}

// Never at the border of a period, because time passes while the test runs.
const session = fc.record({
  user: fc.nat(100),
  asset: fc.nat(100),
  account: fc.nat(100),
  days: fc.constantFrom(1, 20, 40, 80, 100, 170, 190, 300),
});
const change = fc.record({
  kind: fc.constantFrom(...GRANT_CHANGES),
  rule: fc.nat(100),
  other: fc.nat(100),
  how: fc.nat(100),
});

async function begin(
  world: GrantWorld,
  one: { user: number; asset: number; account: number; days: number },
  tables?: Tables,
): Promise<Use[]> {
  const pick = (list: readonly string[], index: number) => list[index % list.length] ?? '';
  const at = new Date(Date.now() - one.days * DAY);
  const begun = {
    user: pick(world.users, one.user),
    asset: pick(world.assets, one.asset),
    account: pick(world.systemUsers, one.account),
    at: at.getTime(),
  };
  const uses = usesOf(tables ?? (await copy()), begun);
  await sql`
    insert into session ("user", asset, "system_user", user_id, asset_id, system_user_id,
      date_start)
    values ('u', 'a', 's', ${begun.user}, ${begun.asset}, ${begun.account}, ${at})`.execute(
    database.db,
  );
  return uses;
}

it('reports every permission before any use, then the unused members of used permissions', async () => {
  const world = await startOver();
  expect(await compare(world, [])).toBe(world.rules.length * UNUSED_DAYS.length);
  // Every user tries every asset. Sessions without permission do not count as use.
  const uses: Use[] = [];
  const tables = await copy();
  for (const user of world.users.keys())
    for (const asset of world.assets.keys())
      for (const account of [0, 3])
        uses.push(...(await begin(world, { user, asset, account, days: 40 }, tables)));
  expect(uses.length).toBeGreaterThan(2);
  expect(await compare(world, uses)).toBeGreaterThan(3);
});

it('ignores sessions of deleted or unknown users and assets', async () => {
  await startOver();
  for (const id of ['', 'u', crypto.randomUUID()])
    await sql`insert into session ("user", asset, "system_user", user_id, asset_id, system_user_id)
      values ('u', 'a', 's', ${id}, ${id}, ${id})`.execute(database.db);
  expect((await sql`select 1 from permission_use`.execute(database.db)).rows).toEqual([]);
});

it('reports the unused access of the naive model after arbitrary sessions and changes', {
  timeout: limitOf(300_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.array(session, { maxLength: 12 }), fc.array(change, { maxLength: 3 })), {
        minLength: 1,
        maxLength: 6,
      }),
      async (steps) => {
        const world = await startOver();
        const uses: Use[] = [];
        for (const [sessions, changes] of steps) {
          for (const one of sessions) uses.push(...(await begin(world, one)));
          for (const one of changes) await applyGrantChange(database.db, world, one);
          await compare(world, uses);
        }
      },
    ),
    { ...runs(8), endOnFailure: true },
  );
});
