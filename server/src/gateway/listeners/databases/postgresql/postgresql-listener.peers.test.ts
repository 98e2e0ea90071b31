import { dirname, join } from 'node:path';
import type { DatabasePassword } from '@sallyport/contract';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBinaries } from '../../../../platform/db/account.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { startClient } from '../../../../testing/databases/client-programs.ts';
import {
  type DatabaseWorld,
  startDatabaseWorld,
} from '../../../../testing/databases/client-world.ts';
import type { DatabaseGrant } from '../../../../testing/databases/grant-database.ts';
import {
  type PostgresServer,
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from '../../../../testing/databases/postgres-server.ts';
import { freePort } from '../../../../testing/free-port.ts';
import { until } from '../../../../testing/poll.ts';
import { bearer } from '../../../../testing/sign-in.ts';

let server: PostgresServer;
let world: DatabaseWorld;
let sales: DatabaseGrant;

const MANY = 300_000;

beforeAll(async () => {
  const [port, started] = await Promise.all([freePort(), startPostgres()]);
  server = started;
  world = await startDatabaseWorld({ postgresqlPort: port });
  sales = await world.add({
    type: 'postgresql',
    port: server.port,
    database: 'sales',
    username: VAULT_ACCOUNT,
    password: VAULT_PASSWORD,
  });
  await server.admin(
    `create table item (id int primary key, name text);
     grant all on item to public;
     insert into item select n, 'item ' || n from generate_series(1, 5) n`,
  );
});

afterAll(async () => {
  await world?.test.stop();
  await server?.stop();
});

const address = ({ port, username }: DatabasePassword, more = '') =>
  `host=127.0.0.1 port=${port} user=${username} ${more}`;
const psql = (issued: DatabasePassword, words: readonly string[], input?: string, more = '') =>
  startClient(
    'psql',
    ['-X', '-v', 'ON_ERROR_STOP=0', '-d', address(issued, more), ...words],
    { PGPASSWORD: issued.password, PGCONNECT_TIMEOUT: '90' },
    input,
  );
/** Connects a client; `gone` resolves with its first error outside of queries. */
async function connect(
  issued: DatabasePassword,
  more: pg.ClientConfig = {},
): Promise<pg.Client & { readonly gone: Promise<Error> }> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port: issued.port,
    user: issued.username,
    password: issued.password,
    database: 'sales',
    ...more,
  });
  const gone = new Promise<Error>((done) => client.on('error', done));
  await client.connect();
  return Object.assign(client, { gone });
}
const finished = async (database = sales) => {
  const { id } = await world.lastSession(database.app);
  await until(
    async () => (await world.lastSession(database.app)).is_finished === true,
    'the session is over',
  );
  return world.commands(id);
};

