import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, buildUser, unique } from '../../testing/builders.ts';
import type { Json } from '../../testing/client.ts';
import { signInMember } from '../../testing/roles.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { answer, buildScene, proposed, type Scene } from './testing/scene.ts';

let test: TestProgram;
let scene: Scene & { readonly object: string };
let newcomer: string;
beforeAll(async () => {
  test = await startTestProgram();
  scene = await buildScene(test, {}, async ({ proposer, member }) => {
    const body = { name: unique('team'), users: [member.id] };
    return String((await proposer.post<Json>('users/groups/', body)).body.id);
  });
  const memberOf = [{ organization: scene.organization, role: 'User' as const }];
  newcomer = (await buildUser(test.db, { memberOf })).id;
});
afterAll(() => test.stop());

const members = async () =>
  (await scene.proposer.get<Json>(`users/groups/${scene.object}/`)).body.users;

const proposeMembers = (users: readonly string[]) =>
  proposed(scene.proposer, [
    { resource: 'user_group', action: 'change', object: scene.object, body: { users } },
  ]);

it('applies members of a group once for two approvals at the same time, and undoes them', async () => {
  const { proposer, decider, member } = scene;
  const set = await proposeMembers([member.id, newcomer]);
  const both = await Promise.all([
    answer(decider, set, 'approve'),
    answer(decider, set, 'approve'),
  ]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await members()).toHaveLength(2);
  expect((await answer(decider, set, 'approve')).body.code).toBe('change_set_decided');
  const undone = await proposer.post<Json>(`change-sets/${set.id}/undo/`, { reason: 'A test.' });
  expect(undone.status, undone.text).toBe(201);
  const undo = { id: String(undone.body.id) };
  expect((await answer(proposer, undo, 'approve')).body.code).toBe('change_set_own');
  expect((await answer(decider, undo, 'approve')).status).toBe(200);
  expect(await members()).toEqual([member.id]);
});

it('refuses a proposal of members when the group changed since', async () => {
  const { decider, member } = scene;
  const first = await proposeMembers([]);
  const second = await proposeMembers([member.id, newcomer]);
  expect((await answer(decider, first, 'approve')).status).toBe(200);
  expect((await answer(decider, second, 'approve')).body.code).toBe('change_set_stale');
  expect(await members()).toEqual([]);
});

it('refuses members by way of another organization', async () => {
  const { db } = test;
  const { object, proposer } = scene;
  const elsewhere = await buildOrganization(db);
  const stranger = await signInMember(test, elsewhere);
  const set = await proposeMembers([newcomer]);
  expect((await answer(stranger, set, 'approve')).status).toBe(404);
  const free = await stranger.post<Json>('users/groups/', { name: unique('free') });
  expect(free.status, free.text).toBe(201);
  const moves = [
    sql`update user_group set org_id = ${elsewhere} where id = ${object}`,
    sql`update user_group set org_id = ${scene.organization} where id = ${free.body.id}`,
  ];
  for (const move of moves) await expect(move.execute(db)).rejects.toMatchObject({ code: 'SP001' });
  expect((await answer(proposer, set, 'withdraw')).status).toBe(200);
});
