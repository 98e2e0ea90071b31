import type { GrantedAsset } from '@sallyport/contract';
import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { buildAsset, buildPermission, buildUser } from '../../../testing/builders.ts';
import { GrantModel } from '../../../testing/grant-model.ts';
import {
  applyGrantChange,
  buildGrantWorld,
  GRANT_CHANGES,
  type GrantWorld,
} from '../../../testing/grant-world.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import { onNode } from '../store.ts';
import { listGrantedAssets } from './assets.ts';
import { isGranted, loadCoverage } from './coverage.ts';
import {
  coveringAccount,
  coveringNode,
  pathsCovered,
  usersCovered,
} from './covering-permissions.ts';
import { grantedNodes } from './granted-nodes.ts';
import {
  accountsOf,
  nearestPermissions,
  pathsBetween,
  pathsOfGroup,
  usersReaching,
} from './paths.ts';
import { createGrants, type GrantService, type GrantView } from './service.ts';
import { allGrantedNodes, grantedTree } from './tree.ts';

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

type Listed = Awaited<ReturnType<typeof listGrantedAssets>>;
const idsOf = (listed: Listed): string[] =>
  ('results' in listed ? listed.results : listed).map(({ id }) => id);
const countOf = (listed: Listed): number => ('count' in listed ? listed.count : listed.length);

/** Compares every answer about each user with the naive model. */
async function compare(world: GrantWorld, grants: GrantService): Promise<void> {
  const { db } = database;
  const model = await GrantModel.load(db);
  for (const userId of world.users) {
    for (const organizationId of [undefined, ...world.organizations]) {
      const view = await grants.view({ userId, organizationId });
      const expected = model.assetsOf(userId, organizationId);
      for (const order of ['hostname', '-ip']) {
        const all = idsOf(
          await listGrantedAssets(db, view, new URLSearchParams(), { sortBy: order }),
        );
        expect(all.toSorted()).toEqual(expected);
        // The first page may be cached; the last one is not.
        for (const offset of [0, 4]) {
          const page = await listGrantedAssets(
            db,
            view,
            new URLSearchParams({ limit: '4', offset: String(offset) }),
            { sortBy: order },
          );
          expect([countOf(page), idsOf(page)]).toEqual([
            expected.length,
            all.slice(offset, offset + 4),
          ]);
        }
        // Pages that start at a landmark, as those of users with many assets do.
        const large = withAtMost(view, Number.MAX_SAFE_INTEGER);
        for (let offset = 0; offset <= all.length + 1; offset++) {
          const page = await listGrantedAssets(
            db,
            large,
            new URLSearchParams({ limit: '2', offset: String(offset) }),
            { sortBy: order, distance: 2 },
          );
          expect([countOf(page), idsOf(page)]).toEqual([
            expected.length,
            all.slice(offset, offset + 2),
          ]);
        }
      }

      // Both query strategies must return the same assets.
      const coverage = await loadCoverage(db, userId, organizationId);
      for (const atMost of [0, Number.MAX_SAFE_INTEGER]) {
        const { rows } = await sql<{
          id: string;
        }>`select a.id from asset a where ${isGranted({ ...coverage, atMost })}`.execute(db);
        expect(rows.map(({ id }) => id).sort()).toEqual(expected);
      }
      expect(coverage.atMost).toBeGreaterThanOrEqual(expected.length);

      const nodes = await allGrantedNodes(db, view, 'en');
      expect(Object.fromEntries(nodes.map((node) => [node.id, node.assets_amount]))).toEqual(
        model.nodesOf(userId, organizationId),
      );
      for (const plan of [
        { byIndex: sql`true`, mostBelow: 0 },
        { byIndex: sql`false`, mostBelow: 0 },
        { byIndex: sql`true`, mostBelow: 1_000 },
      ])
        expect(await grantedNodes(db, view, undefined, plan)).toEqual(nodes);
    }
    await compareTree(world, grants, model, userId);
    for (const assetId of world.assets) {
      const accounts = await grants.accounts({ userId, organizationId: undefined }, assetId);
      expect(accounts.map(({ id, mask, rules }) => ({ id, mask, rules: [...rules] }))).toEqual(
        model.accountsOf(userId, assetId),
      );
    }
    await compareExplanations(world, model, userId);
    const [asset = ''] = world.assets;
    for (const systemUser of world.systemUsers) {
      const account = await grants.check(userId, asset, systemUser);
      expect(account?.rules).toEqual(
        model.accountsOf(userId, asset).find(({ id }) => id === systemUser)?.rules,
      );
    }
  }
}