describe('a PostgreSQL client', () => {
  test('runs psql statements over TLS, and logs each with rows, duration and error', async () => {
    const issued = await world.password(sales);
    expect(issued).toMatchObject({
      protocol: 'postgresql',
      username: `${world.member.username}@${sales.accountName}@${sales.name}`,
      database: 'sales',
    });
    const { code, out, err } = await psql(
      issued,
      ['-A', '-t'],
      [
        'select current_user, current_database();',
        'select name from item where id < 3 order by id;',
        'select 1; select * from missing;',
        "insert into item values (10, 'ten') \\; delete from item where id = 10;",
        '\\conninfo',
        '',
      ].join('\n'),
      'sslmode=require',
    ).result;
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringContaining('relation "missing" does not exist'),
    });
    expect(out).toContain('reports|sales');
    expect(out).toContain('item 1\nitem 2');
    expect(out).toContain('SSL connection');
    const commands = await finished();
    expect(commands).toMatchObject([
      {
        input: 'select current_user, current_database()',
        row_count: 1,
        error: null,
        output: 'current_user\tcurrent_database\nreports\tsales',
      },
      { input: 'select name from item where id < 3 order by id', row_count: 2, error: null },
      { input: 'select 1', row_count: 1 },
      {
        input: 'select * from missing',
        row_count: null,
        error: '42P01 relation "missing" does not exist',
      },
      { input: "insert into item values (10, 'ten')", row_count: 1 },
      { input: 'delete from item where id = 10', row_count: 1 },
    ]);
    expect(commands.every(({ duration_ms }) => Number(duration_ms) >= 0)).toBe(true);
    expect(await world.lastSession(sales.app)).toMatchObject({
      login_from: 'DT',
      protocol: 'postgresql',
      asset: sales.name,
      target_kind: 'database_app',
      is_success: true,
      replay_state: 'finished',
      end_reason: 'session_finished',
    });
  });

  test('logs prepared statements with their values, and partially read portals once', async () => {
    const client = await connect(await world.password(sales));
    expect(
      (await client.query('select name from item where id = $1 or name = $2', [2, "it's"])).rows,
    ).toEqual([{ name: 'item 2' }]);
    for (const id of [3, 4])
      await client.query({
        name: 'by-id',
        text: 'select name from item where id = $1',
        values: [id],
      });
    await expect(client.query('select $1::int', ['no number'])).rejects.toMatchObject({
      code: '22P02',
    });
    await client.query('begin');
    await client.query({ text: 'select * from item', rows: 2 } as pg.QueryConfig);
    await client.query('commit');
    await client.end();
    expect(
      (await finished()).map(({ input, row_count, error }) => [input, row_count, error]),
    ).toEqual([
      ["select name from item where id = $1 or name = $2 -- $1 = '2', $2 = 'it''s'", 1, null],
      ["select name from item where id = $1 -- $1 = '3'", 1, null],
      ["select name from item where id = $1 -- $1 = '4'", 1, null],
      [expect.stringContaining('select $1::int'), null, expect.stringContaining('22P02')],
      ['begin', null, null],
      ['select * from item', 5, null],
      ['commit', null, null],
    ]);
  });

  test('streams many rows, and copies in both directions', async () => {
    const issued = await world.password(sales);
    const rows = await psql(issued, [
      '-A',
      '-t',
      '-c',
      `select n, 'row ' || n from generate_series(1, ${MANY}) n`,
    ]).result;
    expect(rows.out.trimEnd().split('\n')).toHaveLength(MANY);
    const copied = await psql(issued, ['-c', 'copy item to stdout'], undefined).result;
    expect(copied.out.split('\n')[0]).toBe('1\titem 1');
    const loaded = await psql(
      issued,
      [],
      'create table copy_of (id int, name text);\n\\copy copy_of from stdin\n' +
        '1\tone\n2\ttwo\n\\.\nselect count(*) from copy_of;\n',
    ).result;
    expect(loaded.err).toBe('');
    expect(loaded.out).toContain('COPY 2');
    expect((await finished()).map(({ input, row_count }) => [input, row_count])).toContainEqual([
      expect.stringMatching(/^COPY\s+copy_of FROM STDIN/i),
      2,
    ]);
  });

  test('logs files of COPY with their size, also failed and rejected ones', async () => {
    const account = {
      type: 'postgresql',
      port: server.port,
      database: 'sales',
      username: VAULT_ACCOUNT,
      password: VAULT_PASSWORD,
    } as const;
    const database = await world.add(account);
    const issued = await world.password(database);
    const script =
      'create table moved (id int, name text);\n\\copy moved from stdin\n1\tone\n2\ttwo\n\\.\n' +
      '\\copy moved from stdin\nx\tx\n\\.\ncopy moved to stdout;\n';
    const { out, err } = await psql(issued, [], script).result;
    expect([out, err]).toEqual([
      expect.stringContaining('1\tone\n2\ttwo\n'),
      expect.stringContaining('invalid input syntax'),
    ]);
    const name = (text: string) => `${database.name}: ${text}`;
    // psql sends the end mark too. The file log gets an entry shortly after the session.
    await expect
      .poll(() => world.files(database.app))
      .toEqual([
        ['Upload', name('COPY  moved FROM STDIN'), 15, ''],
        ['Upload', name('COPY  moved FROM STDIN'), expect.any(Number), 'file_incomplete'],
        ['Download', name('copy moved to stdout'), 12, ''],
      ]);
    const connectOnly = await world.add(account, { actions: ['connect'] });
    const narrow = await world.password(connectOnly);
    await psql(narrow, ['-c', 'copy moved to stdout']).result;
    await psql(narrow, [], '\\copy moved from stdin\n7\tx\n\\.\n').result;
    // The text does not look like a copy; only the server's answer reveals it.
    await psql(narrow, ['-c', 'copy moved to /* or not */ stdout']).result;
    await expect
      .poll(async () =>
        (await world.files(connectOnly.app)).map(([operation, , size, reason]) => [
          operation,
          size,
          reason,
        ]),
      )
      .toEqual([
        ['Download', null, 'database_download'],
        ['Upload', null, 'database_upload'],
        ['Download', null, 'database_download'],
      ]);
    const denied = await finished(connectOnly);
    expect(denied).toMatchObject([
      { input: 'copy moved to /* or not */ stdout', error: expect.stringContaining('saving data') },
    ]);
  });

  test('ends the statement and keeps the session on a cancel request', async () => {
    const running = psql(
      await world.password(sales),
      [],
      "select 'before';\nselect pg_sleep(600);\nselect 'after';\n",
    );
    await until(
      async () =>
        (
          await server.admin(
            "select 1 from pg_stat_activity where query like 'select pg_sleep(600)%'",
          )
        ).length === 1,
      'the statement runs',
    );
    running.child.kill('SIGINT');
    const { out, err } = await running.result;
    expect(err).toContain('canceling statement due to user request');
    expect(out).toContain('before');
  });
});

