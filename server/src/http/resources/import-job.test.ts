import { randomUUID } from 'node:crypto';
import type { JobLog } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildOrganization, unique } from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let li: Client;
let colleague: Client;
let stranger: Client;
let installation: Client;
beforeAll(async () => {
  test = await startTestProgram();
  const { db } = test;
  const [here, there] = [await buildOrganization(db), await buildOrganization(db)];
  const administrator = async (organization: string) => await signInMember(test, organization);
  li = await administrator(here);
  colleague = await administrator(here);
  stranger = await administrator(there);
  installation = await bearer(test);
});
afterAll(() => test.stop());

const ROWS = 4_000;
const fileOf = (name: string, rows: number) =>
  ['name,value', ...Array.from({ length: rows }, (_, row) => `${name}-${row},x`)].join('\r\n');
const send = <Body = Json[]>(client: Client, query: string, file: string) =>
  client.send<Body>('POST', `assets/labels/?${query}`, file, 'text/csv');
const jobOf = async (client: Client, id: string) => client.get<Json>(`common/jobs/${id}/`);
const countOf = async (name: string) =>
  (await li.get<Page>(`assets/labels/?limit=1&search=${name}`)).body.count;

describe('a file that is imported with ?job=', () => {
  it('answers as without a job, and is visible as a job during and after the import', async () => {
    const [id, name] = [randomUUID(), unique('followed')];
    const seen: Json[] = [];
    // The last step of the import waits for this transaction, so the test sees it unfinished.
    const hold = await test.db.begin();
    await sql`lock table operate_log in exclusive mode`.execute(hold);
    let isOver = false;
    const sent = send(li, `job=${id}`, fileOf(name, ROWS)).finally(() => {
      isOver = true;
    });
    const look = async () => {
      const { status, body } = await jobOf(li, id);
      if (status === 200) seen.push(body);
    };
    const isSeen = () =>
      seen.some(
        ({ state, done }) => state === 'running' && Number(done) > 0 && Number(done) < ROWS,
      );
    while (!isSeen() && !isOver) await look();
    await hold.rollback();
    while (!isOver) await look();
    const { status, body } = await sent;
    expect([status, body.length, await countOf(name)]).toEqual([201, ROWS, ROWS]);
    expect(
      seen.every(
        ({ total, done }) =>
          (total === 0 || total === ROWS) && Number(done) >= 0 && Number(done) <= ROWS,
      ),
    ).toBe(true);
    expect(isSeen()).toBe(true);
    const done = seen.map((row) => Number(row.done));
    expect(done).toEqual(done.toSorted((one, other) => one - other));
    expect((await jobOf(li, id)).body).toMatchObject({
      title: 'File import',
      subject: 'Label',
      state: 'succeeded',
      done: ROWS,
      total: ROWS,
      can_cancel: false,
    });
    const without = await send(li, '', fileOf(unique('plain'), 2));
    expect([without.status, Object.keys(without.body[0] ?? {})]).toEqual([
      201,
      Object.keys(body[0] ?? {}),
    ]);
  });

  it('logs the problems by line, and changes nothing', async () => {
    const [id, name] = [randomUUID(), unique('refused')];
    const { status, body } = await send(li, `job=${id}`, `name,value\r\n${name},x\r\n,y`);
    expect([status, body.length, await countOf(name)]).toEqual([400, 2, 0]);
    expect((await jobOf(li, id)).body).toMatchObject({
      state: 'failed',
      reason: 'The request contains invalid values.',
    });
    const log = await li.get<JobLog>(`common/jobs/${id}/log/`);
    expect(log.body.lines.map(({ text }) => text)).toEqual([
      'line 3. Name: This field is required',
    ]);
  });

  it('shows the job to its user and to administrators of the organization only', async () => {
    const id = randomUUID();
    expect((await send(li, `job=${id}`, fileOf(unique('seen'), 1))).status).toBe(201);
    const statuses = await Promise.all(
      [li, colleague, installation, stranger].map(
        async (client) => (await jobOf(client, id)).status,
      ),
    );
    expect(statuses).toEqual([200, 200, 200, 404]);
  });

  it('leaves no job after a check', async () => {
    const [id, name] = [randomUUID(), unique('checked')];
    expect((await send(li, `job=${id}&dry_run=1`, fileOf(name, 3))).status).toBe(201);
    expect([await countOf(name), (await jobOf(li, id)).status]).toEqual([0, 404]);
  });

  it('rolls back when the job is canceled', async () => {
    const [id, name] = [randomUUID(), unique('canceled')];
    // The last step of the import waits for this transaction, so it is still running when it is
    // canceled.
    const hold = await test.db.begin();
    await sql`lock table operate_log in exclusive mode`.execute(hold);
    const sent = send<Json>(li, `job=${id}`, fileOf(name, 500));
    await until(async () => (await jobOf(li, id)).body.state === 'running', 'the import runs');
    expect((await jobOf(colleague, id)).body.can_cancel).toBe(true);
    expect((await stranger.post(`common/jobs/${id}/cancel/`)).status).toBe(404);
    const canceled = colleague.post(`common/jobs/${id}/cancel/`);
    await until(async () => (await jobOf(li, id)).body.state === 'canceled', 'it is canceled');
    await hold.rollback();
    expect((await canceled).status).toBe(200);
    const { status, body } = await sent;
    expect([status, body.code]).toEqual([409, 'job_canceled']);
    expect([await countOf(name), (await jobOf(li, id)).body.state]).toEqual([0, 'canceled']);
  });

  it.each(['', 'x', '0123', '../../etc'])('rejects the id %j', async (id) => {
    const name = unique('misnamed');
    const { status, body } = await send<Json>(li, `job=${encodeURIComponent(id)}`, fileOf(name, 1));
    expect([status, Object.keys(body)]).toEqual([400, ['job']]);
    expect(await countOf(name)).toBe(0);
  });

  it('rejects the id of another job', async () => {
    const [id, name] = [randomUUID(), unique('taken')];
    expect((await send(stranger, `job=${id}`, fileOf(unique('first'), 1))).status).toBe(201);
    const { status, body } = await send<Json>(li, `job=${id}`, fileOf(name, 1));
    expect([status, body.code, await countOf(name)]).toEqual([409, 'job_exists', 0]);
  });
});
