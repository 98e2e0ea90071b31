import type { JobLog, JobMessage } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { sql } from '../../platform/db/sql.ts';
import { newJobId } from '../../platform/jobs/jobs.ts';
import { type BuiltUser, buildOrganization, buildUser } from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { signInMember } from '../../testing/roles.ts';
import { bearer, browser } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let here: string;
let there: string;
let li: BuiltUser;
let people: Record<
  'li' | 'mei' | 'hereAdmin' | 'thereAdmin' | 'auditor' | 'superAuditor' | 'installation',
  Client
>;
beforeAll(async () => {
  test = await startTestProgram();
  const { db } = test;
  [here, there] = [await buildOrganization(db), await buildOrganization(db)];
  li = await buildUser(db, { memberOf: [{ organization: here, role: 'User' }] });
  const member = async (organization: string, role: 'User' | 'Admin' | 'Auditor') =>
    await signInMember(test, organization, role);
  people = {
    li: (await bearer(test, li)).inOrganization(here),
    mei: await member(here, 'User'),
    hereAdmin: await member(here, 'Admin'),
    thereAdmin: await member(there, 'Admin'),
    auditor: await member(here, 'Auditor'),
    superAuditor: await bearer(test, await buildUser(db, { role: 'Auditor' })),
    installation: await bearer(test),
  };
});
afterAll(() => test.stop());

const KIND = {
  name: 'test-work',
  title: { en: 'Test work', zh: '测试任务' },
  access: 1,
  history: 'all',
} as const;

interface Live {
  readonly id: string;
  readonly reports: { progress(done: number, total: number): void; log(line: string): void };
  readonly canceled: Promise<unknown>;
  end(): Promise<void>;
}

/** A job of Li that runs until the test ends it. */
async function live(): Promise<Live> {
  test.program.jobs.describe(KIND);
  const id = newJobId();
  const caller = {
    userId: li.id,
    name: `Li(${li.username})`,
    organization: here,
    language: 'en',
    zone: 'UTC',
    permissions: 1,
  } as const;
  let begun: (live: Live) => void;
  const ready = new Promise<Live>((settle) => {
    begun = settle;
  });
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((settle) => {
    finish = settle;
  });
  const work = test.program.jobs
    .attach(KIND, id, caller, async (job) => {
      const canceled = new Promise((settle) =>
        job.signal.addEventListener('abort', () => settle(job.signal.reason)),
      );
      begun({
        id,
        reports: job,
        canceled,
        async end() {
          finish();
          await work;
        },
      });
      await Promise.race([finished, canceled]);
    })
    .then(() => undefined);
  return ready;
}

/** Opens the socket of a job and collects its messages. */
async function watch(client: Client, id: string) {
  const url = new URL(`/ws/jobs/?job=${id}`, client.url);
  url.protocol = 'ws:';
  const socket = new WebSocket(url, { headers: { ...client.headers } });
  const messages: JobMessage[] = [];
  let closed: number | undefined;
  socket.on('message', (data) => messages.push(JSON.parse(String(data)) as JobMessage));
  socket.on('close', (code) => {
    closed = code;
  });
  await new Promise((settle, refuse) => {
    socket.on('open', settle);
    socket.on('error', refuse);
  });
  const lines = () =>
    messages.flatMap((message) =>
      message.type === 'log' ? message.lines.map(({ text }) => text) : [],
    );
  const rows = () => messages.flatMap((message) => (message.type === 'job' ? [message.job] : []));
  return {
    socket,
    messages,
    lines,
    rows,
    closed: () => closed,
    gone: () => until(() => closed !== undefined, 'the socket is closed'),
  };
}