/** Compares the paths and obstacles of a user on each asset. */
async function compareExplanations(
  world: GrantWorld,
  model: GrantModel,
  userId: string,
): Promise<void> {
  const { db } = database;
  for (const organization of world.organizations) {
    const paths = await pathsBetween([userId], world.assets, { organization }, db);
    for (const assetId of world.assets) {
      const assetPaths = paths.filter(({ target }) => target === assetId);
      const texts = assetPaths.map(
        ({ permission, group, node, accounts }) =>
          `${permission} ${group} ${node} ${accounts.map(({ id }) => id).sort()}`,
      );
      expect(texts.sort()).toEqual(model.pathsOf(userId, assetId, organization));
      expect(accountsOf(assetPaths).map(({ id }) => id)).toEqual(
        expect.arrayContaining(model.accountsOf(userId, assetId, organization).map(({ id }) => id)),
      );
      const reaching = await usersReaching(
        assetId,
        { search: '%', limit: 10, offset: 0 },
        { organization },
        db,
      );
      const canConnect = model.accountsOf(userId, assetId, organization).length > 0;
      expect(reaching.users.some(({ id }) => id === userId)).toBe(canConnect);
      expect(reaching.count).toBe(reaching.users.length);

      const near = await nearestPermissions(userId, assetId, { organization }, db);
      const expected = model.obstaclesOf(userId, assetId, organization);
      expect(near.length).toBe(Math.min(5, Object.keys(expected).length));
      for (const { id, obstacles } of near) expect(obstacles).toEqual(expected[id]);
      const fewest = Object.values(expected).map((obstacles) => obstacles.length);
      expect(near.map(({ obstacles }) => obstacles.length)).toEqual(
        fewest.sort((a, b) => a - b).slice(0, 5),
      );
    }
  }
}

/** Compares the users of each node and system user, and the paths of each group, with the model. */
async function compareCovered(world: GrantWorld): Promise<void> {
  const { db } = database;
  const model = await GrantModel.load(db);
  const page = { search: '%', limit: 10, offset: 0 };
  for (const organization of world.organizations) {
    const having = (isMeant: (asset: string, account: string) => boolean) =>
      world.users
        .filter((userId) =>
          world.assets.some((assetId) =>
            model.accountsOf(userId, assetId, organization).some(({ id }) => isMeant(assetId, id)),
          ),
        )
        .sort();
    const usersOf = async (covering: Sql) => {
      const { count, users } = await usersCovered(covering, page, db);
      expect(count).toBe(users.length);
      const explained = new Set(
        (await pathsCovered(covering, world.users, db)).map((path) => path.user),
      );
      for (const { id } of users) expect(explained).toContain(id);
      return users.map(({ id }) => id).sort();
    };
    for (const nodeId of world.nodes) {
      const below = model.assetsBelow(nodeId);
      expect(await usersOf(coveringNode(nodeId, organization))).toEqual(
        having((asset) => below.has(asset)),
      );
    }
    for (const accountId of world.systemUsers)
      expect(await usersOf(coveringAccount(accountId, organization))).toEqual(
        having((_, account) => account === accountId),
      );
    for (const groupId of world.groups) {
      const paths = await pathsOfGroup(groupId, world.assets, { organization }, db);
      for (const userId of world.users.filter(
        (one) => model.isMember(one, groupId) && model.isValid(one),
      )) {
        const byGroup = world.assets
          .flatMap((asset) => model.pathsOf(userId, asset, organization))
          .filter((path) => path.split(' ')[1] === groupId);
        const texts = paths.map(
          ({ permission, group, node, accounts }) =>
            `${permission} ${group} ${node} ${accounts.map(({ id }) => id).sort()}`,
        );
        expect(texts.sort()).toEqual(byGroup.sort());
      }
    }
  }
}