describe('libpq 18.4, next to the server of the tests', () => {
  const withLibpq18 = (issued: DatabasePassword, more: string, words: readonly string[]) =>
    startClient('psql', ['-X', '-A', '-t', '-d', address(issued, more), ...words], {
      PGPASSWORD: issued.password,
      PGCONNECT_TIMEOUT: '90',
      LD_LIBRARY_PATH: join(dirname(findBinaries().postgres), '../lib'),
    });

  test.each([
    'max_protocol_version=3.2',
    'max_protocol_version=latest sslmode=require',
    'sslnegotiation=direct sslmode=require',
    'sslnegotiation=direct sslmode=require max_protocol_version=3.2',
  ])('connects with %s', async (more) => {
    const issued = await world.password(sales);
    const { code, out, err } = await withLibpq18(issued, more, ['-c', 'select 40 + 2']).result;
    expect([code, out, err]).toEqual([0, '42\n', '']);
  });

  test.each(['3.0', '3.2'])('cancels a statement with the key of protocol %s', async (version) => {
    const statement = `select pg_sleep(600 + ${version})`;
    const running = withLibpq18(
      await world.password(sales),
      `sslnegotiation=direct sslmode=require max_protocol_version=${version}`,
      ['-c', statement],
    );
    await until(
      async () =>
        (
          await server.admin(
            `select 1 from pg_stat_activity where query = '${statement}' and state = 'active'`,
          )
        ).length === 1,
      'the statement runs',
    );
    running.child.kill('SIGINT');
    expect((await running.result).err).toContain('canceling statement due to user request');
  });
});

