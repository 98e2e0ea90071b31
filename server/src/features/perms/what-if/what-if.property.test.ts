import { ACCESS_CHANGES } from '@sallyport/contract';
import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, type Db, openDatabase } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { type CountedDifference, naiveDifference } from '../../../testing/access-difference.ts';
import { GrantModel } from '../../../testing/grant-model.ts';
import {
  applyGrantChange,
  buildGrantWorld,
  GRANT_CHANGES,
  type GrantChange,
  type GrantWorld,
} from '../../../testing/grant-world.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import { ASSETS } from '../grants/kind.ts';
import { compare } from './compare.ts';
import { loadPlaces, type Places } from './places.ts';
import type { Plan } from './plan.ts';
import { type PlacesOf, sceneOf } from './scene.ts';

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

/** Reads places in both ways, of few assets and of many, which must agree. */
const placesOf: PlacesOf = async (organizationId, nodes) => {
  const { db } = database;
  const inOrder = ({ groups }: Places) => groups.map((group) => JSON.stringify(group)).sort();
  const few = await loadPlaces(organizationId, nodes, db);
  const many = await loadPlaces(organizationId, nodes, db, -1);
  expect(inOrder(many)).toEqual(inOrder(few));
  return few;
};

/** Counts the differences that the program predicts for a plan. */
async function predict(plan: Plan): Promise<CountedDifference> {
  const { db } = database;
  const scene = await sceneOf(plan, ASSETS, sql`true`, {
    placesOf,
    db,
  });
  if (!scene) return {};
  const differences = await compare(scene);
  return Object.fromEntries(
    ACCESS_CHANGES.flatMap((kind) => {
      const one = differences.get(kind);
      return one
        ? [
            [
              kind,
              [
                new Set(one.users).size,
                scene.weigh(one.assets),
                one.accounts.size,
                one.accesses,
                one.mask,
              ],
            ],
          ]
        : [];
    }),
  );
}

type Ids = readonly string[];

interface Stored {
  readonly users: Ids;
  readonly user_groups: Ids;
  readonly assets: Ids;
  readonly nodes: Ids;
  readonly system_users: Ids;
  readonly mask: number;
  readonly until: Date;
  readonly is_active: boolean;
  readonly holds: boolean;
}

async function storedRule(id: string, db: Db): Promise<Stored> {
  const ids = (name: string, column: string) =>
    sql`array(select link.${sql.ref(column)} from ${sql.table(`asset_permission_${name}`)} link
      where link.asset_permission_id = p.id) as ${sql.ref(name)}`;
  const { rows } = await sql<Stored>`
    select p.actions as mask, p.date_expired as until, p.is_active, p.is_active
      and p.date_start <= now() and p.date_expired > now() as holds,
      ${ids('users', 'user_id')}, ${ids('user_groups', 'user_group_id')},
        ${ids('assets', 'asset_id')}, ${ids('nodes', 'node_id')},
      ${ids('system_users', 'system_user_id')} from asset_permission p where p.id = ${id}`.execute(
    db,
  );
  const [row] = rows;
  if (!row) throw new Error('the permission does not exist');
  return row;
}

/** The facts that plans depend on. */
async function factsOf(rule: string, db: Db) {
  const nodes = await sql<{
    id: string;
    parent_id: string | null;
  }>`select id, parent_id from node`.execute(db);
  const members = await sql<{
    pair: string;
  }>`select user_group_id || ' ' || user_id as pair from user_group_users`.execute(db);
  return {
    model: await GrantModel.load(db),
    rule: await storedRule(rule, db),
    parents: new Map(nodes.rows.map(({ id, parent_id }) => [id, parent_id])),
    members: new Set(members.rows.map(({ pair }) => pair)),
  };
}
type Facts = Awaited<ReturnType<typeof factsOf>>;

/** Makes a change in a transaction that is rolled back, and returns the resulting facts. */
async function tryChange(world: GrantWorld, change: GrantChange, rule: string): Promise<Facts> {
  let facts: Facts | undefined;
  const rollback = new Error('rolled back');
  await database.db
    .transaction(async (tx) => {
      await applyGrantChange(tx, world, change);
      facts = await factsOf(rule, tx);
      throw rollback;
    })
    .catch((error: unknown) => {
      if (error !== rollback) throw error;
    });
  if (!facts) throw new Error('nothing was read');
  return facts;
}

