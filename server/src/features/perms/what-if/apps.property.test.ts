import { ACCESS_CHANGES } from '@sallyport/contract';
import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, type Db, openDatabase } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { type CountedDifference, naiveDifference } from '../../../testing/access-difference.ts';
import {
  APP_CHANGES,
  type AppChange,
  type AppName,
  type AppWorld,
  applyAppChange,
  buildAppWorld,
} from '../../../testing/app-world.ts';
import { GrantModel } from '../../../testing/grant-model.ts';
import {
  applyGrantChange,
  buildGrantWorld,
  type GrantWorld,
} from '../../../testing/grant-world.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import { DATABASE_APPS, type GrantKind, REMOTE_APPS } from '../grants/kind.ts';
import { compare } from './compare.ts';
import type { Plan } from './plan.ts';
import { sceneOf } from './scene.ts';

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

const KINDS: Readonly<Record<AppName, GrantKind>> = {
  remote_app: REMOTE_APPS,
  database_app: DATABASE_APPS,
};
const noPlaces = async () => ({
  groups: [],
  keys: new Map<string, number>(),
  parents: [],
  keysOf: [],
});

/** Counts the differences that the program predicts for a plan. */
async function predict(plan: Plan, kind: GrantKind): Promise<CountedDifference> {
  const scene = await sceneOf(plan, kind, sql`true`, { placesOf: noPlaces, db: database.db });
  if (!scene) return {};
  const differences = await compare(scene);
  return Object.fromEntries(
    ACCESS_CHANGES.flatMap((change) => {
      const one = differences.get(change);
      return one
        ? [
            [
              change,
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

/** The plan that a form would send for a stored permission. */
async function planOf(app: AppName, rule: string, db: Db): Promise<Plan> {
  const ids = (name: string, column: string) =>
    sql`array(select link.${sql.ref(column)} from ${sql.table(`${app}_permission_${name}`)} link
      where ${sql.ref(`link.${app}_permission_id`)} = p.id)`;
  const { rows } = await sql<
    NonNullable<Plan['planned']> & { readonly org_id: string; readonly holds: boolean }
  >`
    select p.org_id, ${KINDS[app].actions} as mask, p.date_expired as until, p.is_active
      and p.date_start <= now() and p.date_expired > now() as holds,
      ${ids('users', 'user_id')} as users, ${ids('user_groups', 'user_group_id')} as user_groups,
        ${ids(`${app}s`, `${app}_id`)} as assets,
      array[]::uuid[] as nodes, ${ids('system_users', 'system_user_id')} as system_users
    from ${sql.table(`${app}_permission`)} p where p.id = ${rule}`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('the permission does not exist');
  const { holds, org_id, ...planned } = row;
  return {
    organizationId: org_id,
    kind: KINDS[app],
    gone: [rule],
    planned: holds ? planned : undefined,
  };
}

/**
 * Makes a change in a transaction that is rolled back. Returns the resulting grants and the result
 * of `read`.
 */
async function tryChange<T>(
  act: (db: Db) => Promise<unknown>,
  app: AppName,
  read: (db: Db) => Promise<T>,
): Promise<readonly [GrantModel, T]> {
  let facts: readonly [GrantModel, T] | undefined;
  const rollback = new Error('rolled back');
  await database.db
    .transaction(async (tx) => {
      await act(tx);
      facts = [await GrantModel.load(tx, app), await read(tx)];
      throw rollback;
    })
    .catch((error: unknown) => {
      if (error !== rollback) throw error;
    });
  if (!facts) throw new Error('nothing was read');
  return facts;
}

/**
 * Compares the predicted differences of a change with the real ones. Returns the number of kinds of
 * difference.
 */
async function comparePrediction(
  world: GrantWorld,
  apps: AppWorld,
  change: AppChange,
): Promise<number> {
  const { app, rules } = apps;
  const compared = { users: world.users, assets: apps.apps };
  const rule = rules[change.rule % rules.length] ?? '';
  const before = await GrantModel.load(database.db, app);
  const [after, plan] = await tryChange(
    (db) => applyAppChange(db, world, apps, change),
    app,
    (db) => planOf(app, rule, db),
  );
  const expected = naiveDifference(compared, before, after);
  expect([change, await predict(plan, KINDS[app])]).toEqual([change, expected]);
  if (change.kind === 'ruleActive') {
    const holds = plan.planned !== undefined;
    const switched: Plan = {
      organizationId: plan.organizationId,
      kind: KINDS[app],
      ...(holds ? { enabled: [rule] } : { gone: [rule] }),
    };
    expect([change, await predict(switched, KINDS[app])]).toEqual([change, expected]);
  }
  return Object.keys(expected).length;
}

/** Compares the prediction for a change of group members. */
async function compareMemberPrediction(
  world: GrantWorld,
  { app, apps }: AppWorld,
  member: { readonly rule: number; readonly other: number },
): Promise<number> {
  const pairs = async (db: Db) =>
    new Set(
      (
        await sql<{
          pair: string;
        }>`select user_group_id || ' ' || user_id as pair from user_group_users`.execute(db)
      ).rows.map(({ pair }) => pair),
    );
  const [before, was] = [await GrantModel.load(database.db, app), await pairs(database.db)];
  const [after, is] = await tryChange(
    (db) => applyGrantChange(db, world, { ...member, kind: 'member', how: 0 }),
    app,
    pairs,
  );
  const joined = [...is].find((pair) => !was.has(pair));
  const left = [...was].find((pair) => !is.has(pair));
  const [group = '', user = ''] = (joined ?? left ?? '').split(' ');
  const expected = naiveDifference({ users: world.users, assets: apps }, before, after);
  const organizationId = world.organizations[world.groups.indexOf(group) % 2] ?? '';
  expect(
    await predict(
      {
        organizationId,
        members: { groups: [group], joining: joined ? [user] : [], leaving: left ? [user] : [] },
      },
      KINDS[app],
    ),
  ).toEqual(expected);
  return Object.keys(expected).length;
}

const numbers = { rule: fc.nat(100), other: fc.nat(100), how: fc.nat(100) };
const change = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      of: fc.constant('app' as const),
      kind: fc.constantFrom(...APP_CHANGES.filter((kind) => kind !== 'appKind')),
      ...numbers,
    }),
  },
  { weight: 1, arbitrary: fc.record({ of: fc.constant('member' as const), ...numbers }) },
);

describe.each(['remote_app', 'database_app'] as const)('of %s', (app) => {
  it('predicts the access that a change of permissions or members grants', {
    timeout: limitOf(300_000),
  }, async () => {
    let differences = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 8, maxLength: 20 }), async (changes) => {
        await sql`truncate remote_app_permission, database_app_permission, remote_app, database_app,
          asset_permission, user_group, asset, node, system_account, account,
          organization cascade`.execute(database.db);
        const world = await buildGrantWorld(database.db);
        const apps = await buildAppWorld(database.db, world, app);
        for (const one of changes) {
          if (one.of === 'member') {
            differences += await compareMemberPrediction(world, apps, one);
            await applyGrantChange(database.db, world, { ...one, kind: 'member' });
          } else {
            differences += await comparePrediction(world, apps, one);
            await applyAppChange(database.db, world, apps, one);
          }
        }
      }),
      { ...runs(4), endOnFailure: true },
    );
    // Changes without any difference would prove nothing.
    expect(differences).toBeGreaterThan(5);
  });
});
