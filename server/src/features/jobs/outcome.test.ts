import { outcomeOf, type TaskMonitor } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const KIND = 'test-assets';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = (await bearer(test)).with({ 'accept-language': 'en' });
});
afterAll(() => test.stop());

/** A finished job with counts of its objects. */
async function finished(done: number, failed: number, skipped: number): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into job (id, name, state, done, failed, skipped, total, date_started, date_finished)
    values (gen_random_uuid(), ${KIND}, 'succeeded', ${done}, ${failed}, ${skipped}, ${done}, now(),
      now()) returning id`.execute(test.db);
  return rows[0]?.id ?? '';
}

it('shows the same outcome of a job in its list, on its page and in the task monitor', async () => {
  const cases = [
    [await finished(3, 0, 0), 'succeeded', 'Succeeded'],
    [await finished(3, 1, 0), 'partly', 'Partly failed (1 of 3)'],
    [await finished(1, 1, 0), 'failed', 'Failed'],
    [await finished(1, 0, 1), 'nothing', 'Nothing to do'],
  ] as const;
  for (const [id, outcome, text] of cases) {
    const { body } = await admin.get<Json>(`common/jobs/${id}/`);
    expect({ outcome: body.outcome, text: body.state_display }).toEqual({ outcome, text });
  }
  const listed = (await admin.get<Json[]>(`common/jobs/?name=${KIND}`)).body.map(
    ({ id, state_display: text }) => [id, text],
  );
  expect(new Map(listed as [string, string][])).toEqual(
    new Map(cases.map(([id, , text]) => [id, text])),
  );
  const { queues, failed } = (await admin.get<TaskMonitor>('ops/task-monitor/')).body;
  expect(queues.find(({ name }) => name === KIND)).toMatchObject({ succeeded: 2, failed: 2 });
  expect(
    failed.filter(({ id }) => cases.some(([one]) => one === id)).map(({ reason }) => reason),
  ).toEqual(expect.arrayContaining(['Partly failed (1 of 3)', 'Failed']));
});

it('derives the outcome of a job by the rules of outcomeOf', async () => {
  for (const [succeeded, failed, skipped] of [
    [0, 0, 0],
    [2, 0, 1],
    [0, 0, 2],
    [2, 1, 1],
    [0, 1, 2],
  ] as const) {
    const id = await finished(succeeded + failed + skipped, failed, skipped);
    const { body } = await admin.get<Json>(`common/jobs/${id}/`);
    expect(body.outcome).toBe(outcomeOf({ succeeded, failed, skipped }));
  }
});

it('lists jobs by outcome, and rejects an unknown outcome', async () => {
  const [partly, nothing] = [await finished(3, 1, 0), await finished(1, 0, 1)];
  const listed = async (outcome: string) => {
    const { body } = await admin.get<Json[]>(`common/jobs/?name=${KIND}&outcome=${outcome}`);
    return body.map(({ id }) => id);
  };
  expect(await listed('failed,partly')).toContain(partly);
  expect(await listed('failed,partly')).not.toContain(nothing);
  expect(await listed('nothing')).toContain(nothing);
  expect((await admin.get('common/jobs/?outcome=lost')).status).toBe(400);
});

describe('a run that stores results of its servers', () => {
  /** Stores a run of each kind with its job, and returns the paths of the runs. */
  async function stored(state: string, succeeded: number, failed: number) {
    const { rows } = await sql<{ job: string }>`
      insert into job (id, name, state, done, failed, total, date_started)
      select gen_random_uuid(), kind, ${state}, ${succeeded + failed}, ${failed},
        ${succeeded + failed}, now()
      from unnest(array['change-auth', 'gather-users', 'test-assets']) with ordinality
        as k (kind, place) order by place returning id as job`.execute(test.db);
    const [change, gather, run] = rows.map(({ job }) => job);
    const isFinished = state !== 'running';
    await sql`insert into change_auth_execution (id, username, password_strategy, assets_amount,
        nodes_amount, is_finished)
      values (${change}, 'root', 'custom', 1, 0, ${isFinished})`.execute(test.db);
    await sql`insert into change_auth_subtask (plan_execution_id, hostname, ip, username, is_success)
      select ${change}, 'host ' || n, '192.0.2.1', 'root', n > ${failed}
      from generate_series(1, ${succeeded + failed}::integer) n`.execute(test.db);
    await sql`with task as (insert into gather_user_task (name)
        values (${`task ${gather}`}) returning id)
      insert into gather_user_execution (id, task_id, total, succeed, failed, is_finished)
      select ${gather}, id, ${succeeded + failed}, ${succeeded}, ${failed}, ${isFinished}
      from task`.execute(test.db);
    await sql`with task as (insert into ops_task (name, words, job, key, subject, input, created_by)
        values ('task', 'task', 'test-assets', ${run}, 'task', '{}', '') returning id)
      insert into adhoc_execution (id, task_id, hosts_amount, success_amount, failed_amount,
        is_finished)
      select ${run}, id, ${succeeded + failed}, ${succeeded}, ${failed}, ${isFinished}
      from task`.execute(test.db);
    return [
      `xpack/change-auth-plan/plan-execution/${change}/`,
      `xpack/gathered-user/task-executions/${gather}/`,
      `ops/adhoc-executions/${run}/`,
    ];
  }

  it.each([
    ['running', 2, 1, 'running'],
    ['succeeded', 3, 0, 'succeeded'],
    ['succeeded', 2, 1, 'partly'],
    ['succeeded', 0, 2, 'failed'],
    ['failed', 2, 0, 'failed'],
    ['canceled', 2, 0, 'canceled'],
    ['canceled', 2, 1, 'canceled'],
    ['canceled', 0, 0, 'canceled'],
  ] as const)(
    'has the outcome of its job, %s with %i succeeded and %i failed servers',
    async (state, succeeded, failed, outcome) => {
      for (const path of await stored(state, succeeded, failed)) {
        const run = (await admin.get<Json>(path)).body;
        const own = (await admin.get<Json>(`common/jobs/${String(run.id)}/`)).body;
        expect([path, run.outcome, own.outcome]).toEqual([path, outcome, outcome]);
        if ('state_display' in run) expect(run.state_display).toBe(own.state_display);
      }
    },
  );
});
