import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseClock } from '../../platform/clock.ts';
import { sql } from '../../platform/db/sql.ts';
import { buildAsset, buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { withShiftedClock } from '../../testing/shifted-clock.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startSshServer } from '../../testing/ssh/ssh-server.ts';
import type { SshTarget } from '../../testing/ssh/ssh-target.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let sshd: SshTarget;
let administrator: Client;
let asset: string;
let systemUser: string;
let pool: pg.Pool;

beforeAll(async () => {
  [test, sshd] = await Promise.all([startTestProgram(), startSshServer()]);
  administrator = await bearer(test);
  pool = new pg.Pool({ connectionString: test.databaseUrl, max: 1 });
  asset = await buildAsset(test.db, { port: sshd.port });
  const account = {
    name: unique('account'),
    username: sshd.username,
    login_mode: 'auto',
    protocol: 'ssh',
    private_key: sshd.privateKey,
  };
  systemUser = String((await administrator.post<Json>('assets/system-users/', account)).body.id);
});
afterAll(async () => {
  await pool?.end();
  await test?.stop();
  await sshd?.stop();
});

const now = async () => {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(test.db);
  return rows[0]?.now.getTime() ?? 0;
};

/** Opens a terminal by a new permission, which may end. */
async function openTerminal(ends: { readonly date_expired?: string } = {}) {
  const user = await buildUser(test.db);
  const rule = await administrator.post('perms/asset-permissions/', {
    name: unique('rule'),
    users: [user.id],
    assets: [asset],
    system_users: [systemUser],
    ...ends,
  });
  expect(rule.status).toBe(201);
  const { headers } = await bearer(test, user);
  const base = test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');
  const terminal = await TerminalClient.connect(base, { asset, system_user: systemUser }, headers);
  const { session } = await terminal.message('open');
  return { terminal, session };
}

/** Types a command, and ends the session. Returns its id. */
async function useTerminal(): Promise<string> {
  const { terminal, session } = await openTerminal();
  terminal.type('echo one\r');
  await terminal.waitFor('\rone');
  terminal.type('exit\r');
  await terminal.message('closed');
  return session;
}

it.each([2, -2, 24 * 150, -24 * 150])(
  'gives sessions and commands the time of the database when the clock of the server is %s hours ahead',
  async (hours) => {
    const began = await now();
    const session = await withShiftedClock(hours, useTerminal);
    const moments = async () =>
      (
        await sql<{ date: Date }>`
          select date_start as date from session where id = ${session}
          union all select date from command where session = ${session}
          union all select date_end from session where id = ${session} and is_finished`.execute(
          test.db,
        )
      ).rows.map(({ date }) => date.getTime());
    await until(async () => (await moments()).length >= 4, 'the end and both commands are stored');
    const ended = await now();
    // The clock is followed to a fraction of a second.
    for (const moment of await moments()) {
      expect(moment).toBeGreaterThan(began - 1_000);
      expect(moment).toBeLessThan(ended + 1_000);
    }
  },
);

it.each([2, -2])(
  'ends a session with its permission, by the time of the database, when the clock of the server is %s hours ahead',
  async (hours) => {
    const end = (await now()) + 8_000;
    const code = await withShiftedClock(hours, async () => {
      const { terminal } = await openTerminal({ date_expired: new Date(end).toISOString() });
      return (await terminal.message('closed')).code;
    });
    expect(code).toBe('connect_expired');
    expect(await now()).toBeGreaterThanOrEqual(Math.floor(end / 1000) * 1000);
  },
);

it('reports the clock in health and to those above organizations when it differs by more than two seconds', async () => {
  const health = async () =>
    (await test.visitor.get<{ status: number; dependencies: Json }>('/api/health/')).body;
  const clockOf = ({ dependencies }: { dependencies: Json }) => dependencies.clock;
  await databaseClock.read(pool);
  expect(clockOf(await health())).toEqual({ status: 'up' });
  for (const [hours, status] of [
    [1.5 / 3600, 'up'],
    [-3 / 3600, 'down'],
    [2, 'down'],
  ] as const) {
    const body = await withShiftedClock(hours, async () => {
      await databaseClock.read(pool);
      return health();
    });
    expect([body.status, clockOf(body)]).toEqual([1, { status }]);
  }
  await databaseClock.read(pool);
  expect(clockOf(await health())).toEqual({ status: 'up' });
});

it('names other servers whose clock differs, while they are alive', async () => {
  const kinds = async () =>
    (
      await administrator.get<readonly { kind: string; examples: readonly Json[] }[]>(
        'common/attention/',
      )
    ).body.filter(({ kind }) => kind === 'clocks_apart');
  await sql`update server set clock_ahead = 1000`.execute(test.db);
  expect(await kinds()).toEqual([]);
  for (const [name, ahead, seen] of [
    ['near', 1_900, 0],
    ['ahead', 7_200_000, 0],
    ['behind', -2_600, 0],
    ['dead', 7_200_000, 60],
  ] as const)
    await sql`
      insert into server (id, host, port, instance, clock_ahead, date_seen)
      values (${name}, ${name}, 1, ${name}, ${ahead},
        now() - make_interval(secs => ${seen}))`.execute(test.db);
  expect((await kinds()).map(({ examples }) => examples.map(({ name }) => name))).toEqual([
    ['ahead (+7200 s)', 'behind (-3 s)'],
  ]);
  await sql`delete from server where id in ('near', 'ahead', 'behind', 'dead')`.execute(test.db);
});