describe('who sees a job', () => {
  it('shows a job to the user who started it, and to administrators of its organization and of the installation', async () => {
    const { id, end } = await live();
    const seen = async (client: Client) => [
      (await client.get(`common/jobs/${id}/`)).status,
      (await client.get<Page>(`common/jobs/?limit=100`)).body.results.some((row) => row.id === id),
      (await client.get(`common/jobs/${id}/log/`)).status,
    ];
    for (const name of ['li', 'hereAdmin', 'installation', 'superAuditor'] as const)
      expect([name, ...(await seen(people[name]))]).toEqual([name, 200, true, 200]);
    for (const name of ['mei', 'thereAdmin', 'auditor'] as const)
      expect([name, ...(await seen(people[name]))]).toEqual([name, 404, false, 404]);
    for (const name of ['mei', 'thereAdmin', 'auditor'] as const) {
      for (const action of ['cancel', 'retry'])
        expect((await people[name].post(`common/jobs/${id}/${action}/`)).status).toBe(404);
      const socket = await watch(people[name], id);
      await socket.gone();
      expect(socket.messages).toEqual([
        expect.objectContaining({ type: 'closed', code: 'not_found' }),
      ]);
    }
    expect((await people.li.get<Json>(`common/jobs/${id}/`)).body.state).toBe('running');
    await end();
  });

  it('shows jobs of the server to administrators and auditors of the installation only', async () => {
    const { rows } = await sql<{ id: string }>`
      insert into job (id, name, state, problem)
        values (gen_random_uuid(), 'retention', 'failed', '{"code": "job_timeout"}')
        returning id`.execute(test.db);
    const path = `common/jobs/${rows[0]?.id}/`;
    const { status, body } = await people.installation.get<Json>(path);
    expect([status, body.title, body.reason, body.can_retry]).toEqual([
      200,
      'Remove expired data',
      'The job took too long and was stopped.',
      true,
    ]);
    for (const name of ['li', 'hereAdmin', 'thereAdmin', 'auditor'] as const)
      expect((await people[name].get(path)).status).toBe(404);
    const other = await bearer(test, await buildUser(test.db));
    expect((await other.get(path)).status).toBe(404);
  });

  it.each(['failed', 'canceled'])(
    'lets auditors read %s jobs of others, and neither cancel nor repeat them',
    async (state) => {
      const insert = async (name: string) => {
        const { rows } = await sql<{ id: string }>`
          insert into job (id, name, state, org_id, user_id, started_by)
            values (gen_random_uuid(), ${name}, ${state}, ${here}, ${li.id}, 'Li')
            returning id`.execute(test.db);
        return String(rows[0]?.id);
      };
      test.program.jobs.describe(KIND);
      const command = await insert('run-command');
      for (const [name, id] of [
        ['auditor', command],
        ['superAuditor', command],
        ['superAuditor', await insert(KIND.name)],
        ['superAuditor', await insert('retention')],
      ] as const) {
        const { status, body } = await people[name].get<Json>(`common/jobs/${id}/`);
        expect([name, status, body.can_cancel, body.can_retry]).toEqual([name, 200, false, false]);
        for (const action of ['cancel', 'retry'])
          expect((await people[name].post(`common/jobs/${id}/${action}/`)).status).toBe(403);
      }
      // An auditor controls own jobs, like every user.
      const { status } = await people.li.post(`common/jobs/${command}/cancel/`);
      expect(status).toBe(409);
    },
  );

  it('lists for an auditor of the installation all jobs that the task monitor shows', async () => {
    const { body } = await people.superAuditor.get<{ current: Json[]; failed: Json[] }>(
      'ops/task-monitor/',
    );
    for (const { id } of [...body.current, ...body.failed])
      expect((await people.superAuditor.get(`common/jobs/${id}/`)).status).toBe(200);
  });

  it('rejects creating and changing jobs directly', async () => {
    const { id, end } = await live();
    for (const method of ['put', 'patch', 'delete'] as const)
      expect((await people.installation[method](`common/jobs/${id}/`, {})).status).toBe(405);
    expect((await people.installation.post('common/jobs/', {})).status).toBe(405);
    await end();
  });
});

describe('the socket of a job', () => {
  it('sends progress and lines of a job, and closes when it ends', async () => {
    const { id, reports, end } = await live();
    reports.log('one');
    const socket = await watch(people.li, id);
    await until(() => socket.rows().length > 0, 'the first state');
    expect(socket.rows()[0]).toMatchObject({
      id,
      state: 'running',
      title: 'Test work',
      can_cancel: true,
    });
    reports.progress(3, 10);
    reports.log('two');
    await until(
      () => socket.rows().at(-1)?.done === 3 && socket.lines().length === 2,
      'the progress',
    );
    expect(socket.lines()).toEqual(['one', 'two']);
    await end();
    await socket.gone();
    expect([socket.closed(), socket.rows().at(-1)?.state, socket.lines()]).toEqual([
      1000,
      'succeeded',
      ['one', 'two'],
    ]);
    const { body } = await people.li.get<JobLog>(`common/jobs/${id}/log/`);
    expect(body.lines.map(({ line, text }) => [line, text])).toEqual([
      [1, 'one'],
      [2, 'two'],
    ]);
  });

  it('closes the socket when the user signs out', async () => {
    const { id, end } = await live();
    const page = (await browser(test, li)).inOrganization(here);
    const socket = await watch(page.with({ origin: new URL(page.url).origin }), id);
    await until(() => socket.rows().length > 0, 'the first state');
    await page.post('/core/auth/logout/', {});
    await socket.gone();
    expect(socket.messages.at(-1)).toMatchObject({ type: 'closed', code: 'not_authenticated' });
    await end();
  });

  it('closes the socket when the user loses access to the job', async () => {
    const { id, reports, end } = await live();
    const admin = await buildUser(test.db, { memberOf: [{ organization: here, role: 'Admin' }] });
    const socket = await watch((await bearer(test, admin)).inOrganization(here), id);
    await until(() => socket.rows().length > 0, 'the first state');
    await sql`update organization_member set role = 'User' where user_id = ${admin.id}`.execute(
      test.db,
    );
    await until(() => {
      reports.log('not for everybody');
      return socket.closed() !== undefined;
    }, 'the socket is closed');
    expect(socket.messages.at(-1)).toMatchObject({ type: 'closed', code: 'not_found' });
    await end();
  });

  it.each(['', 'x', '00000000-0000-0000-0000-000000000000'])(
    'closes the socket for the job %j',
    async (id) => {
      const socket = await watch(people.installation, id);
      await socket.gone();
      expect(socket.messages).toEqual([
        expect.objectContaining({ type: 'closed', code: 'not_found' }),
      ]);
    },
  );

  it('closes a socket that sends messages, and limits the sockets of a user', async () => {
    const { id, end } = await live();
    const talking = await watch(people.li, id);
    talking.socket.send('hello');
    await talking.gone();
    expect(talking.closed()).toBe(1008);
    const sockets = [];
    for (let index = 0; index < 20; index += 1) sockets.push(await watch(people.li, id));
    const further = await watch(people.li, id);
    await further.gone();
    expect(further.messages).toEqual([
      expect.objectContaining({ type: 'closed', code: 'too_many_requests' }),
    ]);
    for (const { socket } of sockets) socket.terminate();
    await end();
  });
});