/** The plans that are equivalent to a change. */
function plansOf(
  { kind }: GrantChange,
  organizationId: string,
  rule: string,
  before: Facts,
  after: Facts,
): Plan[] {
  if (kind === 'move') {
    const moved = [...after.parents].find(([id, parent]) => before.parents.get(id) !== parent);
    return moved ? [{ organizationId, moved: { nodes: [moved[0]], target: moved[1] ?? '' } }] : [];
  }
  if (kind === 'member') {
    const joined = [...after.members].find((pair) => !before.members.has(pair));
    const left = [...before.members].find((pair) => !after.members.has(pair));
    const [group = '', user = ''] = (joined ?? left ?? '').split(' ');
    return [
      {
        organizationId,
        members: { groups: [group], joining: joined ? [user] : [], leaving: left ? [user] : [] },
      },
    ];
  }
  const { holds, is_active, ...terms } = after.rule;
  const saved: Plan = { organizationId, gone: [rule], planned: holds ? terms : undefined };
  if (kind !== 'active') return [saved];
  return [saved, { organizationId, ...(is_active ? { enabled: [rule] } : { gone: [rule] }) }];
}

/** Predictable changes: those of permissions, members and nodes. */
const PREDICTABLE: readonly GrantChange['kind'][] = [
  'user',
  'group',
  'asset',
  'node',
  'systemUser',
  'member',
  'active',
  'dates',
  'actions',
  'move',
];

/**
 * Compares the predicted differences of a change with the real ones. Returns the number of kinds of
 * difference.
 */
async function comparePrediction(world: GrantWorld, change: GrantChange): Promise<number> {
  const index = change.rule % world.rules.length;
  const [organizationId = '', rule = ''] = [world.organizations[index % 2], world.rules[index]];
  const [before, after] = [await factsOf(rule, database.db), await tryChange(world, change, rule)];
  const expected = naiveDifference(world, before.model, after.model);
  for (const plan of plansOf(change, organizationId, rule, before, after))
    expect([change, await predict(plan)]).toEqual([change, expected]);
  return Object.keys(expected).length;
}

const change = fc.record({
  kind: fc.constantFrom(...GRANT_CHANGES),
  rule: fc.nat(100),
  other: fc.nat(100),
  how: fc.nat(100),
});
const predictable = fc.record({
  kind: fc.constantFrom(...PREDICTABLE),
  rule: fc.nat(100),
  other: fc.nat(100),
  how: fc.nat(100),
});

async function startOver(): Promise<GrantWorld> {
  await sql`truncate asset_permission, user_group, asset, node, system_account, account,
    organization cascade`.execute(database.db);
  return buildGrantWorld(database.db);
}

it('predicts the access that a change grants', { timeout: limitOf(300_000) }, async () => {
  let differences = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 12 }),
      fc.array(predictable, { minLength: 5, maxLength: 15 }),
      async (before, changes) => {
        const world = await startOver();
        for (const one of before) await applyGrantChange(database.db, world, one);
        for (const one of changes) {
          differences += await comparePrediction(world, one);
          await applyGrantChange(database.db, world, one);
        }
      },
    ),
    { ...runs(12), endOnFailure: true },
  );
  // Changes without any difference would prove nothing.
  expect(differences).toBeGreaterThan(5);
});

it('predicts the result of deleted groups, deleted permissions and several moved nodes', async () => {
  const world = await startOver();
  const { db } = database;
  const before = await GrantModel.load(db);
  const compareAfter = async (
    plan: Omit<Plan, 'organizationId'>,
    act: (tx: Db) => Promise<unknown>,
  ) => {
    let after: GrantModel | undefined;
    await db
      .transaction(async (tx) => {
        await act(tx);
        after = await GrantModel.load(tx);
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    if (!after) throw new Error('nothing was read');
    expect(await predict({ organizationId: '', ...plan })).toEqual(
      naiveDifference(world, before, after),
    );
  };
  const own = (ids: readonly string[]) => ids.filter((_, index) => index % 2 === 0);
  const members = await sql<{
    user_id: string;
  }>`select distinct user_id from user_group_users
    where user_group_id = any (${own(world.groups)}::uuid[])`.execute(db);
  await compareAfter(
    {
      members: {
        groups: own(world.groups),
        joining: [],
        leaving: members.rows.map(({ user_id }) => user_id),
      },
    },
    (tx) => sql`delete from user_group where id = any (${own(world.groups)}::uuid[])`.execute(tx),
  );
  await compareAfter({ gone: own(world.rules) }, (tx) =>
    sql`delete from asset_permission where id = any (${own(world.rules)}::uuid[])`.execute(tx),
  );
  const [root = '', second = '', third = '', fourth = ''] = own(world.nodes);
  for (const moved of [
    [third, fourth],
    [fourth, third],
  ]) {
    await compareAfter({ moved: { nodes: moved, target: root } }, async (tx) => {
      for (const id of moved)
        await sql`select node_move(n.id, ${root}) from node n
          where n.id = ${id} and n.parent_id <> ${root}`.execute(tx);
    });
  }
  await compareAfter({ moved: { nodes: [root], target: second } }, async () => undefined);
});
