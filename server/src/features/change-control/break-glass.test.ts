import type { AttentionItem, ChangeControl, ChangeSetDetail } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { Client, Json } from '../../testing/client.ts';
import { signInMember } from '../../testing/roles.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { answer, buildScene, proposed, type Scene, switchingOff } from './testing/scene.ts';

let test: TestProgram;
let scene: Scene;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());
beforeEach(async () => {
  scene = await buildScene(test, { allows_break_glass: true });
});

const isActive = async () =>
  (await scene.proposer.get<Json>(`perms/asset-permissions/${scene.permission}/`)).body.is_active;
const codeOf = ({ status, body }: { status: number; body: Json }) => [status, body.code];
const waitingFor = async (client: Client) =>
  (await client.get<AttentionItem[]>('common/attention/')).body.filter(
    ({ kind }) => kind === 'waiting_change_sets',
  );
const read = async (client: Client, { id }: Pick<ChangeSetDetail, 'id'>) =>
  (await client.get<ChangeSetDetail>(`change-sets/${id}/`)).body;

it('applies an own change set at once, tells the others, and waits for the review of one of them', async () => {
  const { proposer, decider } = scene;
  const set = await proposed(proposer, [switchingOff(scene)]);
  expect([set.can_break_glass, (await read(decider, set)).can_break_glass]).toEqual([true, false]);
  const applied = await answer(proposer, set, 'break-glass', 'The account is being abused.');
  expect(applied.body, applied.text).toMatchObject({
    state: 'applied',
    is_emergency: true,
    comment: 'The account is being abused.',
    date_reviewed: null,
  });
  expect(await isActive()).toBe(false);
  const { body: news } = await decider.get<Json[]>('users/notifications/?kind=change_emergency');
  expect(news.map(({ resource_id: id }) => id)).toEqual([set.id]);
  expect(await waitingFor(decider)).toMatchObject([{ count: 1, examples: [{ id: set.id }] }]);
  expect(await waitingFor(proposer)).toEqual([]);

  // Only another administrator reviews it, once.
  expect(codeOf(await answer(proposer, set, 'review'))).toEqual([403, 'change_set_own']);
  const outside = await signInMember(test, (await buildScene(test)).organization);
  expect((await answer(outside, set, 'review')).status).toBe(404);
  const reviewed = await answer(decider, set, 'review', 'Right.');
  expect(reviewed.body, reviewed.text).toMatchObject({ review_comment: 'Right.' });
  expect(reviewed.body.date_reviewed).not.toBeNull();
  expect(await waitingFor(decider)).toEqual([]);
  expect(codeOf(await answer(decider, set, 'review'))).toEqual([409, 'change_set_not_reviewed']);
  const { rows } = await sql<{ changes: Json }>`
    select changes from operate_log where resource_id = ${set.id} order by sequence`.execute(
    test.db,
  );
  expect(JSON.stringify(rows)).toContain('applied at once');
  expect(JSON.stringify(rows)).toContain('reviewed');
});

it('refuses break-glass without a comment, by others, for the control itself, and where it is not allowed', async () => {
  const { proposer, decider } = scene;
  const set = await proposed(proposer, [switchingOff(scene)]);
  const silent = await answer(proposer, set, 'break-glass', ' ');
  expect([silent.status, Object.keys(silent.body)]).toEqual([400, ['comment']]);
  expect(codeOf(await answer(decider, set, 'break-glass', 'x'))).toEqual([
    403,
    'change_set_not_own',
  ]);
  const off = await proposed(proposer, [], { turns_off: true });
  expect(codeOf(await answer(proposer, off, 'break-glass', 'x'))).toEqual([
    409,
    'change_set_no_break_glass',
  ]);
  // The choice is part of the control, so it cannot change without a second administrator.
  const { body } = await proposer.put<ChangeControl>('change-control/', {
    is_on: true,
    allows_break_glass: false,
  });
  expect(body.allows_break_glass).toBe(true);

  scene = await buildScene(test);
  const strict = await proposed(scene.proposer, [switchingOff(scene)]);
  expect(strict.can_break_glass).toBe(false);
  expect(codeOf(await answer(scene.proposer, strict, 'break-glass', 'x'))).toEqual([
    409,
    'change_set_no_break_glass',
  ]);
  await scene.proposer.put('change-control/', { is_on: true, allows_break_glass: true });
  expect((await read(scene.proposer, strict)).can_break_glass).toBe(false);
  expect(await isActive()).toBe(true);
});

it('refuses a set that was decided, and one whose consequences differ now', async () => {
  const { proposer, decider } = scene;
  const first = await proposed(proposer, [switchingOff(scene)]);
  const second = await proposed(proposer, [
    { ...switchingOff(scene), body: { comment: 'another' } },
  ]);
  expect((await answer(proposer, first, 'break-glass', 'Now.')).status).toBe(200);
  expect(codeOf(await answer(proposer, first, 'break-glass', 'Now.'))).toEqual([
    409,
    'change_set_decided',
  ]);
  expect(codeOf(await answer(proposer, second, 'break-glass', 'Now.'))).toEqual([
    409,
    'change_set_consequences',
  ]);
  expect(codeOf(await answer(decider, first, 'approve'))).toEqual([409, 'change_set_decided']);
});

it.each([
  ['an emergency where none is allowed', "is_emergency = true, state = 'applying'", false],
  ['a review by the proposer', 'reviewer_id = proposer_id', true],
  ['an emergency after the decision', 'is_emergency = not is_emergency', true],
])('refuses %s in the database', async (_what, change, isAllowed) => {
  scene = await buildScene(test, { allows_break_glass: isAllowed });
  const set = await proposed(scene.proposer, [switchingOff(scene)]);
  if (isAllowed)
    expect((await answer(scene.proposer, set, 'break-glass', 'Now.')).status).toBe(200);
  const decider = isAllowed ? '' : ', decider_id = proposer_id';
  await expect(
    test.db.query({
      text: `update change_set set ${change}${decider} where id = $1`,
      values: [set.id],
    }),
  ).rejects.toThrow();
});
