import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testing/poll.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { type Bus, openBus } from '../bus/bus.ts';
import { createVault, directKey } from '../crypto/vault.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { Rejected } from '../errors.ts';
import { createLog } from '../log.ts';
import { defineJob, type JobDefinition, type RunningJob } from './definition.ts';
import { createJobs, type Jobs, newJobId } from './jobs.ts';
import { SCHEMA } from './queue.ts';
import { MAXIMUM_LINES } from './run.ts';

let place: TestDatabase;
const stops: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  place = await createTestDatabase();
});
// Stop the servers of a test: they hold connections that later tests need.
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});
afterAll(() => place.drop());

interface Server {
  readonly jobs: Jobs;
  readonly database: Database;
  readonly bus: Bus;
}

/** Starts the job runner of a server; several share the database. */
async function server(definitions: readonly JobDefinition[], leaseSeconds = 20): Promise<Server> {
  const database = openDatabase(place.url, 5);
  const log = createLog('silent');
  const bus = await openBus(place.url, database.pool, log);
  const jobs = createJobs({
    pool: database.pool,
    db: database.db,
    bus,
    vault: createVault(directKey(Buffer.alloc(32, 7))),
    log,
    pace: { pollSeconds: 0.5, leaseSeconds, superviseSeconds: 1 },
  });
  jobs.define(...definitions);
  await jobs.start();
  stops.push(async () => {
    await jobs.stop();
    await bus.close();
    await database.close();
  });
  return { jobs, database, bus };
}

const TITLE = { en: 'Test', zh: '测试' };
let count = 0;
/** Defines a kind of job with a unique name. */
function kind<Input>(
  run: (job: RunningJob<Input>) => Promise<unknown>,
  more: Partial<JobDefinition<Input>> = {},
): JobDefinition<Input> {
  count += 1;
  return defineJob<Input>({
    name: `test-${count}`,
    title: TITLE,
    input: (value) => value as Input,
    retries: { limit: 0, delaySeconds: 0 },
    timeoutSeconds: 60,
    access: 'server',
    history: 'all',
    run,
    ...more,
  });
}

interface Row {
  state: string;
  attempt: number;
  done: number;
  total: number;
  problem: { code: string } | null;
  result: unknown;
  last_line: number;
}

const rowOf = async ({ database }: Server, id: string | undefined) =>
  (
    await sql<Row>`select state, attempt, done, total, problem, result, last_line from job where id = ${id}`.execute(
      database.db,
    )
  ).rows[0];

const reaches = (where: Server, id: string | undefined, state: string) =>
  until(async () => (await rowOf(where, id))?.state === state, `the job is ${state}`);

/** Creates a promise that a job waits for, and its `open` function. */
function gate(): { passed: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((settle) => {
    open = settle;
  });
  return { passed, open };
}