describe('canceling and repeating', () => {
  it('cancels and repeats a job, with entries in the operate log', async () => {
    const { id, canceled } = await live();
    const { status, body } = await people.li.post<Json>(`common/jobs/${id}/cancel/`);
    expect([status, body.state]).toEqual([200, 'canceled']);
    expect(await canceled).toBe('canceled');
    const again = await people.li.post<Json>(`common/jobs/${id}/cancel/`);
    expect([again.status, again.body.code]).toEqual([409, 'job_not_cancelable']);
    const { rows } = await sql<Json>`select action, resource, resource_id from operate_log
        where resource_type = 'job'`.execute(test.db);
    expect(rows).toEqual([{ action: 'terminate', resource: 'Test work', resource_id: id }]);
    // Work that ran inside a request is not in the queue.
    expect((await people.li.post<Json>(`common/jobs/${id}/retry/`)).body.code).toBe(
      'job_not_retryable',
    );
  });

  it('runs a queued job again', async () => {
    const { jobs } = test.program;
    const definition = jobs.definitionOf('expiry-reminders');
    if (!definition) throw new Error('the job is missing');
    const id = await jobs.enqueue(definition, undefined, {
      startAfter: new Date(Date.now() + 3_600_000),
    });
    expect((await people.installation.post<Json>(`common/jobs/${id}/cancel/`)).body.state).toBe(
      'canceled',
    );
    await sql`update jobs.job set start_after = now() where id = ${id}`.execute(test.db);
    expect((await people.installation.post(`common/jobs/${id}/retry/`)).status).toBe(200);
    await until(
      async () =>
        (await people.installation.get<Json>(`common/jobs/${id}/`)).body.state === 'succeeded',
      'it ran',
    );
  });
});

describe('periods', () => {
  const times = async (query: string, who: Client = people.hereAdmin) =>
    await who.get<{ times: string[] }>(`common/periods/?${query}`);
  it('previews runs by the rules of the scheduler, where a crontab takes precedence', async () => {
    const { status, body } = await times(`interval=2&crontab=${encodeURIComponent('30 2 * * *')}`);
    expect([status, body.times.length, body.times.every((time) => /:30:00 /.test(time))]).toEqual([
      200,
      3,
      true,
    ]);
    const [first = '', second = ''] = (await times('interval=2')).body.times;
    expect(Date.parse(second) - Date.parse(first)).toBe(2 * 3_600_000);
    expect((await times('')).body.times).toEqual([]);
  });

  it('rejects an invalid period on its field, and callers who are not administrators', async () => {
    const wrong = async (query: string) => Object.keys((await times(query)).body as object);
    expect(await wrong(`crontab=${encodeURIComponent('0 0 31 2 *')}`)).toContain('crontab');
    expect(await wrong('crontab=daily')).toContain('crontab');
    for (const interval of ['0', '65536', 'x'])
      expect((await times(`interval=${interval}`)).status).toBe(400);
    expect((await times('interval=1', people.li)).status).toBe(403);
  });
});

