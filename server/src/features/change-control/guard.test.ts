import { CONTROLLED_RESOURCES, RESOURCES } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeByTicket } from '../../platform/change-gate.ts';
import { sql } from '../../platform/db/sql.ts';
import { buildAsset, buildOrganization, buildUser, unique } from '../../testing/builders.ts';
import type { Answer, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { answer, buildScene, proposed, type Scene } from './testing/scene.ts';

let test: TestProgram;
let scene: Scene;
beforeAll(async () => {
  test = await startTestProgram();
  scene = await buildScene(test);
});
afterAll(() => test.stop());

/**
 * Tables whose rows follow a controlled row without deciding on access in the organization.
 * Sign-in rules and mappings belong to the installation.
 */
const FOLLOWING = new Set([
  'asset_permission_removed',
  'group_mapping_user_groups',
  // The first connection pins a key; the guard of host keys has its own test.
  'host_key',
  'permission_use',
  'provider_membership',
  'scim_group',
  'sign_in_rule_user_groups',
  // An identity that has joined is never replaced; see the tests of sites.
  'site_identity',
  'site_tunnel',
  'system_user_push',
  'system_user_push_wanted',
  'database_password',
  'cluster_token',
]);

const PERMISSIONS = 'perms/asset-permissions/';

/** Returns all controlled rows of the organization, to compare them before and after. */
async function controlledRows() {
  const rows: Json = {};
  for (const name of CONTROLLED_RESOURCES) {
    const { table = '' } = RESOURCES.find((one) => one.name === name) ?? {};
    const stored = await sql`select to_jsonb(t) from ${sql.table(table)} t
      where org_id = ${scene.organization} order by id`.execute(test.db);
    rows[name] = stored.rows;
  }
  const links = await sql`select * from asset_permission_users
    where asset_permission_id = ${scene.permission} order by id`.execute(test.db);
  const members = await sql`select m.* from user_group_users m
    join user_group g on g.id = m.user_group_id
    where g.org_id = ${scene.organization} order by 1, 2`.execute(test.db);
  return { ...rows, links: links.rows, members: members.rows };
}

async function refuses(work: () => Promise<Answer<Json>>) {
  const before = await controlledRows();
  const { status, body, text } = await work();
  expect([status, body.code], text).toEqual([409, 'change_must_be_proposed']);
  expect(await controlledRows()).toEqual(before);
}

const newRule = () => ({
  name: unique('new'),
  users: [scene.member.id],
  assets: [scene.asset],
  system_users: [scene.account],
});

describe('the guard', () => {
  it('covers the table of each controlled resource and each table that is deleted with its rows', async () => {
    const tables = CONTROLLED_RESOURCES.map(
      (name) => RESOURCES.find((one) => one.name === name)?.table ?? '',
    );
    const { rows } = await sql<{ name: string; guarded: boolean }>`
      with recursive held as (
        select c.oid, c.relname from pg_class c
        where c.relname = any (${tables}) and c.relkind = 'r'
          and c.relnamespace = 'public'::regnamespace
        union
        select other.oid, other.relname from held
        join pg_constraint k on k.confrelid = held.oid and k.contype = 'f' and k.confdeltype = 'c'
        join pg_class other on other.oid = k.conrelid
      )
      select held.relname as name, exists (select 1 from pg_trigger t
        join pg_proc p on p.oid = t.tgfoid
        where t.tgrelid = held.oid and p.proname like 'guard\\_%' and t.tgenabled = 'O'
          -- A row trigger, before, for insert, update and delete.
          and t.tgtype & 31 = 31) as guarded
      from held order by 1`.execute(test.db);
    expect(rows.length).toBeGreaterThan(tables.length);
    const unguarded = rows.filter(({ guarded }) => !guarded).map(({ name }) => name);
    expect(unguarded.sort()).toEqual([...FOLLOWING].sort());
  });

  it('refuses single writes in both languages', async () => {
    const { proposer, permission, condition, filter } = scene;
    await refuses(() => proposer.post(PERMISSIONS, newRule()));
    await refuses(() => proposer.patch(`${PERMISSIONS}${permission}/`, { is_active: false }));
    await refuses(() => proposer.patch(`${PERMISSIONS}${permission}/`, { users: [] }));
    await refuses(() => proposer.put(`${PERMISSIONS}${permission}/`, newRule()));
    await refuses(() => proposer.delete(`${PERMISSIONS}${permission}/`));
    await refuses(() => proposer.patch(`perms/conditions/${condition}/`, { comment: 'x' }));
    await refuses(() => proposer.delete(`perms/conditions/${condition}/`));
    await refuses(() =>
      proposer.post('perms/networks/', { name: 'office', networks: ['10.0.0.0/8'] }),
    );
    await refuses(() => proposer.patch(`assets/cmd-filters/${filter}/`, { is_active: false }));
    await refuses(() => proposer.delete(`assets/cmd-filters/${filter}/`));
    await refuses(() =>
      proposer.post(`assets/cmd-filters/${filter}/rules/`, { type: 'command', content: 'rm' }),
    );
    await refuses(() =>
      proposer.post('perms/emergency-access/', { ...newRule(), reviewers: [scene.proposerId] }),
    );
    const chinese = await proposer
      .with({ 'accept-language': 'zh' })
      .delete<Json>(`${PERMISSIONS}${permission}/`);
    expect(chinese.body.detail).toContain('变更申请');
  });

  it('refuses batches, pairs, files and wanted objects', async () => {
    const { proposer, permission, member, account } = scene;
    await refuses(() => proposer.post(PERMISSIONS, [newRule(), newRule()]));
    await refuses(() => proposer.patch(PERMISSIONS, [{ id: permission, is_active: false }]));
    await refuses(() =>
      proposer.delete(
        `perms/asset-permissions-users-relations/?assetpermission=${permission}&user=${member.id}`,
      ),
    );
    await refuses(() =>
      proposer.post('perms/asset-permissions-system-users-relations/', {
        assetpermission: permission,
        systemuser: scene.others[0],
      }),
    );
    const pairs = 'perms/asset-permissions-users-relations';
    const { body: own } = await proposer.get<Json[]>(`${pairs}/?assetpermission=${permission}`);
    const elsewhere = { user: scene.proposerId };
    await refuses(() => proposer.patch(`${pairs}/${own[0]?.id}/`, elsewhere));
    await refuses(() => proposer.patch(`${pairs}/`, [{ id: own[0]?.id, ...elsewhere }]));
    const file = `name,users,assets,system_users\n${unique('file')},${member.id},${scene.asset},${account}\n`;
    await refuses(() => proposer.send('POST', PERMISSIONS, file, 'text/csv'));
    await refuses(() =>
      proposer.send(
        'PUT',
        PERMISSIONS,
        `id,name,users,assets,system_users\n${permission},renamed,${member.id},${scene.asset},${account}\n`,
        'text/csv',
      ),
    );
    const before = await controlledRows();
    const applied = await proposer.post<Json>('common/resources/apply/', {
      objects: [{ kind: 'command_filter', state: 'present', fields: { name: unique('wanted') } }],
      apply: true,
    });
    expect([applied.status, applied.text]).toEqual([
      400,
      expect.stringContaining('A second administrator decides'),
    ]);
    expect(await controlledRows()).toEqual(before);
  });

  it('refuses members of groups by forms of groups and users, pairs, files and statements', async () => {
    const { db } = test;
    const own = await buildScene(test, {}, async ({ proposer, member }) => {
      const answered = await proposer.post<Json>('users/groups/', {
        name: unique('team'),
        users: [member.id],
      });
      return String(answered.body.id);
    });
    const { proposer, member, organization, object: group } = own;
    const other = await buildUser(db, { memberOf: [{ organization, role: 'User' }] });
    const members = async () => (await proposer.get<Json>(`users/groups/${group}/`)).body.users;
    const attempts: (() => Promise<Answer<Json>>)[] = [
      () => proposer.patch(`users/groups/${group}/`, { users: [member.id, other.id] }),
      () => proposer.patch(`users/groups/${group}/`, { users: [] }),
      () => proposer.patch(`users/groups/${group}/`, { name: unique('renamed') }),
      () => proposer.post('users/groups/', { name: unique('new'), users: [other.id] }),
      () => proposer.patch(`users/users/${other.id}/`, { groups: [group] }),
      () => proposer.patch(`users/users/${member.id}/`, { groups: [] }),
      () => proposer.post('users/users-groups-relations/', { user: other.id, usergroup: group }),
      () => proposer.delete(`users/groups/${group}/`),
      () =>
        proposer.send(
          'PUT',
          'users/groups/',
          `id,name,users\n${group},x,${other.id}\n`,
          'text/csv',
        ),
    ];
    for (const [index, attempt] of attempts.entries()) {
      const { status, body, text } = await attempt();
      expect([index, status, body.code], text).toEqual([index, 409, 'change_must_be_proposed']);
      expect(await members()).toEqual([member.id]);
    }
    await expect(
      sql`insert into user_group_users (user_group_id, user_id)
        values (${group}, ${other.id})`.execute(db),
    ).rejects.toMatchObject({ code: 'SP001' });
    const set = await proposed(proposer, [
      {
        resource: 'user_group',
        action: 'change',
        object: group,
        body: { users: [member.id, other.id] },
      },
    ]);
    expect((await answer(proposer, set, 'approve')).status).toBe(403);
    expect((await answer(own.decider, set, 'approve')).status).toBe(200);
    expect(await members()).toHaveLength(2);
  });

  it('refuses each object of a bulk change', async () => {
    const { proposer } = scene;
    const before = await controlledRows();
    const set = await proposer.post<{ spm: string } & Json>('common/resources/matching/', {
      resource: 'asset_permission',
      query: '',
    });
    for (const change of [
      { action: 'update', changes: { is_active: false } },
      { action: 'delete' },
    ]) {
      const started = await proposer.post<{ job: string } & Json>('common/resources/bulk/', {
        resource: 'asset_permission',
        spm: set.body.spm,
        ...change,
      });
      expect(started.status, started.text).toBe(201);
      const job = async () => (await proposer.get<Json>(`common/jobs/${started.body.job}/`)).body;
      await until(
        async () => !['queued', 'running'].includes(String((await job()).state)),
        'the job is over',
      );
      const log = await proposer.get<Json>(`common/jobs/${started.body.job}/log/`);
      expect(log.text).toContain('A second administrator decides');
      expect(await controlledRows()).toEqual(before);
    }
  });

  it('refuses an administrator of the installation, inside and outside of the organization', async () => {
    const admin = await bearer(test);
    await refuses(() =>
      admin
        .inOrganization(scene.organization)
        .patch(`${PERMISSIONS}${scene.permission}/`, { is_active: false }),
    );
    const elsewhere = await admin.patch<Json>(`${PERMISSIONS}${scene.permission}/`, {
      is_active: false,
    });
    expect(elsewhere.status).toBe(404);
  });

  it('refuses statements that no engine wrote', async () => {
    const { db } = test;
    const statements = [
      sql`update asset_permission set is_active = false where id = ${scene.permission}`,
      sql`update asset_permission set org_id = '' where id = ${scene.permission}`,
      sql`delete from asset_permission_users where asset_permission_id = ${scene.permission}`,
      sql`delete from change_control where org_id = ${scene.organization}`,
      sql`update change_control set org_id = 'x' where org_id = ${scene.organization}`,
    ];
    for (const statement of statements)
      await expect(statement.execute(db)).rejects.toMatchObject({ code: 'SP001' });
  });

  it('leaves other organizations as they were', async () => {
    const organization = await buildOrganization(test.db);
    const admin = (await bearer(test)).inOrganization(organization);
    const created = await admin.post<Json>('perms/conditions/', { name: unique('free') });
    expect(created.status, created.text).toBe(201);
    expect((await admin.delete(`perms/conditions/${created.body.id}/`)).status).toBe(204);
  });

  it('lets users and assets be deleted, and their links follow', async () => {
    const { db } = test;
    const own = await buildScene(test);
    const { proposer, organization } = own;
    const other = await buildUser(db, { memberOf: [{ organization, role: 'User' }] });
    const asset = await buildAsset(db, { organization });
    const joined = await proposed(proposer, [
      {
        resource: 'user_group',
        action: 'create',
        body: { name: unique('group'), users: [own.member.id, other.id] },
      },
    ]);
    expect((await answer(own.decider, joined, 'approve')).status).toBe(200);
    const [{ id: group = '' } = {}] = (await proposer.get<{ id: string }[]>('users/groups/')).body;
    const set = await proposed(proposer, [
      {
        resource: 'asset_permission',
        action: 'change',
        object: own.permission,
        body: { user_groups: [group], assets: [own.asset, asset] },
      },
    ]);
    const approved = await answer(own.decider, set, 'approve');
    expect(approved.status, approved.text).toBe(200);
    expect((await proposer.delete(`assets/assets/${asset}/`)).status).toBe(204);
    const left = await proposer.delete<Json>(`users/users/${own.member.id}/`);
    expect(left.status, left.text).toBe(204);
    expect((await proposer.get<Json>(`users/groups/${group}/`)).body.users).toEqual([other.id]);
    const dissolved = await proposed(proposer, [
      { resource: 'user_group', action: 'delete', object: String(group) },
    ]);
    expect(dissolved.changes[0]?.access).toMatchObject([{ kind: 'lost', accesses: 1 }]);
    expect((await answer(own.decider, dissolved, 'approve')).status).toBe(200);
    const { body } = await proposer.get<Json>(`${PERMISSIONS}${own.permission}/`);
    expect([body.users, body.user_groups, body.assets]).toEqual([[], [], [own.asset]]);
  });

  it('lets emergency access open and end by a rule that was approved, and nothing more by its ticket', async () => {
    const { db } = test;
    const own = await buildScene(test);
    const { proposer, decider, member, asset, account, organization } = own;
    const set = await proposed(proposer, [
      {
        resource: 'emergency_access',
        action: 'create',
        body: {
          name: unique('emergency'),
          users: [member.id],
          assets: [asset],
          system_users: [account],
          reviewers: [own.proposerId],
        },
      },
    ]);
    const approved = await answer(decider, set, 'approve');
    expect(approved.status, approved.text).toBe(200);
    const [rule] = (await proposer.get<Json[]>('perms/emergency-access/')).body;
    const user = (await bearer(test, member)).inOrganization(organization);
    const opened = await user.post<Json>('perms/users/emergency-access/', {
      rule: rule?.id,
      asset,
      minutes: 30,
      reason: 'It is down',
    });
    expect(opened.status, opened.text).toBe(201);
    const again = db.transaction(async (tx) => {
      await writeByTicket(String(opened.body.ticket), tx);
      await sql`insert into asset_permission (org_id, name, date_expired)
        values (${organization}, 'by the ticket', now())`.execute(tx);
    });
    await expect(again).rejects.toMatchObject({ code: 'SP001' });
    const ended = await user.post(`tickets/emergency/${opened.body.ticket}/end/`);
    expect(ended.status, ended.text).toBe(200);
    const { rows } = await sql<{ active: boolean }>`
      select is_active as active from asset_permission where org_id = ${organization}
        and name like 'Emergency%'`.execute(db);
    expect(rows).toEqual([{ active: false }]);
  });
});
