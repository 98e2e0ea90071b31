import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import {
  buildAsset,
  buildGroup,
  buildOrganization,
  buildSystemUser,
  buildUser,
  unique,
} from '../../testing/builders.ts';
import type { Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { answer, buildScene, proposed } from './testing/scene.ts';

let test: TestProgram;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());

it('restores a controlled permission by a change set that another administrator approves', async () => {
  const { proposer, decider, permission } = await buildScene(test);
  const gone = await proposed(proposer, [
    { resource: 'asset_permission', action: 'delete', object: permission },
  ]);
  expect((await answer(decider, gone, 'approve')).status).toBe(200);
  const path = `common/deleted-objects/${permission}/`;
  const direct = await proposer.post<Json>(`${path}restore/`);
  expect([direct.status, direct.body.code]).toEqual([409, 'change_must_be_proposed']);
  expect((await proposer.get(path)).status).toBe(200);

  const name = unique('restored');
  const set = await proposed(proposer, [
    { resource: 'asset_permission', action: 'restore', object: permission, body: { name } },
  ]);
  expect(set.changes).toMatchObject([
    { action: 'restore', object: permission, name, access: [{ kind: 'gained' }] },
  ]);
  expect((await proposer.get(path)).status).toBe(200);
  expect((await answer(proposer, set, 'approve')).status).toBe(403);
  const approved = await answer(decider, set, 'approve');
  expect(approved.status, approved.text).toBe(200);
  expect((await proposer.get<Json>(`perms/asset-permissions/${permission}/`)).body.name).toBe(name);
  expect((await proposer.get(path)).status).toBe(404);
});

it('restores a user without the links of controlled permissions, and names these', async () => {
  const { proposer, member, permission, organization } = await buildScene(test);
  const admin = await bearer(test);
  expect((await admin.delete(`users/users/${member.id}/`)).status).toBe(204);
  const restored = await admin.post<Json>(`common/deleted-objects/${member.id}/restore/`);
  expect(restored.status, restored.text).toBe(200);
  expect(restored.body.missing).toEqual([expect.stringContaining('Asset permission')]);
  const inside = admin.inOrganization(organization);
  expect((await inside.get(`users/users/${member.id}/`)).status).toBe(200);
  const rule = await proposer.get<Json>(`perms/asset-permissions/${permission}/`);
  expect(rule.body.users).toEqual([]);
});

it('restores a group without its emergency access, which the decider does not see', async () => {
  const { db } = test;
  let rule = '';
  const { proposer, decider, member, object } = await buildScene(test, {}, async (scene) => {
    const { organization } = scene;
    const group = await buildGroup(db, [scene.member.id], organization);
    const reviewer = await buildUser(db, { memberOf: [{ organization, role: 'Admin' }] });
    const created = await scene.proposer.post<Json>('perms/emergency-access/', {
      name: unique('emergency'),
      user_groups: [group],
      assets: [await buildAsset(db, { organization })],
      system_users: [await buildSystemUser(db, { organization })],
      reviewers: [reviewer.id],
    });
    expect(created.status, created.text).toBe(201);
    rule = String(created.body.id);
    return group;
  });
  for (const action of ['delete', 'restore'] as const) {
    const set = await proposed(proposer, [{ resource: 'user_group', action, object }]);
    const approved = await answer(decider, set, 'approve');
    expect(approved.status, approved.text).toBe(200);
  }
  expect((await proposer.get<Json>(`users/groups/${object}/`)).body.users).toEqual([member.id]);
  const { body } = await proposer.get<Json>(`perms/emergency-access/${rule}/`);
  expect(body.user_groups).toEqual([]);
});

it('restores a user without offices in organizations, which the decider does not see', async () => {
  const { db } = test;
  const [first, second] = [
    await bearer(test),
    await bearer(test, await buildUser(db, { role: 'Admin' })),
  ];
  const [office, other] = [await buildOrganization(db), await buildOrganization(db)];
  const { id } = await buildUser(db, {
    memberOf: [
      { organization: office, role: 'Admin' },
      { organization: other, role: 'User' },
    ],
  });
  expect((await first.delete(`users/users/${id}/`)).status).toBe(204);
  const on = await first.put<Json>('change-control/', { is_on: true });
  expect(on.status, on.text).toBe(200);
  const set = await proposed(first, [{ resource: 'user', action: 'restore', object: id }]);
  const approved = await answer(second, set, 'approve');
  expect(approved.status, approved.text).toBe(200);
  const { rows } = await sql<{ organization_id: string; role: string }>`
    select organization_id, role from organization_member where user_id = ${id}`.execute(db);
  expect(rows).toEqual([{ organization_id: other, role: 'User' }]);
});
