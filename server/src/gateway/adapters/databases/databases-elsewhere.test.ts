import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildOrganization, buildUser, unique } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { type DatabaseWorld, startDatabaseWorld } from '../../../testing/databases/client-world.ts';
import type { DatabaseGrant } from '../../../testing/databases/grant-database.ts';
import {
  type PostgresServer,
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from '../../../testing/databases/postgres-server.ts';
import { QueryClient } from '../../../testing/databases/query-client.ts';
import { freePort } from '../../../testing/free-port.ts';
import { until } from '../../../testing/poll.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startSshServer } from '../../../testing/ssh/ssh-server.ts';
import type { SshTarget } from '../../../testing/ssh/ssh-target.ts';
import { TerminalClient } from '../../../testing/terminals/terminal-client.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let server: PostgresServer;
let world: DatabaseWorld;
let other: TestProgram;
let sales: DatabaseGrant;

beforeAll(async () => {
  const [port, started] = await Promise.all([freePort(), startPostgres()]);
  server = started;
  const secretKey = randomBytes(32).toString('hex');
  world = await startDatabaseWorld({ postgresqlPort: port, secretKey });
  other = await startTestProgram({ secretKey, databaseUrl: world.test.databaseUrl });
  sales = await world.add(account());
});
afterAll(async () => {
  await other?.stop();
  await world?.test.stop();
  await server?.stop();
});

const account = () =>
  ({
    type: 'postgresql',
    port: server.port,
    database: 'sales',
    username: VAULT_ACCOUNT,
    password: VAULT_PASSWORD,
  }) as const;
const workspace = ({ app, systemUser }: DatabaseGrant) =>
  QueryClient.connect(
    world.test.program.url,
    { app, system_user: systemUser },
    world.person.headers,
  );
const base = ({ program }: TestProgram) => program.url.replace(/^http/, 'ws').replace(/\/$/, '');
const finished = (app: string) =>
  until(async () => (await world.lastSession(app)).is_finished === true, 'the session has ended');
const watch = (at: TestProgram, session: string, viewer: Client) =>
  new TerminalClient(`${base(at)}/ws/watch/?session=${session}`, viewer.headers);

/**
 * Connects a PostgreSQL client with a new password of the member; `gone` resolves with the error
 * that ends the connection.
 */
async function connect(
  database: DatabaseGrant,
): Promise<pg.Client & { readonly gone: Promise<Error> }> {
  const { port, username: user, password } = await world.password(database);
  const client = new pg.Client({ host: '127.0.0.1', port, user, password, database: 'sales' });
  const gone = new Promise<Error>((done) => client.on('error', done));
  await client.connect();
  return Object.assign(client, { gone });
}

describe('a database behind the gateway of a domain', () => {
  let sshd: SshTarget;
  let far: DatabaseGrant;
  beforeAll(async () => {
    sshd = await startSshServer();
    const domain = String(
      (await world.administrator.post<Json>('assets/domains/', { name: unique('domain') })).body.id,
    );
    const hop = {
      name: unique('hop'),
      domain,
      ip: '127.0.0.1',
      port: sshd.port,
      username: sshd.username,
      private_key: sshd.privateKey,
      protocol: 'ssh',
    };
    expect((await world.administrator.post('assets/gateways/', hop)).status).toBe(201);
    far = await world.add({ ...account(), more: { domain } });
  });
  afterAll(() => sshd?.stop());

  it('reaches the database through the gateway from the workspace and from clients, with cancel, and never directly', async () => {
    const browser = await workspace(far);
    await browser.message('open');
    expect(await browser.rows('select 1 + 1')).toEqual([['2']]);
    const running = browser.begin('select pg_sleep(3600)');
    await browser.message('statement', running.from);
    browser.send({ type: 'cancel' });
    expect((await browser.finish(running)).failed?.message).toContain('cancel');
    browser.close();
    const client = await connect(far);
    const { rows } = await client.query(
      "select repeat('x', 1000) as text from generate_series(1, 5000)",
    );
    expect(rows).toHaveLength(5000);
    // The gateway is the only route: without it both fail, and none connects directly.
    await sshd.kill();
    expect(await client.gone).toBeInstanceOf(Error);
    await finished(far.app);
    await expect(connect(far)).rejects.toMatchObject({
      code: '08004',
      message: expect.stringContaining(String(sshd.port)),
    });
    await expect((await workspace(far)).message('open')).rejects.toThrow(String(sshd.port));
  });
});

describe('sessions of databases on two servers', () => {
  it('watches, ends and replays the sessions of clients from the other server', async () => {
    const client = await connect(sales);
    const { id } = await world.lastSession(sales.app);
    const auditor = (
      await bearer(
        other,
        await buildUser(world.test.db, {
          memberOf: [{ organization: world.organization, role: 'Auditor' }],
        }),
      )
    ).inOrganization(world.organization);
    const watcher = watch(other, String(id), auditor);
    await watcher.message('resize');
    await client.query("select 'seen from ' || 'there' as news");
    await watcher.waitFor('seen from there');
    const administrator = (await bearer(other)).inOrganization(world.organization);
    expect((await administrator.post<Json>('terminal/tasks/kill-session/', [id])).body).toEqual({
      ok: [id],
    });
    expect(await client.gone).toMatchObject({ code: '57P01' });
    await finished(sales.app);
    expect(await world.lastSession(sales.app)).toMatchObject({
      end_reason: 'session_terminated',
      replay_state: 'finished',
      command_amount: 1,
    });
    expect((await administrator.get(`terminal/sessions/${id}/replay/download/`)).text).toContain(
      'seen from there',
    );

    const browser = await workspace(sales);
    const { session } = await browser.message('open');
    await administrator.post('terminal/tasks/kill-session/', [session]);
    await until(
      () =>
        browser.messages.some(
          (message) => message.type === 'closed' && message.code === 'session_terminated',
        ),
      'the workspace is closed',
    );
  });
});

describe('another organization', () => {
  it('shows no sessions, commands, files or recordings of databases to another organization, and opens none', async () => {
    const client = await connect(sales);
    await client.query('select 2 as kept_apart');
    await client.query('copy (select 3) to stdout').catch(() => undefined);
    const { id } = await world.lastSession(sales.app);
    const there = await buildOrganization(world.test.db);
    const of = async (role: 'Admin' | 'Auditor') =>
      (
        await bearer(
          world.test,
          await buildUser(world.test.db, { memberOf: [{ organization: there, role }] }),
        )
      ).inOrganization(there);
    for (const stranger of [await of('Admin'), await of('Auditor')]) {
      for (const list of ['terminal/sessions/', 'terminal/commands/', 'audits/ftp-logs/'])
        expect([
          list,
          (await stranger.get<{ count: number }>(`${list}?limit=10`)).body.count,
        ]).toEqual([list, 0]);
      expect(
        (await stranger.get<{ count: number }>(`terminal/commands/?limit=10&session_id=${id}`)).body
          .count,
      ).toBe(0);
      for (const path of [
        `terminal/sessions/${id}/`,
        `terminal/sessions/${id}/replay/`,
        `terminal/sessions/${id}/replay/download/`,
      ])
        expect([path, (await stranger.get(path)).status]).toEqual([path, 404]);
      const watcher = watch(world.test, String(id), stranger);
      await watcher.until('the watcher is sent away', () => watcher.closeCode);
      expect(watcher.output).toBe('');
      const created = await stranger.post('terminal/databases/passwords/', {
        database_app: sales.app,
        system_user: sales.systemUser,
      });
      expect([created.status >= 400, created.body]).toEqual([
        true,
        expect.not.objectContaining({ password: expect.anything() }),
      ]);
      const opened = await QueryClient.connect(
        world.test.program.url,
        { app: sales.app, system_user: sales.systemUser },
        stranger.headers,
      );
      await expect(opened.message('open')).rejects.toThrow('connect_denied');
    }
    const administrator = await of('Admin');
    await administrator.post('terminal/tasks/kill-session/', [id]);
    expect((await client.query('select 4 as still_open')).rows).toEqual([{ still_open: 4 }]);
    await client.end();
  });
});