describe('rejected clients and statements', () => {
  test("rejects a wrong password, another user's, an expired one, and one of an ended sign-in", async () => {
    const issued = await world.password(sales);
    const refused = (client: Partial<DatabasePassword>) =>
      expect(connect({ ...issued, ...client })).rejects.toMatchObject({ code: '28P01' });
    await refused({ password: 'wrong' });
    await refused({ username: 'nobody@account@app' });
    const other = await world.add({
      type: 'postgresql',
      port: server.port,
      database: 'sales',
      username: VAULT_ACCOUNT,
      password: VAULT_PASSWORD,
    });
    await refused({ password: (await world.password(other)).password });
    const newer = await world.password(sales);
    await refused({ password: issued.password });
    await sql`
      update database_password set date_expired = now()
      where login = ${newer.username}`.execute(world.test.db);
    await refused({ password: newer.password });
    const leaving = (await bearer(world.test, world.member)).inOrganization(world.organization);
    const brief = await world.password(sales, leaving);
    const client = await connect(brief);
    await leaving.post('/core/auth/logout/', {});
    expect(await client.gone).toMatchObject({ code: '57P01' });
    await refused({ password: brief.password });
  });

  test('issues passwords only for granted databases, and does not store them', async () => {
    const issued = await world.password(sales);
    const { rows } = await sql<{ all: string }>`
      select jsonb_agg(to_jsonb(p))::text as all from database_password p`.execute(world.test.db);
    expect(rows[0]?.all).not.toContain(issued.password);
    const { body: stranger } = await world.person.post('terminal/databases/passwords/', {
      database_app: sales.app,
      system_user: sales.app,
    });
    expect(stranger).toMatchObject({ code: 'connect_denied' });
    expect(
      (
        await world.test.visitor.post('terminal/databases/passwords/', {
          database_app: sales.app,
          system_user: sales.systemUser,
        })
      ).status,
    ).toBe(401);
    expect(world.test.log()).not.toContain(issued.password);
  });

  test('rejects all forms of a filtered statement before the database gets it, and rolls back its batch', async () => {
    const filter = await world.administrator.post('assets/cmd-filters/', {
      name: 'no deletes',
      system_users: [sales.systemUser],
    });
    const rule = await world.administrator.post(`assets/cmd-filters/${filter.body.id}/rules/`, {
      type: 'regex',
      content: '(?i)\\bdelete\\b',
      action: 0,
      priority: 50,
    });
    expect(rule.status).toBe(201);
    const client = await connect(await world.password(sales));
    const denied = expect.objectContaining({
      code: '42501',
      message: expect.stringContaining('no deletes'),
    });
    await expect(client.query('delete from item')).rejects.toEqual(denied);
    await expect(
      client.query('insert into item values (20); dele/**/te from item; DELETE /* x */ FROM item'),
    ).rejects.toEqual(denied);
    await expect(client.query('delete from item where id = $1', [1])).rejects.toEqual(denied);
    expect((await client.query('select count(*)::int as n from item')).rows).toEqual([{ n: 5 }]);
    await client.query('begin');
    await expect(client.query('delete from item where id = $1', [1])).rejects.toEqual(denied);
    await expect(client.query('select 1')).rejects.toMatchObject({ code: '25P02' });
    await client.query('rollback');
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await world.administrator.patch(`assets/cmd-filters/${filter.body.id}/rules/${rule.body.id}/`, {
      action: 3,
      message: 'Deletions need care.',
    });
    const outcome = () =>
      client.query('delete from item').then(
        () => 'ran',
        ({ message }: Error) => message,
      );
    // The server hears of a changed rule a moment later.
    await expect.poll(outcome).toMatch(/^Deletions need care\. .*Run it in the browser/);
    await world.administrator.patch(`assets/cmd-filters/${filter.body.id}/rules/${rule.body.id}/`, {
      action: 2,
    });
    const noticed = new Promise<string>((done) =>
      client.once('notice', ({ message = '' }) => done(message)),
    );
    let held = outcome();
    for (let notice = ''; notice === ''; ) {
      notice = await Promise.race([noticed, held.then(() => '')]);
      if (notice === '') held = outcome();
      else expect(notice).toContain('The statement waits for a reviewer, at most 2 minutes.');
    }
    let ticket = '';
    await expect
      .poll(async () => {
        const { body } = await world.administrator.get<{ id: string; type: string }[]>(
          'tickets/tickets/?assign=1&status=open',
        );
        ticket = body.find(({ type }) => type === 'held_command')?.id ?? '';
        return ticket;
      })
      .not.toBe('');
    await world.administrator.patch(`tickets/tickets/${ticket}/`, { action: 'reject' });
    expect(await held).toContain('Rejected by a reviewer');
    await client.end();
    const commands = await finished();
    expect(commands.filter(({ is_denied }) => is_denied).length).toBeGreaterThanOrEqual(6);
    expect(commands.map(({ input }) => input)).toContain('delete from item');
    await world.administrator.delete(`assets/cmd-filters/${filter.body.id}/`);
    expect(
      (
        await server.admin(
          `select count(*)::int as n from pg_stat_activity
           where query ilike '%delete%' and pid <> pg_backend_pid()`,
        )
      )[0],
    ).toMatchObject({
      n: 0,
    });
  });

  test('rejects COPY without the right to upload or download, and writes of readers', async () => {
    const account = {
      type: 'postgresql',
      port: server.port,
      database: 'sales',
      username: VAULT_ACCOUNT,
      password: VAULT_PASSWORD,
    } as const;
    const connectOnly = await world.add(account, { actions: ['connect'] });
    const issued = await world.password(connectOnly);
    const out = await psql(issued, ['-c', 'copy item to stdout']).result;
    expect(out).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('does not include saving data'),
    });
    const into = await psql(
      issued,
      [],
      '\\copy item from stdin\n77\tx\n\\.\nselect count(*) from item where id = 77;\n',
    ).result;
    expect(into.err).toContain('does not include sending files');
    const reading = await world.password(await world.add(account, { is_read_only: true }));
    const client = await connect(reading);
    await expect(client.query('update item set name = name')).rejects.toMatchObject({
      code: '42501',
    });
    await expect(client.query('select pg_catalog.setval($1, 1)', ['x'])).rejects.toMatchObject({
      code: '42501',
    });
    // Flyway sets the role of its account.
    await client.query(`set role '${VAULT_ACCOUNT}'`);
    await expect(client.query('set role none')).rejects.toMatchObject({ code: '42501' });
    expect((await client.query('show transaction_read_only')).rows).toEqual([
      { transaction_read_only: 'on' },
    ]);
    await client.end();
  });

  test('ends the session with its permission, with the reason', async () => {
    const brief = await world.add({
      type: 'postgresql',
      port: server.port,
      database: 'sales',
      username: VAULT_ACCOUNT,
      password: VAULT_PASSWORD,
    });
    const issued = await world.password(brief);
    const client = await connect(issued);
    await world.administrator.patch(`perms/database-app-permissions/${brief.permission}/`, {
      is_active: false,
    });
    expect(await client.gone).toMatchObject({ code: '57P01' });
    await expect(connect(issued)).rejects.toMatchObject({ code: '08004' });
    expect((await server.admin('select current_setting($$server_version$$)')).length).toBe(1);
  });

  test('signs in with MD5, and sends a plain password only over TLS with a valid certificate', async () => {
    const account = {
      type: 'postgresql',
      port: server.port,
      database: 'sales',
      password: VAULT_PASSWORD,
    } as const;
    const works = async (database: DatabaseGrant) => {
      const client = await connect(await world.password(database));
      const { rows } = await client.query(
        `select current_user as name,
           (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as ssl`,
      );
      await client.end();
      return rows[0];
    };
    expect(await works(await world.add({ ...account, username: 'old' }))).toEqual({
      name: 'old',
      ssl: false,
    });
    await expect(works(await world.add({ ...account, username: 'plain' }))).rejects.toMatchObject({
      code: '08004',
    });
    const secured = {
      host: 'localhost',
      more: { tls: 'required', ca_certificate: server.authority },
    };
    expect(await works(await world.add({ ...account, ...secured, username: 'plain' }))).toEqual({
      name: 'plain',
      ssl: true,
    });
    await expect(
      works(await world.add({ ...account, username: 'old', more: { tls: 'required' } })),
    ).rejects.toMatchObject({
      message: expect.stringContaining('valid certificate'),
    });
    await expect(
      works(await world.add({ ...account, username: 'old', password: 'another' })),
    ).rejects.toMatchObject({
      message: expect.stringContaining('credentials'),
    });
  });
});
