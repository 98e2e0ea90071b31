import type { ChangeSetDetail } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { Client, Json } from '../../testing/client.ts';
import { runHousekeeping, withoutSchedule } from '../../testing/jobs.ts';
import { signInMember } from '../../testing/roles.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import {
  answer,
  buildScene,
  makeDue,
  proposed,
  type Scene,
  send,
  switchingOff,
} from './testing/scene.ts';

const JOB = 'due-change-sets';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let test: TestProgram;
let scene: Scene;
beforeAll(async () => {
  test = await startTestProgram();
  await withoutSchedule(test, JOB);
});
afterAll(() => test.stop());
beforeEach(async () => {
  scene = await buildScene(test, { allows_break_glass: true });
});

const at = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
const run = () => runHousekeeping(test, JOB);
const codeOf = ({ status, body }: { status: number; body: Json }) => [status, body.code];
const isActive = async () =>
  (await scene.proposer.get<Json>(`perms/asset-permissions/${scene.permission}/`)).body.is_active;
const read = async ({ id }: { id: string }, client: Client = scene.proposer) =>
  (await client.get<ChangeSetDetail>(`change-sets/${id}/`)).body;
const newsOf = async (client: Client) =>
  (await client.get<Json[]>('users/notifications/?kind=job_failed')).body.map(
    ({ resource_id: id }) => id,
  );

const letTimePass = (set: { id: string }) => makeDue(test, set);

/** Proposes to switch the permission of the scene off in an hour, as an approved change set. */
async function planned(more: Json = {}): Promise<ChangeSetDetail> {
  const set = await proposed(scene.proposer, [switchingOff(scene)], {
    apply_at: at(HOUR),
    ...more,
  });
  const approved = await answer(scene.decider, set, 'approve', 'At night.');
  expect([approved.status, approved.body.state], approved.text).toEqual([200, 'approved']);
  return approved.body;
}