/** A view that pretends a number of granted assets. The number selects the query strategy. */
function withAtMost(view: GrantView, atMost: number): GrantView {
  const coverage = { ...view.coverage, atMost };
  return { ...view, coverage, isGranted: isGranted(coverage), remember: (_key, load) => load() };
}

/** Count of the list of assets below a node, with the strategy for many assets. */
async function countBelow(view: GrantView, node: string): Promise<unknown> {
  const page = await listGrantedAssets(
    database.db,
    withAtMost(view, Number.MAX_SAFE_INTEGER),
    new URLSearchParams({ limit: '1' }),
    { sortBy: 'hostname', narrowing: onNode(node, true) },
  );
  return 'count' in page && page.count;
}

async function compareTree(
  world: GrantWorld,
  grants: GrantService,
  model: GrantModel,
  userId: string,
): Promise<void> {
  const { db } = database;
  const expected = model.nodesOf(userId);
  const { rows } = await sql<{
    id: string;
    key: string;
    parent_id: string | null;
  }>`select id, key, parent_id from node`.execute(db);
  const read = async (key: string | undefined) =>
    grantedTree(db, await grants.view({ userId, organizationId: undefined }), {
      key,
      withAssets: true,
      favoritesOf: undefined,
      language: 'en',
    });
  for (const node of rows.filter(({ id }) => world.nodes.includes(id))) {
    const level = await read(node.key);
    expect(
      await countBelow(await grants.view({ userId, organizationId: undefined }), node.id),
    ).toBe(expected[node.id] ?? 0);
    const children = rows.filter(
      (child) => child.parent_id === node.id && expected[child.id] !== undefined,
    );
    const counts = Object.fromEntries(
      level.flatMap(({ meta }) =>
        meta.type === 'node' ? [[meta.node.id, meta.node.assets_amount]] : [],
      ),
    );
    expect(counts).toEqual(Object.fromEntries(children.map(({ id }) => [id, expected[id]])));
    expect(
      level.flatMap(({ meta }) => (meta.type === 'asset' ? [meta.asset.id] : [])).sort(),
    ).toEqual(model.assetsOn(userId, node.id));
  }
}

const change = fc.record({
  kind: fc.constantFrom(...GRANT_CHANGES),
  rule: fc.nat(100),
  other: fc.nat(100),
  how: fc.nat(100),
});

async function startOver(): Promise<GrantWorld> {
  await sql`truncate asset_permission, user_group, asset, node, system_account, account,
    organization cascade`.execute(database.db);
  return buildGrantWorld(database.db);
}

it('grants access in the initial world, so that comparisons are meaningful', async () => {
  const world = await startOver();
  const model = await GrantModel.load(database.db);
  expect(
    world.users.flatMap((userId) =>
      world.assets.flatMap((assetId) => model.accountsOf(userId, assetId)),
    ).length,
  ).toBeGreaterThan(5);
  await compare(world, createGrants(database.db));
  await compareCovered(world);
});

it('grants the access of the naive model after every change', {
  timeout: limitOf(300_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 12 }),
      fc.array(change, { minLength: 3, maxLength: 10 }),
      async (before, after) => {
        const { db } = database;
        const world = await startOver();
        // One service for all steps: its cache must never be stale.
        const grants = createGrants(db);
        for (const one of before) await applyGrantChange(db, world, one);
        await compare(world, grants);
        for (const one of after) {
          await applyGrantChange(db, world, one);
          await compare(world, grants);
        }
        await compareCovered(world);
      },
    ),
    { ...runs(3), endOnFailure: true },
  );
});