describe('the log of a task as clients of the reference read it', () => {
  const part = async (client: Client, id: string, mark = '') =>
    client.get<Json>(`ops/celery/task/${id}/log/${mark && `?mark=${mark}`}`);

  it('returns the log in parts as text for a terminal, to callers with access to the job', async () => {
    const { id, reports, end } = await live();
    for (const line of ['one', 'two']) reports.log(line);
    await until(async () => (await part(people.li, id)).body.mark === '2', 'the lines');
    expect((await part(people.li, id)).body).toEqual({
      data: 'one\r\ntwo\r\n',
      end: false,
      mark: '2',
    });
    expect((await part(people.li, id, '1')).body).toEqual({
      data: 'two\r\n',
      end: false,
      mark: '2',
    });
    expect((await people.li.get(`ops/celery/task/${id}/result/`)).body).toEqual({
      id,
      result: null,
      state: 'STARTED',
    });
    for (let line = 0; line < 30; line += 1) reports.log('x'.repeat(900));
    await end();
    const first = (await part(people.li, id)).body;
    expect([first.end, Buffer.byteLength(String(first.data)) <= 10_240]).toEqual([false, true]);
    let all = '';
    for (let mark = '0', isOver = false; !isOver; ) {
      const { data, end: over, mark: next } = (await part(people.li, id, mark)).body;
      [all, mark, isOver] = [all + String(data), String(next), over === true];
    }
    expect(all.split('\r\n')).toHaveLength(33);
    expect((await people.li.get(`ops/celery/task/${id}/result/`)).body).toEqual({
      id,
      result: null,
      state: 'SUCCESS',
    });
    for (const name of ['mei', 'thereAdmin', 'auditor'] as const) {
      expect([name, (await part(people[name], id)).status]).toEqual([name, 404]);
      expect((await people[name].get(`ops/celery/task/${id}/result/`)).status).toBe(404);
    }
  });

  it('streams the log over a socket to users with access to the job only', async () => {
    const { id, reports, end } = await live();
    const listen = async (client: Client, said: unknown) => {
      const url = new URL('/ws/ops/tasks/log/', client.url);
      url.protocol = 'ws:';
      const socket = new WebSocket(url, { headers: { ...client.headers } });
      let text = '';
      let closed: number | undefined;
      socket.on('message', (data) => {
        text += (JSON.parse(String(data)) as { message: string }).message;
      });
      socket.on('close', (code) => {
        closed = code;
      });
      await new Promise((settle, refuse) => {
        socket.on('open', settle);
        socket.on('error', refuse);
      });
      socket.send(JSON.stringify(said));
      return {
        text: () => text,
        closed: () => closed,
        gone: () => until(() => closed !== undefined, 'the socket is closed'),
      };
    };
    const own = await listen(people.li, { task: id });
    reports.log('one');
    await until(() => own.text().includes('one\r\n'), 'the first line');
    for (const name of ['mei', 'thereAdmin', 'auditor'] as const) {
      const other = await listen(people[name], { task: id });
      await other.gone();
      expect([other.closed(), other.text().includes('one')]).toEqual([1008, false]);
    }
    for (const message of [{}, { task: 'x' }, 'x']) {
      const wrong = await listen(people.li, message);
      await wrong.gone();
      expect(wrong.closed()).toBe(1008);
    }
    await end();
    await own.gone();
    expect([own.closed(), own.text()]).toEqual([
      1000,
      expect.stringMatching(new RegExp(`^\\r\\none\\r\\nTask ${id} succeeded in [\\d.]+s\\r\\n$`)),
    ]);
  });
});

describe('the task monitor', () => {
  it('shows running and failed jobs, reasons and servers to super administrators', async () => {
    const { id, reports, end } = await live();
    reports.progress(3, 7);
    await sql`insert into job (id, name, subject, state, problem, date_started, date_finished)
      values (gen_random_uuid(), 'retention', 'monitored', 'failed', '{"code": "job_timeout"}',
        now() - interval '3 seconds', now())`.execute(test.db);
    await until(
      async () => (await people.installation.get<Json>(`common/jobs/${id}/`)).body.done === 3,
      'the progress',
    );
    const { status, body } = await people.installation.get<Json>('ops/task-monitor/');
    expect(status).toBe(200);
    expect(body.current).toContainEqual(
      expect.objectContaining({
        id,
        title: 'Test work',
        state: 'running',
        done: 3,
        total: 7,
        seconds: expect.any(Number),
      }),
    );
    expect(body.failed).toContainEqual(
      expect.objectContaining({
        subject: 'monitored',
        reason: 'The job took too long and was stopped.',
        seconds: 3,
      }),
    );
    expect(body.queues).toContainEqual(
      expect.objectContaining({ name: 'test-work', title: 'Test work', running: 1, workers: 1 }),
    );
    expect(body.servers).toEqual([expect.objectContaining({ is_alive: true, is_stopping: false })]);
    for (const name of ['li', 'hereAdmin'] as const)
      expect((await people[name].get('ops/task-monitor/')).status).toBe(403);
    await end();
  });
});