describe('an approved change set with a time', () => {
  it('applies once at its time, and can be undone from then on', async () => {
    const set = await planned();
    expect(set.apply_at).not.toBeNull();
    await run();
    expect([await isActive(), (await read(set)).state]).toEqual([true, 'approved']);
    expect((await scene.proposer.post<Json>(`change-sets/${set.id}/undo/`)).status).toBe(409);
    await letTimePass(set);
    await Promise.all([run(), run()]);
    await run();
    expect(await isActive()).toBe(false);
    const applied = await read(set);
    expect(applied).toMatchObject({ state: 'applied', failure: '', comment: 'At night.' });
    expect(applied.date_applied).not.toBeNull();
    const { rows } = await sql`select 1 from operate_log
      where resource_id = ${scene.permission} and action = 'update'`.execute(test.db);
    expect(rows).toHaveLength(1);
    expect((await scene.proposer.post<Json>(`change-sets/${set.id}/undo/`)).status).toBe(201);
  });

  it('fails without any change when an object changed meanwhile, and tells both administrators', async () => {
    const { proposer, decider, condition } = scene;
    const set = await proposed(
      proposer,
      [
        { resource: 'condition', action: 'change', object: condition, body: { comment: 'first' } },
        switchingOff(scene),
      ],
      { apply_at: at(HOUR) },
    );
    expect((await answer(decider, set, 'approve')).body.state).toBe('approved');
    const other = await proposed(proposer, [
      { ...switchingOff(scene), body: { comment: 'Changed meanwhile' } },
    ]);
    expect((await answer(decider, other, 'approve')).body.state).toBe('applied');
    await letTimePass(set);
    await run();
    const failed = await read(set);
    expect(failed.state).toBe('failed');
    expect(failed.failure).toContain('changed since the proposal');
    const chinese = await read(set, proposer.with({ 'accept-language': 'zh' }));
    expect(chinese.failure).toContain('已被修改');
    expect(await isActive()).toBe(true);
    const { body: left } = await proposer.get<Json>(`perms/conditions/${condition}/`);
    expect(left.comment).toBe('');
    expect([await newsOf(proposer), await newsOf(decider)]).toEqual([[set.id], [set.id]]);
    await run();
    expect((await newsOf(proposer)).length).toBe(1);
    expect(codeOf(await answer(decider, set, 'approve'))).toEqual([409, 'change_set_decided']);
  });

  it('fails when other users would lose access, and when its proposer lost the right', async () => {
    const set = await planned();
    await sql`delete from organization_member where user_id = ${scene.member.id}`.execute(test.db);
    await letTimePass(set);
    await run();
    expect((await read(set)).failure).toContain('other users would gain or lose access');
    scene = await buildScene(test);
    const own = await planned();
    await sql`update organization_member set role = 'User'
      where user_id = ${scene.proposerId}`.execute(test.db);
    await letTimePass(own);
    await run();
    const failed = await read(own, scene.decider);
    expect([failed.state, failed.failure]).toEqual([
      'failed',
      expect.stringContaining('may no longer make the change'),
    ]);
  });

  it('lets its proposer and its decider withdraw it, and never applies it then', async () => {
    const third = await signInMember(test, scene.organization);
    for (const who of ['proposer', 'decider'] as const) {
      const set = await planned();
      expect((await read(set, third)).can_withdraw).toBe(false);
      expect(codeOf(await answer(third, set, 'withdraw'))).toEqual([403, 'change_set_not_own']);
      expect((await read(set, scene[who])).can_withdraw).toBe(true);
      const withdrawn = await answer(scene[who], set, 'withdraw');
      expect([withdrawn.status, withdrawn.body.state], withdrawn.text).toEqual([200, 'withdrawn']);
      await letTimePass(set);
      await run();
      expect([await isActive(), (await read(set)).state]).toEqual([true, 'withdrawn']);
    }
  });

  it('applies or ends as withdrawn when both happen at the same time', async () => {
    for (let turn = 0; turn < 3; turn++) {
      scene = await buildScene(test);
      const set = await planned();
      await letTimePass(set);
      await Promise.all([run(), answer(scene.proposer, set, 'withdraw')]);
      const { state } = await read(set);
      expect([state, await isActive()]).toEqual(
        state === 'applied' ? ['applied', false] : ['withdrawn', true],
      );
    }
  });

  it('keeps its decider, its time and its changes in the database', async () => {
    const { id } = await planned();
    const statements = [
      sql`update change_set set state = 'applying' where id = ${id}`,
      sql`update change_set set apply_at = now() where id = ${id}`,
      sql`update change_set set decider_id = gen_random_uuid() where id = ${id}`,
      sql`update change_set set state = 'proposed' where id = ${id}`,
      sql`update change_set set state = 'failed' where id = ${id}`,
      sql`update change_set set state = 'applied' where id = ${id}`,
    ];
    for (const statement of statements) await expect(statement.execute(test.db)).rejects.toThrow();
  });
});

describe('the time of a proposal', () => {
  it.each([
    ['in the past', -HOUR],
    ['after more than 30 days', 31 * DAY],
  ])('refuses a time %s', async (_when, offset) => {
    const refused = await send(scene.proposer, [switchingOff(scene)], { apply_at: at(offset) });
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['apply_at']]);
    const garbage = await send(scene.proposer, [switchingOff(scene)], { apply_at: 'tonight' });
    expect([garbage.status, Object.keys(garbage.body)]).toEqual([400, ['apply_at']]);
  });

  it('does not delay an approval after it, or an emergency', async () => {
    const late = await proposed(scene.proposer, [switchingOff(scene)], { apply_at: at(HOUR) });
    await letTimePass(late);
    expect((await answer(scene.decider, late, 'approve')).body.state).toBe('applied');
    expect(await isActive()).toBe(false);
    const urgent = await proposed(
      scene.proposer,
      [{ ...switchingOff(scene), body: { is_active: true } }],
      { apply_at: at(HOUR) },
    );
    expect((await answer(scene.proposer, urgent, 'break-glass', 'Now.')).body.state).toBe(
      'applied',
    );
    expect(await isActive()).toBe(true);
  });

  it('needs no common time zone of proposer and decider', async () => {
    const set = await proposed(scene.proposer.with({ 'x-tz': 'America/New_York' }), [
      { ...switchingOff(scene), body: { comment: 'x' } },
    ]);
    const approved = await answer(scene.decider.with({ 'x-tz': 'Asia/Tokyo' }), set, 'approve');
    expect([approved.status, approved.body.state], approved.text).toEqual([200, 'applied']);
  });
});
