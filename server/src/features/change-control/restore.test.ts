import { afterAll, beforeAll, expect, it } from 'vitest';
import { unique } from '../../testing/builders.ts';
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
