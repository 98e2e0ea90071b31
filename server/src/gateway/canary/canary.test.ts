import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import type { Client, Page } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { ADMIN, bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test, ADMIN);
});
afterAll(() => test.stop());

interface TerminalRow {
  readonly id: string;
  readonly canary_date: string | null;
  readonly canary_milliseconds: number | null;
  readonly canary_problem: string;
  readonly session_online: number;
}
interface SessionRow {
  readonly id: string;
  readonly user: string;
  readonly is_canary: boolean;
  readonly is_success: boolean;
  readonly replay_state: string;
  readonly end_reason: string;
}

const terminal = async (client = admin) =>
  (await client.get<TerminalRow[]>('terminal/terminals/')).body[0];
const sessions = async (query = '') =>
  (await admin.get<SessionRow[]>(`terminal/sessions/?${query}`)).body;
const health = async () =>
  (
    await test.visitor.get<{ dependencies: Record<string, { status: string } | undefined> }>(
      '/api/health/',
    )
  ).body.dependencies.canary?.status;
const every = (minutes: number) =>
  admin.patch('settings/setting/', { TERMINAL_CANARY_MINUTES: minutes });

it('does not run by default: no session, no result, no entry in the health report', async () => {
  expect(await terminal()).toMatchObject({
    canary_date: null,
    canary_milliseconds: null,
    canary_problem: '',
  });
  expect(await health()).toBeUndefined();
  expect((await every(-1)).status).toBe(400);
});

it('opens, records, replays and verifies its own session, which is marked, hidden by default and not counted', async () => {
  expect((await every(1440)).status).toBe(200);
  await until(async () => (await terminal())?.canary_date !== null, 'the result of the first run');
  expect(await terminal()).toMatchObject({ canary_problem: '', session_online: 0 });
  expect((await terminal())?.canary_milliseconds).toBeGreaterThan(0);
  expect(await health()).toBe('up');

  expect(await sessions()).toEqual([]);
  const [session, ...others] = await sessions('is_canary=true');
  expect(others).toEqual([]);
  expect(session).toMatchObject({
    user: 'Canary',
    is_canary: true,
    is_success: true,
    replay_state: 'finished',
    end_reason: 'connect_target_closed',
  });
  expect((await admin.get<Page>('terminal/commands/?limit=5')).body.count).toBe(0);
  expect(
    await admin.get('index/?total_count=1&dates_metrics=1').then(({ body }) => body),
  ).toMatchObject({
    total_count_online_sessions: 0,
    dates_metrics_total_count_login: [0, 0, 0, 0, 0, 0, 0],
  });
  // It replays like any other session, and log verification succeeds without it.
  expect((await admin.get(`terminal/sessions/${session?.id}/replay/`)).status).toBe(200);
  expect((await admin.post<{ sessions: unknown }>('audits/verify/')).body.sessions).toMatchObject({
    wrong: 0,
  });
});

it('reports a failure in both languages, in health and attention, without details', async () => {
  await every(0);
  await until(async () => (await terminal())?.canary_date === null, 'the earlier result is gone');
  expect(await health()).toBeUndefined();
  // Recording fails: the reserve exceeds the free disk space.
  await admin.patch('settings/setting/', { TERMINAL_RECORDING_DISK_RESERVE: 1_000_000 });
  await every(1440);
  await until(async () => (await terminal())?.canary_problem !== '', 'the problem');
  expect((await terminal())?.canary_problem).toMatch(/^No session could be opened: /);
  expect((await terminal(admin.with({ 'accept-language': 'zh' })))?.canary_problem).toMatch(
    /^无法打开会话：/,
  );
  expect(await health()).toBe('down');
  // Below the reserve the server is unhealthy because it cannot record; a failed canary alone is
  // not enough.
  expect((await test.visitor.get('/api/health/')).status).toBe(503);
  await admin.patch('settings/setting/', { TERMINAL_RECORDING_DISK_RESERVE: 512 });
  expect((await test.visitor.get('/api/health/')).status).toBe(200);
  expect(await health()).toBe('down');
  const attention = await admin.get<{ kind: string; count: number }[]>('common/attention/');
  expect(attention.body.find(({ kind }) => kind === 'failed_canaries')).toMatchObject({ count: 1 });
  expect(
    (await admin.get<Page>('terminal/terminals/?attention=failed_canaries&limit=1')).body.count,
  ).toBe(1);
});

it('keeps its last sessions and removes older ones with their recordings', async () => {
  const { rows } = await sql<{ left: number }>`
    insert into session
      ("user", asset, "system_user", is_canary, is_finished, holder, date_start)
    select 'Canary', 'canary', 'canary', true, true, (select holder from terminal limit 1),
      now() - make_interval(days => 1, mins => i)
    from generate_series(1, 30) i
    returning 0 as left`.execute(test.db);
  expect(rows).toHaveLength(30);
  await admin.patch('settings/setting/', { TERMINAL_RECORDING_DISK_RESERVE: 512 });
  await every(0);
  await until(async () => (await terminal())?.canary_date === null, 'the earlier result is gone');
  await every(1440);
  await until(
    async () =>
      (await terminal())?.canary_date !== null && (await terminal())?.canary_problem === '',
    'the next run',
  );
  await until(async () => (await sessions('is_canary=1')).length === 10, 'ten sessions are left');
  expect((await sessions('is_canary=1'))[0]).toMatchObject({ is_success: true });
});
