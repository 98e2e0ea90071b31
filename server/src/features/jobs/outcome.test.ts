import { outcomeOf, type TaskMonitor } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