describe('a job', () => {
  it('runs once with its input, and stores result, progress and log lines', async () => {
    const seen: unknown[] = [];
    const add = kind<{ a: number; b: number }>(async (job) => {
      seen.push(job.input);
      job.progress(1, 2);
      job.log('half of it');
      job.progress(2, 2);
      return { sum: job.input.a + job.input.b };
    });
    const where = await server([add]);
    const id = await where.jobs.enqueue(add, { a: 1, b: 2 });
    await reaches(where, id, 'succeeded');
    expect(await rowOf(where, id)).toMatchObject({
      attempt: 1,
      done: 2,
      total: 2,
      problem: null,
      result: { sum: 3 },
    });
    expect(
      (await sql`select line, text from job_log where job_id = ${id}`.execute(where.database.db))
        .rows,
    ).toEqual([{ line: 1, text: 'half of it' }]);
    expect(seen).toEqual([{ a: 1, b: 2 }]);
  });

  it('creates no job when the requesting transaction rolls back', async () => {
    let ran = 0;
    const counting = kind<null>(async () => {
      ran += 1;
    });
    const where = await server([counting]);
    await expect(
      where.database.db.transaction(async (tx) => {
        expect(await where.jobs.enqueue(counting, null, { tx })).toBeDefined();
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    const id = await where.database.db.transaction((tx) =>
      where.jobs.enqueue(counting, null, { tx }),
    );
    await reaches(where, id, 'succeeded');
    expect(ran).toBe(1);
    expect(
      (await sql`select id from job where name = ${counting.name}`.execute(where.database.db)).rows,
    ).toEqual([{ id }]);
  });

  it('retries after an error and stores the reason of the last failure', async () => {
    const tries: number[] = [];
    const failing = kind<null>(
      async (job) => {
        tries.push(job.attempt);
        throw new Rejected('mail_not_configured');
      },
      { retries: { limit: 2, delaySeconds: 0 } },
    );
    const defective = kind<null>(async () => {
      throw new Error('the password is hunter2');
    });
    const where = await server([failing, defective]);
    const [id, other] = [
      await where.jobs.enqueue(failing, null),
      await where.jobs.enqueue(defective, null),
    ];
    await reaches(where, id, 'failed');
    await reaches(where, other, 'failed');
    expect(tries).toEqual([1, 2, 3]);
    expect((await rowOf(where, id))?.problem).toEqual({ code: 'mail_not_configured' });
    expect((await rowOf(where, other))?.problem).toEqual({ code: 'internal' });
    const kept = await sql<{ text: string }>`
      select j::text as text from ${sql.table(`${SCHEMA}.job`)} j
      where name = ${defective.name}`.execute(where.database.db);
    expect(JSON.stringify(kept.rows)).not.toContain('hunter2');
    // A user retries it once more.
    expect(await where.jobs.retry(id ?? '')).toBe(true);
    await until(() => tries.length === 4, 'the fourth try');
  });

  it('stops a job at its timeout', async () => {
    const slow = kind<null>(
      (job) =>
        new Promise((_settle, refuse) =>
          job.signal.addEventListener('abort', () => refuse(new Error('stopped'))),
        ),
      {
        timeoutSeconds: 1,
      },
    );
    const where = await server([slow]);
    const id = await where.jobs.enqueue(slow, null);
    await reaches(where, id, 'failed');
    expect((await rowOf(where, id))?.problem).toEqual({ code: 'job_timeout' });
  });

  it('keeps only the newest log lines', async () => {
    const kept = gate();
    const chatty = kind<null>(async (job) => {
      for (let line = 1; line <= MAXIMUM_LINES; line += 1) job.log(`early ${line}`);
      await kept.passed;
      for (let line = 1; line <= 50; line += 1) job.log(`late ${line} ${'x'.repeat(5_000)}`);
    });
    const where = await server([chatty]);
    const id = await where.jobs.enqueue(chatty, null);
    const lines = sql<{
      lines: number;
    }>`select count(*)::integer as lines from job_log where job_id = ${id}`;
    await until(
      async () => (await lines.execute(where.database.db)).rows[0]?.lines === MAXIMUM_LINES,
      'the first lines are kept',
    );
    kept.open();
    await reaches(where, id, 'succeeded');
    const { rows } = await sql<{ lines: number; first: string; longest: number }>`
      select count(*)::integer as lines, (array_agg(text order by line))[1] as first,
        max(length(text))::integer as longest
      from job_log where job_id = ${id}`.execute(where.database.db);
    expect(rows[0]).toEqual({ lines: MAXIMUM_LINES, first: 'early 51', longest: 1_000 });
  });

  it('seals secret input in the queue', async () => {
    let got = '';
    const secret = kind<{ token: string }>(
      async (job) => {
        got = job.input.token;
      },
      { sealed: true },
    );
    const where = await server([secret]);
    const id = await where.jobs.enqueue(secret, { token: 'open sesame' });
    await reaches(where, id, 'succeeded');
    const kept = await sql<{
      text: string;
    }>`select j::text as text from ${sql.table(`${SCHEMA}.job`)} j where id = ${id}`.execute(
      where.database.db,
    );
    expect(kept.rows[0]?.text).toContain('sealed');
    expect(kept.rows[0]?.text).not.toContain('sesame');
    expect(got).toBe('open sesame');
  });

  it('deletes a successful job when its history keeps only failures', async () => {
    const quiet = kind<{ bad: boolean }>(
      async ({ input }) => {
        if (input.bad) throw new Rejected('invalid');
      },
      { history: 'failures' },
    );
    const where = await server([quiet]);
    const good = await where.jobs.enqueue(quiet, { bad: false });
    const bad = await where.jobs.enqueue(quiet, { bad: true });
    await reaches(where, bad, 'failed');
    await until(async () => (await rowOf(where, good)) === undefined, 'the good one is gone');
  });
});

describe('an orderly stop', () => {
  /** Defines a job whose first run ends only when it is aborted. */
  const endless = (tries: number[], more: Partial<JobDefinition<null>>) =>
    kind<null>(async (job) => {
      tries.push(job.attempt);
      if (tries.length > 1) return;
      await new Promise<void>((settle) => job.signal.addEventListener('abort', () => settle()));
      throw new Error('stopped');
    }, more);

  it('requeues a repeatable job at an orderly stop without using up a try', async () => {
    const tries: number[] = [];
    const repeatable = endless(tries, { repeatable: true });
    const first = await server([repeatable]);
    const id = await first.jobs.enqueue(repeatable, null);
    await until(() => tries.length === 1, 'it runs');
    await first.jobs.stop();
    expect(await rowOf(first, id)).toMatchObject({ state: 'queued', problem: null });
    const next = await server([repeatable]);
    await reaches(next, id, 'succeeded');
    expect(tries).toEqual([1, 1]);
  });

  it('fails any other job at an orderly stop, with the reason', async () => {
    const tries: number[] = [];
    const other = endless(tries, {});
    const first = await server([other]);
    const id = await first.jobs.enqueue(other, null);
    await until(() => tries.length === 1, 'it runs');
    await first.jobs.stop();
    expect(await rowOf(first, id)).toMatchObject({
      state: 'failed',
      problem: { code: 'job_interrupted' },
    });
    const next = await server([other]);
    // The queue runs jobs in order, so the earlier job had its chance.
    await reaches(next, await next.jobs.enqueue(other, null), 'succeeded');
    expect([tries.length, (await rowOf(next, id))?.state]).toEqual([2, 'failed']);
  });
});

describe('who asks', () => {
  const person = (permissions: number) =>
    ({
      userId: undefined,
      name: 'Li',
      organization: '',
      language: 'en',
      zone: 'UTC',
      permissions,
    }) as const;

  it('starts only jobs that the requester has permission for', async () => {
    const ran: string[] = [];
    const note = async ({ caller }: RunningJob<null>) => void ran.push(JSON.stringify(caller));
    const [own, open] = [kind<null>(note), kind<null>(note, { access: 4 })];
    const where = await server([own, open]);
    for (const [definition, permissions] of [
      [own, 0xff],
      [open, 3],
    ] as const)
      await expect(
        where.jobs.enqueue(definition, null, { caller: person(permissions) }),
      ).rejects.toMatchObject({ code: 'job_access' });
    const attached = { name: 'attached-open', title: TITLE, access: 4, history: 'all' } as const;
    await expect(
      where.jobs.attach(attached, newJobId(), person(3), async () => 1),
    ).rejects.toMatchObject({ code: 'job_access' });
    expect(
      (
        await sql`select 1 from job where name in (${own.name}, ${open.name}, 'attached-open')`.execute(
          where.database.db,
        )
      ).rows,
    ).toEqual([]);
    await reaches(where, await where.jobs.enqueue(open, null, { caller: person(7) }), 'succeeded');
    await reaches(where, await where.jobs.enqueue(own, null), 'succeeded');
    // Permissions of the requester are not stored.
    expect(ran[0]).not.toContain('permissions');
  });
});

describe('canceling', () => {
  it('stops a job that runs on another server', async () => {
    let reason: unknown;
    const started = gate();
    const waiting = kind<null>(async (job) => {
      started.open();
      await new Promise<void>((settle) => job.signal.addEventListener('abort', () => settle()));
      reason = job.signal.reason;
      throw new Error('stopped');
    });
    const [one, two] = [await server([waiting]), await server([])];
    const id = await one.jobs.enqueue(waiting, null);
    await started.passed;
    expect(await two.jobs.cancel(id ?? '')).toBe(true);
    await until(() => reason === 'canceled', 'the run hears of it');
    expect((await rowOf(one, id))?.state).toBe('canceled');
    expect(await two.jobs.cancel(id ?? '')).toBe(false);
  });

  it('keeps a canceled queued job from running until it is retried', async () => {
    const runs: string[] = [];
    const later = kind<null>(async (job) => {
      runs.push(job.id);
    });
    const where = await server([later]);
    const id = await where.jobs.enqueue(later, null, {
      startAfter: new Date(Date.now() + 3_600_000),
    });
    expect(await where.jobs.cancel(id ?? '')).toBe(true);
    // Make the canceled job due, and wait for a job that would run after it.
    await sql`update ${sql.table(`${SCHEMA}.job`)} set start_after = now() - interval '1 minute' where id = ${id}`.execute(
      where.database.db,
    );
    const next = await where.jobs.enqueue(later, null);
    await reaches(where, next, 'succeeded');
    expect(runs).toEqual([next]);
    expect(await where.jobs.retry(id ?? '')).toBe(true);
    await reaches(where, id, 'succeeded');
    expect(runs).toEqual([next, id]);
  });

  it('stops the work of a request', async () => {
    const where = await server([]);
    const id = newJobId();
    const caller = {
      userId: undefined,
      name: 'Li Wei(li.wei)',
      organization: '',
      language: 'en',
      zone: 'UTC',
      permissions: 1,
    } as const;
    const work = where.jobs.attach(
      { name: 'attached', title: TITLE, access: 1, history: 'all' },
      id,
      caller,
      async (job) => {
        await new Promise<void>((settle) => job.signal.addEventListener('abort', () => settle()));
        throw new Rejected('invalid');
      },
    );
    const answer = expect(work).rejects.toThrow('invalid');
    await reaches(where, id, 'running');
    await where.jobs.cancel(id);
    await answer;
    expect((await rowOf(where, id))?.state).toBe('canceled');
  });
});

describe('keys', () => {
  it('queues or drops requests of a key that is running, without overlap', async () => {
    const active = new Map<string, number>();
    const overlaps: string[] = [];
    let runs = 0;
    const run = async ({ input }: RunningJob<string>) => {
      if (active.get(input)) overlaps.push(input);
      active.set(input, 1);
      await sleep(150);
      active.delete(input);
      runs += 1;
    };
    const queued = kind<string>(run, { overlap: 'queued', key: (input) => input, concurrency: 3 });
    const allQueued = gate();
    const dropped = kind<string>(() => allQueued.passed, {
      overlap: 'dropped',
      key: (input) => `d-${input}`,
    });
    const [one] = [await server([queued, dropped]), await server([queued, dropped])];
    await Promise.all(['a', 'a', 'a', 'b'].map((input) => one.jobs.enqueue(queued, input)));
    await until(() => runs === 4, 'all four ran');
    expect(overlaps).toEqual([]);
    const ids = await Promise.all(['c', 'c', 'c'].map((input) => one.jobs.enqueue(dropped, input)));
    allQueued.open();
    expect(ids.filter((id) => id !== undefined)).toHaveLength(1);
  });
});

describe('a schedule', () => {
  it('runs a schedule shared by several servers once per interval', async () => {
    const runs: string[] = [];
    const clock = kind<null>(
      async (job) => {
        runs.push(job.id);
      },
      { schedule: () => ({ everyMinutes: 60 }), overlap: 'dropped' },
    );
    await Promise.all([server([clock]), server([clock]), server([clock])]);
    // The first run starts an interval.
    await until(() => runs.length > 0, 'the first run');
    await sleep(4_000);
    expect(runs).toHaveLength(1);
  });

  it('removes a schedule that its definition no longer has', async () => {
    let wished = true;
    const clock = kind<null>(async () => undefined, {
      schedule: () => (wished ? { crontab: '0 0 1 1 *' } : undefined),
    });
    const where = await server([clock]);
    const stored = async () =>
      (
        await sql`select 1 from ${sql.table(`${SCHEMA}.schedule`)} where name = ${clock.name}`.execute(
          where.database.db,
        )
      ).rows.length;
    expect(await stored()).toBe(1);
    wished = false;
    await where.jobs.reschedule();
    expect(await stored()).toBe(0);
  });
});

it('runs a job requested by a migration when servers start', async () => {
  const got: unknown[] = [];
  const requested = kind<unknown>(async ({ input }) => {
    got.push(input);
  });
  const database = openDatabase(place.url, 1);
  await sql`insert into job_request (name, input) values (${requested.name}, '{"who": "me"}')`.execute(
    database.db,
  );
  await database.close();
  const [where] = [await server([requested]), await server([requested])];
  await until(() => got.length > 0, 'it ran');
  // Both servers looked for requests, but only one created the job.
  const { rows } = await sql<{
    id: string;
  }>`select id from job where name = ${requested.name}`.execute(where.database.db);
  expect(rows).toHaveLength(1);
  await reaches(where, rows[0]?.id, 'succeeded');
  expect(got).toEqual([{ who: 'me' }]);
});
