import type { AssetRequest } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { buildDatabaseApp, buildRemoteApp } from '../../../testing/app-builders.ts';
import {
  type BuiltUser,
  buildAsset,
  buildOrganization,
  buildSystemUser,
  buildUser,
} from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { runHousekeeping } from '../../../testing/jobs.ts';
import { startMailbox, useMailbox } from '../../../testing/services/mailbox.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

const URL = 'tickets/request-asset-perm/';

let test: TestProgram;
let organization: string;
let li: BuiltUser;
let user: Client;
let approver: Client;
beforeAll(async () => {
  test = await startTestProgram();
  organization = await buildOrganization(test.db);
  li = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
  const boss = await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] });
  user = await bearer(test, li);
  approver = (await bearer(test, boss)).inOrganization(organization);
});
afterAll(() => test.stop());

const ask = async (more: Json) => {
  const created = await user.post<AssetRequest & Json>(URL, {
    org_id: organization,
    body: 'The numbers do not add up',
    ...more,
  });
  expect([created.status, created.text]).toEqual([201, expect.any(String)]);
  return created.body;
};
const approve = (id: string, body: Json) => approver.post<Json>(`${URL}${id}/approve/`, body);
const read = async (id: string, client = user) =>
  (await client.get<AssetRequest>(`${URL}${id}/`)).body;

const KINDS = [
  {
    target: 'database_app',
    confirmed: 'confirmed_database_apps',
    path: 'database-app-permissions',
    field: 'database_apps',
    granted: 'perms/users/database-apps/',
    protocol: 'mysql',
    build: () =>
      buildDatabaseApp(test.db, {
        organization,
        name: `ledger ${crypto.randomUUID().slice(0, 8)}`,
      }),
  },
  {
    target: 'remote_app',
    confirmed: 'confirmed_remote_apps',
    path: 'remote-app-permissions',
    field: 'remote_apps',
    granted: 'perms/users/remote-apps/',
    protocol: 'rdp',
    build: async () =>
      buildRemoteApp(test.db, {
        organization,
        asset: await buildAsset(test.db, { organization, protocols: ['rdp/3389'] }),
      }),
  },
] as const;

describe.each(KINDS)(
  'requests for $target',
  ({ target, confirmed, path, field, granted, protocol, build }) => {
    it('creates a permission of that kind, which sessions name', async () => {
      const [app, account] = [
        await build(),
        await buildSystemUser(test.db, { organization, protocol }),
      ];
      const { id, ...request } = await ask({
        target,
        application: 'ledger',
        system_user: 'reader',
        is_read_only: true,
        hostname: 'left out',
      });
      expect(request).toMatchObject({
        type: 'request_app',
        target,
        title: 'ledger',
        application: 'ledger',
        hostname: '',
        permission: null,
      });
      expect(request.is_read_only).toBe(target === 'database_app');
      expect((await read(id, approver)).assets_waitlist_url).toMatch(/^\/api\/v1\/applications\//);
      expect(
        (await user.get<Json[]>(`tickets/tickets/?type=request_app&assign=0`)).body.map(
          (row) => row.id,
        ),
      ).toContain(id);

      expect(
        (
          await approve(id, {
            confirmed_assets: [await buildAsset(test.db, { organization })],
            confirmed_system_user: [account],
          })
        ).body.code,
      ).toBe('request_no_apps');
      expect(
        (
          await approve(id, {
            [confirmed]: [crypto.randomUUID()],
            confirmed_system_user: [account],
          })
        ).status,
      ).toBe(400);
      expect(await read(id)).toMatchObject({ status: 'open', permission: null });
      expect(
        (await approve(id, { [confirmed]: [app], confirmed_system_user: [account] })).status,
      ).toBe(200);
      const done = await read(id);
      expect(done).toMatchObject({
        status: 'closed',
        action: 'approve',
        [confirmed]: [app],
        permission: expect.any(String),
      });
      const permission = (await approver.get<Json>(`perms/${path}/${done.permission}/`)).body;
      expect(permission).toMatchObject({
        users: [li.id],
        [field]: [app],
        system_users: [account],
        comment: `/ui/tickets/tickets/${id}`,
      });
      if (target === 'database_app')
        expect(permission).toMatchObject({ is_read_only: true, actions: ['connect'] });
      expect(
        (await user.inOrganization(organization).get<Json[]>(granted)).body.map((row) => row.id),
      ).toContain(app);

      const { rows } = await sql<{ id: string }>`
      insert into session (org_id, "user", asset, "system_user", user_id, asset_id, system_user_id,
        target_kind)
      values (${organization}, 'li', 'ledger', 'reader', ${li.id}, ${app}, ${account}, ${target})
        returning id`.execute(test.db);
      const session = (
        await approver.get<{ requests: Json[] }>(`terminal/sessions/${rows[0]?.id}/`)
      ).body;
      expect(session.requests).toEqual([{ id, name: 'ledger' }]);
    });

    it('reminds the requester before the permission ends', async () => {
      const mailbox = await startMailbox();
      try {
        await useMailbox(await bearer(test), mailbox);
        const [app, account] = [
          await build(),
          await buildSystemUser(test.db, { organization, protocol }),
        ];
        const { id } = await ask({ target, application: 'ledger', title: 'Month end' });
        await approve(id, { [confirmed]: [app], confirmed_system_user: [account] });
        expect((await mailbox.next(`${li.username}@example.com`)).subject).toContain('Month end');
        await sql`update ${sql.table(`${target}_permission`)} set date_expired = now() +
          interval '23 hours', date_start = now() - interval '5 days'
          where comment like ${`%${id}`}`.execute(test.db);
        await runHousekeeping(test, 'request-reminders');
        expect((await mailbox.next(`${li.username}@example.com`)).text).toContain(
          `/core/console/tickets/tickets/${id}`,
        );
      } finally {
        await mailbox.stop();
      }
    });
  },
);

it('rejects a request without the name of an application, or of an unknown kind, on its field', async () => {
  const refused = async (more: Json) =>
    Object.keys((await user.post<Json>(URL, { org_id: organization, body: 'x', ...more })).body);
  expect(await refused({ target: 'database_app', hostname: 'web-1' })).toEqual(['application']);
  expect(await refused({ target: 'secret', application: 'x' })).toEqual(['target']);
  expect(await refused({ application: 'ledger' })).toEqual(['hostname']);
});

it('grants exactly the actions of databases for all actions', async () => {
  const [app, account] = [
    await buildDatabaseApp(test.db, { organization }),
    await buildSystemUser(test.db, { organization, protocol: 'mysql' }),
  ];
  const { id } = await ask({ target: 'database_app', application: 'ledger', actions: ['all'] });
  expect(
    (await approve(id, { confirmed_database_apps: [app], confirmed_system_user: [account] }))
      .status,
  ).toBe(200);
  const { permission } = await read(id);
  expect(
    (await approver.get<Json>(`perms/database-app-permissions/${permission}/`)).body,
  ).toMatchObject({ is_read_only: false });
});
