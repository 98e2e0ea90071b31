import type { AccessChange } from '@sallyport/contract';
import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildAsset, buildGroup, buildUser, unique } from '../../testing/builders.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { answer, buildScene, proposed, type Scene } from './testing/scene.ts';

const SOME = [0, 1, 2] as const;

let test: TestProgram;
let scene: Scene;
let users: string[];
let groups: string[];
let assets: string[];
let accounts: string[];
beforeAll(async () => {
  test = await startTestProgram();
  const { db } = test;
  const each = <T>(make: () => Promise<T>) => Promise.all(SOME.map(make));
  scene = await buildScene(test, {}, async ({ organization }) => {
    const memberOf = [{ organization, role: 'User' as const }];
    users = await each(async () => (await buildUser(db, { memberOf })).id);
    groups = [
      await buildGroup(db, users.slice(0, 2), organization),
      await buildGroup(db, users.slice(1), organization),
    ];
    return '';
  });
  const { organization } = scene;
  assets = await each(() => buildAsset(db, { organization }));
  accounts = [...scene.others];
});
afterAll(() => test.stop());

/** Every access as `user asset account`, by a query that shares nothing with the server. */
async function accesses(): Promise<Set<string>> {
  const { rows } = await sql<{ access: string }>`
    select distinct concat_ws(' ', member.user_id, place.asset_id, account.system_user_id) as access
    from asset_permission p
    join (
      select asset_permission_id as id, user_id from asset_permission_users
      union
      select g.asset_permission_id, m.user_id from asset_permission_user_groups g
      join user_group_users m on m.user_group_id = g.user_group_id
    ) member on member.id = p.id
    join asset_permission_assets place on place.asset_permission_id = p.id
    join asset_permission_system_users account on account.asset_permission_id = p.id
    where p.org_id = ${scene.organization} and p.is_active and p.date_start <= now()
      and p.date_expired > now()`.execute(test.db);
  return new Set(rows.map(({ access }) => access));
}

const withoutAll = (from: ReadonlySet<string>, others: ReadonlySet<string>) =>
  [...from].filter((one) => !others.has(one)).length;

const accessesOf = (changes: readonly AccessChange[], kind: 'gained' | 'lost') =>
  changes.filter((one) => one.kind === kind).reduce((sum, one) => sum + one.accesses, 0);

const some = (min: number) => fc.uniqueArray(fc.constantFrom(...SOME), { minLength: min });
const terms = fc.record({
  users: some(0),
  groups: fc.uniqueArray(fc.constantFrom(0, 1)),
  assets: some(0),
  accounts: some(1),
  isActive: fc.boolean(),
});
const step = fc.record({
  action: fc.constantFrom('create', 'change', 'change', 'delete', 'members'),
  target: fc.nat(10),
  terms,
});

it(
  'predicts the access that users gain and lose when a change set is applied',
  async () => {
    const { proposer, decider, organization } = scene;
    // Only the change sets of this test write, so the state after one is that before the next.
    let before = await accesses();
    await fc.assert(
      fc.asyncProperty(step, async ({ action, target, terms: chosen }) => {
        const { rows: rules } = await sql<{ id: string }>`
          select id from asset_permission where org_id = ${organization}
          order by date_created, id`.execute(test.db);
        const object = rules[target % Math.max(1, rules.length)]?.id ?? '';
        const body = {
          users: chosen.users.map((at) => users[at]),
          user_groups: chosen.groups.map((at) => groups[at]),
          assets: chosen.assets.map((at) => assets[at]),
          system_users: chosen.accounts.map((at) => accounts[at]),
          is_active: chosen.isActive,
        };
        const resource = 'asset_permission';
        const group = groups[target % groups.length] ?? '';
        const set = await proposed(proposer, [
          action === 'members'
            ? {
                resource: 'user_group',
                action: 'change',
                object: group,
                body: { users: body.users },
              }
            : action === 'create' || object === ''
              ? { resource, action: 'create', body: { ...body, name: unique('random') } }
              : action === 'delete'
                ? { resource, action, object }
                : { resource, action: 'change', object, body },
        ]);
        const approved = await answer(decider, set, 'approve');
        expect(approved.status, approved.text).toBe(200);
        const after = await accesses();
        const predicted = set.changes[0]?.access ?? [];
        expect([accessesOf(predicted, 'gained'), accessesOf(predicted, 'lost')]).toEqual([
          withoutAll(after, before),
          withoutAll(before, after),
        ]);
        before = after;
      }),
      runs(50),
    );
  },
  limitOf(120_000),
);
