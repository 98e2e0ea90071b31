import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import {
  buildAppPermission,
  buildDatabaseApp,
  buildRemoteApp,
} from '../../../testing/app-builders.ts';
import {
  type BuiltUser,
  buildAsset,
  buildGroup,
  buildSystemUser,
  buildUser,
} from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
let user: BuiltUser;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());
beforeEach(async () => {
  user = await buildUser(test.db);
});

type Answer = {
  readonly consequences: readonly {
    readonly kind: string;
    readonly count: number;
    readonly names: readonly string[];
  }[];
} & Json;
/** Counts of the consequences, by kind. */
const counts = async (body: Json) =>
  Object.fromEntries(
    (await admin.post<Answer>('perms/consequences/', body)).body.consequences.map(
      ({ kind, count }) => [kind, count],
    ),
  );

/** Inserts an open session on an application, without a gateway. */
const openSession = (kind: string, app: string, systemUser: string, by = user) =>
  sql`insert into session (org_id, "user", asset, "system_user", user_id, asset_id, system_user_id,
    target_kind)
    values ('', ${by.username}, 'the app', 'reader', ${by.id}, ${app}, ${systemUser},
      ${kind})`.execute(test.db);

const KINDS = [
  { kind: 'database_app', protocol: 'mysql', build: () => buildDatabaseApp(test.db) },
  {
    kind: 'remote_app',
    protocol: 'rdp',
    build: async () =>
      buildRemoteApp(test.db, { asset: await buildAsset(test.db, { protocols: ['rdp/3389'] }) }),
  },
] as const;

it.each(KINDS)(
  'counts sessions that end when a permission of $kind is saved, disabled or deleted',
  async ({ kind, protocol, build }) => {
    const [app, other, account] = [
      await build(),
      await build(),
      await buildSystemUser(test.db, { protocol }),
    ];
    const rule = await buildAppPermission(test.db, kind, {
      users: [user.id],
      apps: [app, other],
      systemUsers: [account],
    });
    await openSession(kind, app, account);
    const resource = `${kind}_permission`;
    for (const action of ['delete', 'disable'])
      expect([action, await counts({ action, resource, ids: [rule] })]).toEqual([
        action,
        { sessions_cut: 1 },
      ]);
    const { body } = await admin.post<Answer>('perms/consequences/', {
      action: 'disable',
      resource,
      ids: [rule],
    });
    expect(body.consequences[0]?.names).toEqual([`${user.username} → the app`]);
    const save = (apps: readonly string[], more: Json = {}) =>
      counts({
        action: 'save',
        resource,
        ids: [rule],
        users: [user.id],
        [`${kind}s`]: apps,
        system_users: [account],
        actions: ['connect'],
        ...more,
      });
    expect(await save([app, other])).toEqual({});
    expect(await save([other])).toEqual({ sessions_cut: 1 });
    expect(await save([app], { is_active: false })).toEqual({ sessions_cut: 1 });
    // A session that another permission allows continues.
    const group = await buildGroup(test.db, [user.id]);
    await buildAppPermission(test.db, kind, {
      groups: [group],
      apps: [app],
      systemUsers: [account],
    });
    expect(await save([other])).toEqual({});
    // The preview changes nothing.
    const { rows } =
      await sql`select 1 from session where user_id = ${user.id} and not is_finished`.execute(
        test.db,
      );
    expect(rows).toHaveLength(1);
  },
);

it.each(KINDS)(
  'counts sessions on $kind that end when users leave a group or the application is deleted',
  async ({ kind, protocol, build }) => {
    const [app, account, group] = [
      await build(),
      await buildSystemUser(test.db, { protocol }),
      await buildGroup(test.db, [user.id]),
    ];
    await buildAppPermission(test.db, kind, {
      groups: [group],
      apps: [app],
      systemUsers: [account],
    });
    await openSession(kind, app, account);
    expect(
      await counts({
        action: 'remove_members',
        resource: 'user_group',
        ids: [group],
        users: [user.id],
      }),
    ).toMatchObject({ sessions_cut: 1 });
    expect(
      await counts({ action: 'save', resource: 'user_group', ids: [group], users: [] }),
    ).toMatchObject({ sessions_cut: 1 });
    expect(await counts({ action: 'delete', resource: 'user_group', ids: [group] })).toMatchObject({
      sessions_cut: 1,
    });
    expect(await counts({ action: 'delete', resource: kind, ids: [app] })).toEqual({
      sessions_cut: 1,
      permissions_naming: 1,
      people_losing: 1,
    });
  },
);

it('counts sessions on remote apps that end when their host is disabled or deleted', async () => {
  const asset = await buildAsset(test.db, { protocols: ['rdp/3389'] });
  const [app, account] = [
    await buildRemoteApp(test.db, { asset }),
    await buildSystemUser(test.db, { protocol: 'rdp' }),
  ];
  await openSession('remote_app', app, account);
  for (const action of ['disable', 'delete'])
    expect(await counts({ action, resource: 'asset', ids: [asset] })).toMatchObject({
      sessions_cut: 1,
    });
});
