import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import {
  APP_CHANGES,
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
import { appAccounts, checkApp, isAppGranted } from './accounts.ts';
import { DATABASE_APPS, type GrantKind, REMOTE_APPS } from './kind.ts';
import {
  generalObstacles,
  nearestPermissions,
  pathsBetween,
  pathsOfGroup,
  usersReaching,
} from './paths.ts';

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
const textOf = ({
  permission,
  group,
  node,
  accounts,
}: Awaited<ReturnType<typeof pathsBetween>>[number]) =>
  `${permission} ${group} ${node} ${accounts.map(({ id }) => id).sort()}`;

/**
 * Compares every answer about applications with a model that implements the specification
 * literally.
 */
async function compare(world: GrantWorld, { app, apps, systemUsers }: AppWorld): Promise<number> {
  const { db } = database;
  const kind = KINDS[app];
  const model = await GrantModel.load(db, app);
  let granted = 0;
  for (const userId of world.users) {
    for (const organizationId of [undefined, ...world.organizations]) {
      const { rows } = await sql<{
        id: string;
      }>`select t.id from ${sql.table(app)} t
        where ${isAppGranted(kind, { userId, organizationId })}`.execute(db);
      expect(rows.map(({ id }) => id).sort()).toEqual(model.assetsOf(userId, organizationId));
    }
    for (const appId of apps) {
      const expected = model.accountsOf(userId, appId);
      granted += expected.length;
      const accounts = await appAccounts(kind, { userId, organizationId: undefined }, appId, db);
      expect(
        accounts.map(({ id, mask, rules }) => ({ id, mask, rules: [...rules] })).reverse(),
      ).toEqual(expected);
      const [account = ''] = systemUsers;
      const checked = await checkApp(kind, { userId, appId, systemUserId: account }, db);
      expect(checked?.rules).toEqual(expected.find(({ id }) => id === account)?.rules);
      for (const organization of world.organizations)
        await compareExplanations(model, kind, { userId, appId, organization });
    }
  }
  for (const organization of world.organizations) {
    for (const groupId of world.groups) {
      const paths = await pathsOfGroup(groupId, apps, { organization, kind }, db);
      for (const userId of world.users.filter(
        (one) => model.isMember(one, groupId) && model.isValid(one),
      )) {
        const byGroup = apps
          .flatMap((appId) => model.pathsOf(userId, appId, organization))
          .filter((path) => path.split(' ')[1] === groupId);
        expect(paths.map(textOf).sort()).toEqual(byGroup.sort());
      }
    }
  }
  return granted;
}

interface UserOnApp {
  readonly userId: string;
  readonly appId: string;
  readonly organization: string;
}

/** Compares the paths and obstacles of a user on an application. */
async function compareExplanations(
  model: GrantModel,
  kind: GrantKind,
  { userId, appId, organization }: UserOnApp,
): Promise<void> {
  const { db } = database;
  const paths = await pathsBetween([userId], [appId], { organization, kind }, db);
  expect(paths.map(textOf).sort()).toEqual(model.pathsOf(userId, appId, organization));
  const reaching = await usersReaching(
    appId,
    { search: '%', limit: 10, offset: 0 },
    { organization, kind },
    db,
  );
  const canUse = model.accountsOf(userId, appId, organization).length > 0;
  expect([reaching.users.some(({ id }) => id === userId), reaching.count]).toEqual([
    canUse,
    reaching.users.length,
  ]);
  const near = await nearestPermissions(userId, appId, { organization, kind }, db);
  const expected = model.obstaclesOf(userId, appId, organization);
  expect(near.length).toBe(Math.min(5, Object.keys(expected).length));
  for (const { id, obstacles } of near) expect(obstacles).toEqual(expected[id]);
  // Without general obstacles and with a usable path, the application is granted.
  if (
    (await generalObstacles(userId, appId, db, kind)).length === 0 &&
    paths.some(({ accounts }) => accounts.length > 0)
  )
    expect(canUse).toBe(true);
}

async function startOver(
  app: AppName,
): Promise<{ readonly world: GrantWorld; readonly apps: AppWorld }> {
  await sql`truncate remote_app_permission, database_app_permission, remote_app, database_app,
    asset_permission, user_group, asset, node, system_account, account,
    organization cascade`.execute(database.db);
  const world = await buildGrantWorld(database.db);
  return { world, apps: await buildAppWorld(database.db, world, app) };
}

/** Changes outside of the permissions that affect grants. */
const AROUND = ['member', 'userActive', 'assetActive', 'protocols'] as const;
const numbers = { rule: fc.nat(100), other: fc.nat(100), how: fc.nat(100) };
const change = fc.oneof(
  fc.record({ of: fc.constant('app' as const), kind: fc.constantFrom(...APP_CHANGES), ...numbers }),
  fc.record({ of: fc.constant('world' as const), kind: fc.constantFrom(...AROUND), ...numbers }),
);

describe.each(['remote_app', 'database_app'] as const)('%s', (app) => {
  it('grants applications in the initial world, so that comparisons are meaningful', async () => {
    const { world, apps } = await startOver(app);
    expect(await compare(world, apps)).toBeGreaterThan(5);
  });

  it('grants the applications of the naive model after every change', {
    timeout: limitOf(300_000),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 4, maxLength: 12 }), async (changes) => {
        const { world, apps } = await startOver(app);
        for (const one of changes) {
          if (one.of === 'app') await applyAppChange(database.db, world, apps, one);
          else await applyGrantChange(database.db, world, one);
        }
        await compare(world, apps);
      }),
      { ...runs(2), endOnFailure: true },
    );
  });
});