it('finds the same assets with every search strategy', async () => {
  const { db } = database;
  const world = await startOver();
  const person = await buildUser(db);
  const node = world.nodes[2] ?? '';
  // 130 assets below the node, some of them inactive, and 130 that are not granted.
  await sql`
    with made as (
      insert into asset (org_id, hostname, ip, platform, comment, is_active, admin_user_id)
      select '', (array['db', 'WEB', 'x_y'])[1 + i % 3] || '-' || lpad(i::text, 3, '0'),
        '10.0.0.' || i % 250, a.platform, case when i % 7 = 0 then '数据 😀' else '' end,
        i % 10 > 0, a.admin_user_id
      from generate_series(1, 260) i,
        (select platform, admin_user_id from asset where org_id = '' limit 1) a
      returning id, hostname
    )
    insert into node_assets (node_id, asset_id)
    select case when right(hostname, 3)::integer % 2 = 0 then ${node}::uuid
      else ${world.nodes[8]}::uuid end, id from made`.execute(db);
  const direct = await buildAsset(db, { hostname: 'db-direct' });
  // Some are granted twice: through the node and directly.
  const { rows: twice } = await sql<{ id: string }>`
    select a.id from asset a join asset_ancestor below on below.asset_id = a.id
      and below.node_id = ${node} where a.hostname like '%-1%' limit 20`.execute(db);
  expect(twice.length).toBe(20);
  await buildPermission(db, {
    users: [person.id],
    nodes: [node],
    assets: [direct, ...twice.map(({ id }) => id)],
  });
  const view = await createGrants(db).view({ userId: person.id, organizationId: undefined });
  const granted = (await listGrantedAssets(db, view, new URLSearchParams(), {
    sortBy: 'hostname',
  })) as GrantedAsset[];
  expect(granted.length).toBeGreaterThan(100);

  for (const search of [
    '',
    'db',
    'eb',
    'WE',
    'e',
    '01',
    '12 db',
    'x_',
    '%',
    'direct',
    'db-0',
    '数据',
    '据',
    '😀',
    '据 😀',
    'zz',
    'web 9',
    '10.0',
  ]) {
    const terms = search.toLowerCase().split(' ');
    const isFound = ({ hostname, ip, comment }: GrantedAsset) =>
      terms.every((term) =>
        [hostname, ip, comment].some((text) => text.toLowerCase().includes(term)),
      );
    const expected = granted.filter(isFound).map(({ hostname }) => hostname);
    // The three strategies: gather, read once and join, check one by one.
    for (const atMost of [view.coverage.atMost, 3_001, Number.MAX_SAFE_INTEGER]) {
      const sized = withAtMost(view, atMost);
      const all = (await listGrantedAssets(db, sized, new URLSearchParams({ search }), {
        sortBy: 'hostname',
      })) as GrantedAsset[];
      expect([search, atMost, all.map(({ hostname }) => hostname)]).toEqual([
        search,
        atMost,
        expected,
      ]);
      for (const offset of [0, 4, 1_000]) {
        const page = await listGrantedAssets(
          db,
          sized,
          new URLSearchParams({ search, limit: '4', offset: String(offset) }),
          { sortBy: 'hostname' },
        );
        const result = 'results' in page ? { count: page.count, shown: page.results } : undefined;
        expect(result).toEqual({
          count: expected.length,
          shown: granted.filter(isFound).slice(offset, offset + 4),
        });
      }
    }
  }
  // On a node: of its assets, of those of its parents and of another node.
  for (const id of [...world.nodes.slice(0, 4), world.nodes[8] ?? ''])
    for (const withBelow of [true, false]) {
      const narrowing = onNode(id, withBelow);
      const { rows } = await sql<{ id: string }>`
        select held.id from (${narrowing.place?.ids}) held (id)`.execute(db);
      const held = new Set(rows.map((row) => row.id));
      const expected = granted.filter((asset) => held.has(asset.id));
      for (const atMost of [view.coverage.atMost, 3_001, Number.MAX_SAFE_INTEGER])
        for (const isCrowded of [false, true]) {
          const sized = withAtMost(view, atMost);
          // A view that says of each node that many assets are on it.
          const told: GrantView = isCrowded
            ? {
                ...sized,
                remember: (key, load) =>
                  key.startsWith('few ')
                    ? (Promise.resolve(false) as ReturnType<typeof load>)
                    : load(),
              }
            : sized;
          for (const distance of [250, 3]) {
            const page = await listGrantedAssets(
              db,
              told,
              new URLSearchParams({ limit: '4', offset: '4' }),
              { sortBy: 'hostname', narrowing, distance },
            );
            const result =
              'results' in page ? { count: page.count, shown: page.results } : undefined;
            expect(result).toEqual({ count: expected.length, shown: expected.slice(4, 8) });
          }
        }
    }
});
