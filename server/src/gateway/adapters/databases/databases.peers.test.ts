import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildUser, unique } from '../../../testing/builders.ts';
import type { Json } from '../../../testing/client.ts';
import {
  type DatabaseWorld,
  type GrantedDatabase,
  startDatabaseWorld,
} from '../../../testing/databases/database-world.ts';
import { type Mariadb, startMariadb } from '../../../testing/databases/mariadb.ts';
import { type RedisServer, startRedisServer } from '../../../testing/databases/redis-server.ts';
import { startSocketBridge } from '../../../testing/gateway/socket-bridge.ts';
import { until } from '../../../testing/poll.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/test-database.ts';
import { unzip } from '../../../testing/unzip.ts';

const PASSWORD = 'vault se"cret 9';

let world: DatabaseWorld;
let place: TestDatabase;
let mariadb: Mariadb;
let redisServer: RedisServer;
let postgres: GrantedDatabase;
let role: string;
let address: { readonly port: number; readonly database: string };
let bridge: Awaited<ReturnType<typeof startSocketBridge>>;
beforeAll(async () => {
  [world, place, mariadb, redisServer] = await Promise.all([
    startDatabaseWorld(),
    createTestDatabase('empty'),
    startMariadb(),
    startRedisServer(PASSWORD),
  ]);
  role = unique('clerk').replaceAll('-', '_');
  const url = new URL(place.setupUrl);
  bridge = await startSocketBridge(`${url.searchParams.get('host')}/.s.PGSQL.${url.port || 5432}`);
  address = { port: bridge.port, database: url.pathname.slice(1) };
  const client = new pg.Client({ connectionString: place.setupUrl });
  await client.connect();
  await client.query(`create role ${role} login password '${PASSWORD}';
    create table public.item (id int primary key, name text, price numeric);
    insert into item values (1, 'chair', 49.5), (2, null, 7);
    grant select, insert, update, delete on item to ${role}`);
  await client.end();
  postgres = await world.grant({
    type: 'postgresql',
    host: '127.0.0.1',
    ...address,
    username: role,
    password: PASSWORD,
  });
});
afterAll(async () => {
  await world?.stop();
  await Promise.all([mariadb?.stop(), redisServer?.stop(), bridge?.stop()]);
  await place?.drop();
  const client = new pg.Client({ connectionString: process.env.SALLYPORT_TEST_SETUP_URL });
  await client.connect();
  await client.query(`drop role if exists ${role}`).finally(() => client.end());
});

/** Waits until the session has ended and all its rows are written. */
const ended = (database: GrantedDatabase) =>
  until(async () => (await database.lastSession()).is_finished === true, 'the session has ended');

describe('PostgreSQL', () => {
  it('runs statements and scripts, marks errors at their position, and logs rows and errors', async () => {
    const client = await postgres.connect();
    expect(await client.message('open')).toMatchObject({
      database: 'postgresql',
      can_export: true,
      is_read_only: false,
    });
    const script = await client.query(
      "select id, name, price from item order by id; -- first\nupdate item set price = 8 where id = 2; select nonsense from item; select 'never'",
    );
    expect(script.messages.filter(({ type }) => type === 'statement')).toHaveLength(3);
    expect(script.answered).toMatchObject([
      { rows: 2, result: 1 },
      { rows: 1, result: null },
    ]);
    expect(script.failed).toMatchObject({
      message: expect.stringContaining('nonsense'),
      is_refused: false,
      position: 102,
    });
    expect(script.messages.find(({ type }) => type === 'result')).toMatchObject({
      columns: [
        { name: 'id', type: 'int4' },
        { name: 'name', type: 'text' },
        { name: 'price', type: 'numeric' },
      ],
    });
    expect(await client.page(1, 0, 10)).toEqual([
      ['1', 'chair', '49.5'],
      ['2', null, '7'],
    ]);
    expect(
      (await client.query('select 1; select 2', 12)).messages.find(
        ({ type }) => type === 'statement',
      ),
    ).toMatchObject({ text: 'select 2' });
    client.send({ type: 'schema' });
    expect(await client.message('schema')).toMatchObject({
      tables: [
        { schema: 'public', name: 'item', columns: [{ name: 'id', type: 'integer' }, {}, {}] },
      ],
    });
    expect(client.received).not.toContain('vault se');
    client.close();
    await ended(postgres);
    expect(await postgres.lastSession()).toMatchObject({
      protocol: 'postgresql',
      target_kind: 'database_app',
      is_success: true,
      replay_state: 'finished',
      command_amount: 4,
    });
    expect(await postgres.commands()).toMatchObject([
      {
        input: 'select id, name, price from item order by id',
        row_count: 2,
        error: null,
        output: 'id\tname\tprice\n1\tchair\t49.5\n2\tNULL\t7',
      },
      { input: 'update item set price = 8 where id = 2', row_count: 1 },
      {
        input: 'select nonsense from item',
        row_count: null,
        error: expect.stringContaining('nonsense'),
      },
      { input: 'select 2', row_count: 1 },
    ]);
    const { id } = await postgres.lastSession();
    const listed = await world.administrator.get(`terminal/sessions/${id}/`);
    expect(listed.body).toMatchObject({
      kind: 'query',
      target_kind: 'database_app',
      can_replay: true,
      links: { asset: { resource: 'database_app', id: postgres.app } },
    });
    const of = async (kind: string) =>
      (await world.administrator.get<{ id: string }[]>(`terminal/sessions/?kind=${kind}`)).body.map(
        (row) => row.id,
      );
    expect([
      (await of('query')).includes(String(id)),
      (await of('terminal')).includes(String(id)),
    ]).toEqual([true, false]);
    expect(
      (await world.administrator.get(`terminal/commands/?session_id=${id}&is_failed=1`)).body,
    ).toMatchObject([{ input: 'select nonsense from item', is_failed: true }]);
    const { body: timeline } = await world.administrator.get<{
      entries: { text: string; is_success: boolean }[];
    }>(`terminal/sessions/${id}/timeline/`);
    expect(timeline.entries.filter((entry) => !entry.is_success).map(({ text }) => text)).toEqual([
      'select nonsense from item',
    ]);
    const replay = await world.administrator.get(`terminal/sessions/${id}/replay/download/`);
    expect([replay.status, replay.text.includes('vault se')]).toEqual([200, false]);
  });

  it('shows the state of transactions, and begins them automatically with autocommit off', async () => {
    const client = await postgres.connect();
    await client.message('open');
    expect(
      (await client.query('begin; update item set price = 1 where id > 0')).finished.transaction,
    ).toBe('open');
    expect((await client.query('select 1/0')).finished.transaction).toBe('failed');
    expect((await client.query('rollback')).finished.transaction).toBe('none');
    client.send({ type: 'autocommit', on: false });
    expect(
      (await client.query("update item set name = 'desk' where id = 1")).finished,
    ).toMatchObject({ transaction: 'open', autocommit: false });
    await client.query('rollback');
    client.send({ type: 'autocommit', on: true });
    expect(await client.rows('select name from item where id = 1')).toEqual([['chair']]);
    client.close();
    await ended(postgres);
    expect((await postgres.commands()).map(({ input }) => input)).toContain('begin');
  });

  it('returns a million rows in pages, cuts the rest, and cancels a running statement', async () => {
    const client = await postgres.connect();
    await client.message('open');
    const { answered } = await client.query(
      "select n, 'row ' || n from generate_series(1, 1000005) n",
    );
    expect(answered).toMatchObject([{ rows: 1_000_000, is_cut: true }]);
    const result = answered[0]?.result ?? 0;
    expect(await client.page(result, 999_998, 10)).toEqual([
      ['999999', 'row 999999'],
      ['1000000', 'row 1000000'],
    ]);
    expect(await client.page(result, 500_000, 1)).toEqual([['500001', 'row 500001']]);
    const running = client.begin('select pg_sleep(3600)');
    await client.message('statement', running.from);
    client.send({ type: 'cancel' });
    expect((await client.finish(running)).failed?.message).toContain('cancel');
    expect(await client.rows('select 1')).toEqual([['1']]);
    client.close();
    await ended(postgres);
  });

  it('closes the session when a single value is too long', async () => {
    const client = await postgres.connect();
    await client.message('open');
    await client.query("select repeat('x', 100000000)").catch(() => undefined);
    await until(
      () => client.messages.some(({ type }) => type === 'closed'),
      'the session was closed',
    );
    expect(client.messages.at(-1)).toMatchObject({
      type: 'closed',
      code: 'connect_target_flooded',
    });
    await ended(postgres);
  });

  it('rejects statements that a filter denies, in any spelling, before the database receives them', async () => {
    const filter = await world.administrator.post('assets/cmd-filters/', {
      name: unique('filter'),
      system_users: [postgres.systemUser],
    });
    const rule = {
      type: { value: 'command' },
      content: 'drop table\ndelete from',
      priority: 50,
      action: 0,
    };
    const created = await world.administrator.post(`assets/cmd-filters/${filter.body.id}/rules/`, {
      ...rule,
      type: 'command',
    });
    expect(created.status).toBe(201);
    const client = await postgres.connect();
    await client.message('open');
    for (const text of [
      'DROP TABLE item',
      'drop /* a */ table item',
      'select 1;\nDelete\nFrom item',
      'select 1; delete from "item"',
      String.raw`do $$ begin execute E'dr\157p table item'; end $$`,
      String.raw`do U&'begin delete\0020from item; end'`,
    ]) {
      const { failed, messages } = await client.query(text);
      expect([text, failed?.is_refused, messages.some(({ type }) => type === 'statement')]).toEqual(
        [text, true, false],
      );
    }
    expect(await client.rows('select count(*) from item -- delete from')).toEqual([['2']]);
    client.close();
    await ended(postgres);
    expect(await postgres.lastSession()).toMatchObject({ commands_denied: 6, risk_level: 5 });
    expect((await postgres.commands())[0]).toMatchObject({
      input: 'DROP TABLE item',
      is_denied: true,
      output: expect.stringContaining('drop table'),
      error: null,
    });
    await world.administrator.delete(`assets/cmd-filters/${filter.body.id}/`);
  });

  it('rejects writes with a read-only permission, and allows them from the next statement after a change', async () => {
    const path = `perms/database-app-permissions/${postgres.permission}/`;
    expect((await world.administrator.patch(path, { is_read_only: true })).status).toBe(200);
    const client = await postgres.connect();
    expect(await client.message('open')).toMatchObject({ is_read_only: true });
    for (const text of [
      'insert into item values (9)',
      'with a as (delete from item returning *) select * from a',
      "select set_config('default_transaction_read_only', 'off', false)",
      'begin read write',
      'set default_transaction_read_only = off',
    ])
      expect([text, (await client.query(text)).failed?.is_refused]).toEqual([text, true]);
    expect(await client.rows('show transaction_read_only')).toEqual([['on']]);
    await world.administrator.patch(path, { is_read_only: false });
    await until(
      () => client.messages.some((message) => message.type === 'rights' && !message.is_read_only),
      'the rights have changed',
    );
    expect((await client.query('update item set price = 7 where id = 2')).answered).toMatchObject([
      { rows: 1 },
    ]);
    client.close();
    await ended(postgres);
  });

  it('exports a result as a file, logs it, and requires the right to download', async () => {
    const client = await postgres.connect();
    await client.message('open');
    const { answered } = await client.query(
      "select n, null as nothing, '' as empty, '=1' || n as formula from generate_series(1, 50000) n",
    );
    client.send({ type: 'export', result: answered[0]?.result ?? 0 });
    const { bytes } = await client.message('exported');
    const lines = client.file.toString('utf8').split('\r\n');
    expect([client.file.length, lines.length, lines[0], lines[50_000]]).toEqual([
      bytes,
      50_002,
      '\uFEFFn,nothing,empty,formula',
      `50000,,"",'=150000`,
    ]);
    const read = async () =>
      (
        await world.administrator.get<Json[]>(
          `audits/ftp-logs/?session=${(await postgres.lastSession()).id}`,
        )
      ).body;
    await until(async () => (await read()).length > 0, 'the file is logged');
    const logged = await read();
    expect(logged).toMatchObject([
      { operate: 'Download', size: bytes, filename: expect.stringMatching(/result-1\.csv$/) },
    ]);
    expect(logged).toMatchObject([
      { can_replay: false, links: { asset: { resource: 'database_app', id: postgres.app } } },
    ]);
    expect(logged[0]?.offset_seconds).toBeGreaterThan(0);
    const large = "select 123456789012345678901234567890 as n, '007' as code, null, '' as empty";
    const wide = (await client.query(large)).answered;
    const [before, from] = [client.file.length, client.messages.length];
    client.send({ type: 'export', result: wide[0]?.result ?? 0, format: 'xlsx' });
    await client.message('exported', from);
    const sheet = unzip(client.file.subarray(before)).get('xl/worksheets/sheet1.xml');
    const text = (value: string, cell: string) =>
      `<c r="${cell}" t="inlineStr"><is><t xml:space="preserve">${value}</t></is></c>`;
    expect(sheet).toContain(
      `<row r="2">${text('123456789012345678901234567890', 'A2')}${text('007', 'B2')}<c r="C2"/>${text('', 'D2')}</row>`,
    );
    const path = `perms/database-app-permissions/${postgres.permission}/`;
    await world.administrator.patch(path, { actions: ['connect'] });
    await client.message('rights');
    client.send({ type: 'export', result: 1 });
    expect(await client.message('refused')).toMatchObject({
      message: expect.stringContaining('saving data'),
    });
    await world.administrator.patch(path, { actions: ['all'] });
    client.close();
    await ended(postgres);
  });

  it('closes the session when the permission ends, and rejects users without one', async () => {
    const client = await postgres.connect();
    await client.message('open');
    const question = {
      action: 'disable',
      resource: 'database_app_permission',
      ids: [postgres.permission],
    };
    const forecast = (
      await world.administrator.post<{ consequences: unknown[] }>('perms/consequences/', question)
    ).body;
    expect(forecast.consequences).toEqual([
      { kind: 'sessions_cut', count: 1, names: [expect.stringContaining(' → ')], blocks: false },
    ]);
    await world.administrator.patch(`perms/database-app-permissions/${postgres.permission}/`, {
      is_active: false,
    });
    await until(
      () => client.messages.some(({ type }) => type === 'closed'),
      'the session was closed',
    );
    expect(client.messages.at(-1)).toMatchObject({ type: 'closed', code: 'connect_expired' });
    await ended(postgres);
    await expect((await postgres.connect()).message('open')).rejects.toThrow('connect_denied');
    await world.administrator.patch(`perms/database-app-permissions/${postgres.permission}/`, {
      is_active: true,
    });
    const stranger = (await bearer(world.test, await buildUser(world.test.db))).inOrganization('');
    await expect((await postgres.connect(stranger)).message('open')).rejects.toThrow(
      'connect_denied',
    );
  });

  it('asks for the password with manual login, and again after a wrong one', async () => {
    const manual = await world.grant({
      type: 'postgresql',
      host: '127.0.0.1',
      ...address,
      username: role,
      loginMode: 'manual',
    });
    const client = await manual.connect();
    expect(await client.message('need_credentials')).toMatchObject({
      username: role,
      reason: 'manual',
    });
    client.send({ type: 'credentials', username: role, password: 'wrong' });
    await until(
      () =>
        client.messages.some(
          (message) => message.type === 'need_credentials' && message.reason === 'rejected',
        ),
      'it was rejected',
    );
    client.send({ type: 'credentials', username: 'postgres', password: PASSWORD });
    expect(await client.message('open')).toMatchObject({ account: role });
    expect(await client.rows('select current_user')).toEqual([[role]]);
    client.close();
    await ended(manual);
  });
});

describe('MariaDB', () => {
  let shop: GrantedDatabase;
  beforeAll(async () => {
    mariadb.sql(
      `create user clerk identified by '${PASSWORD}'; grant all on shop.* to clerk; use shop;
      create table item (id int primary key, name varchar(40), data varbinary(10));
      insert into item values (1, 'Stühle', 0xff00), (2, null, null);
      create procedure two() begin select 1 as a; select 2 as b, 3 as c; end`
        .replace(/begin select/, 'begin select')
        .replace(/create procedure[\s\S]*$/, ''),
    );
    mariadb.sql(
      'delimiter //\nuse shop//\ncreate procedure two() begin select 1 as a; select 2 as b, 3 as c; end//\n',
    );
    const more = { tls: 'required', ca_certificate: mariadb.authority };
    shop = await world.grant({
      type: 'mariadb',
      host: mariadb.host,
      port: mariadb.port,
      database: 'shop',
      username: 'clerk',
      password: PASSWORD,
      more,
    });
  });

  it('runs statements over verified TLS, returns several results, and cancels', async () => {
    const client = await shop.connect();
    expect(await client.message('open')).toMatchObject({ database: 'mariadb', name: 'shop' });
    expect(await client.rows('select * from item order by id')).toEqual([
      ['1', 'Stühle', '0xff00'],
      ['2', null, null],
    ]);
    expect((await client.rows("show status like 'Ssl_cipher'"))[0]?.[1]).toMatch(/TLS|AES/);
    expect(
      (await client.query('call two()')).messages.filter(({ type }) => type === 'result'),
    ).toHaveLength(2);
    expect(
      (await client.query('start transaction; update item set name = 1 where id > 0')).finished
        .transaction,
    ).toBe('open');
    expect((await client.query('rollback')).finished.transaction).toBe('none');
    expect((await client.query('select nothing')).failed?.message).toContain('nothing');
    expect(
      (await client.query("load data local infile '/etc/passwd' into table item")).failed,
    ).toBeDefined();
    const running = client.begin('select sleep(3600)');
    await client.message('statement', running.from);
    client.send({ type: 'cancel' });
    await client.finish(running);
    expect(await client.rows('select 1')).toEqual([['1']]);
    client.send({ type: 'schema' });
    expect(await client.message('schema')).toMatchObject({
      tables: [
        { schema: 'shop', name: 'item', columns: [{ name: 'id', type: 'int(11)' }, {}, {}] },
      ],
    });
    expect(client.received).not.toContain('vault se');
    client.close();
    await ended(shop);
    expect(
      (await shop.commands())
        .map(({ row_count, error }) => [row_count, error !== null])
        .slice(0, 3),
    ).toEqual([
      [2, false],
      [1, false],
      [2, false],
    ]);
  });

  it('accepts a certificate of MariaDB for another name only when the app has that certificate', async () => {
    const other = await startMariadb('DNS:elsewhere.example.com');
    other.sql(`create user clerk@'%' identified by '${PASSWORD}'`);
    const open = async (certificates: string) => {
      const { host, port } = other;
      const login = { type: 'mysql', host, port, username: 'clerk', password: PASSWORD } as const;
      const more = { tls: 'required', ca_certificate: certificates };
      const client = await (await world.grant({ ...login, more })).connect();
      return client.message('open').finally(() => client.close());
    };
    const own = readFileSync(other.certificates.certificate, 'utf8');
    expect(await open(`${other.authority}\n${own}`)).toMatchObject({ type: 'open' });
    await expect(open(other.authority)).rejects.toThrow('connect_certificate');
    // Another authority proves no name.
    await expect(open(`${other.authority}\n${mariadb.authority}`)).rejects.toThrow(
      'connect_certificate',
    );
    await other.stop();
  });

  it('rejects a server certificate of another authority', async () => {
    const other = await world.grant({
      type: 'mysql',
      host: mariadb.host,
      port: mariadb.port,
      username: 'clerk',
      password: PASSWORD,
      more: { tls: 'required' },
    });
    await expect((await other.connect()).message('open')).rejects.toThrow('connect_certificate');
  });

  it('keeps UTF-8 in MariaDB after a character set that only the server knows', async () => {
    const client = await shop.connect();
    await client.message('open');
    await client.query("set @a = 'gbk'");
    await client.query('set character_set_client = @a');
    expect(await client.rows("select hex('中'), @@character_set_client")).toEqual([
      ['E4B8AD', 'utf8mb4'],
    ]);
    client.close();
    await ended(shop);
  });

  it('rejects writes to MariaDB with a read-only permission', async () => {
    await world.administrator.patch(`perms/database-app-permissions/${shop.permission}/`, {
      is_read_only: true,
    });
    const client = await shop.connect();
    await client.message('open');
    expect((await client.query('/*!50000 delete*/ from item')).failed?.is_refused).toBe(true);
    expect(await client.rows('select count(*) from item')).toEqual([['2']]);
    expect((await client.query('select * from item for update')).failed).toBeDefined();
    // The mode is set before each statement, and the answers about the last one stay its own.
    await client.query('select sql_calc_found_rows id from item limit 1');
    expect(await client.rows('select found_rows()')).toEqual([['2']]);
    await client.query("select cast('a' as int)");
    expect(await client.rows('show warnings')).toMatchObject([
      ['Warning', '1292', expect.any(String)],
    ]);
    client.close();
    await ended(shop);
  });
});

describe('Redis', () => {
  it('runs Redis commands, shows lists as rows, and rejects what permission and protocol forbid', async () => {
    const cache = await world.grant({
      type: 'redis',
      host: redisServer.host,
      port: redisServer.port,
      database: '3',
      username: '',
      password: PASSWORD,
    });
    const client = await cache.connect();
    expect(await client.message('open')).toMatchObject({ database: 'redis', name: '3' });
    const { answered } = await client.query('rpush l a "b c"\n# a comment\nLRANGE l 0 -1');
    expect(await client.page(answered[1]?.result ?? 0, 0, 10)).toEqual([
      ['1', 'string', 'a'],
      ['2', 'string', 'b c'],
    ]);
    expect((await client.query('get l')).failed?.message).toContain('WRONGTYPE');
    for (const text of ['monitor', 'auth x', 'get "a'])
      expect((await client.query(text)).failed).toBeDefined();
    client.send({ type: 'schema' });
    expect((await client.message('schema')).commands).toEqual(
      expect.arrayContaining(['GET', 'LRANGE']),
    );
    await world.administrator.patch(`perms/database-app-permissions/${cache.permission}/`, {
      is_read_only: true,
    });
    await client.message('rights');
    expect((await client.query('DEL l')).failed?.is_refused).toBe(true);
    expect(client.received).not.toContain('vault se');
    client.close();
    await ended(cache);
    expect((await cache.commands()).slice(0, 2)).toMatchObject([
      { input: 'rpush l a "b c"', row_count: 1 },
      { input: 'LRANGE l 0 -1', row_count: 2 },
    ]);
  });
});

describe('a server that ends the connection', () => {
  /** Runs the statement of an administrator while the workspace is idle. Returns its end. */
  const endOf = async (
    database: GrantedDatabase,
    number: string,
    kill: (id: string) => unknown,
  ) => {
    const client = await database.connect();
    await client.message('open');
    const rows = await client.rows(number);
    await kill(String(rows[0]?.[0]));
    await until(
      () => client.messages.some(({ type }) => type === 'closed'),
      'the session has ended',
    );
    const closed = client.messages.find(({ type }) => type === 'closed');
    await ended(database);
    const { end_reason } = await database.lastSession();
    return [closed?.type === 'closed' ? closed.message : '', end_reason];
  };

  it('shows number and words of PostgreSQL', async () => {
    const superuser = new pg.Client({ connectionString: place.setupUrl });
    await superuser.connect();
    const end = await endOf(postgres, 'select pg_backend_pid()', (id) =>
      superuser.query('select pg_terminate_backend($1)', [Number(id)]),
    );
    await superuser.end();
    expect(end).toEqual([
      'The server ended the connection: 57P01 terminating connection due to administrator command',
      'connect_target_disconnected',
    ]);
  });

  // MariaDB 10.11 closes the connection of an idle client without an error.
  it('says that MariaDB closed the session', async () => {
    mariadb.sql(`create user ended@'%' identified by '${PASSWORD}'`);
    const database = await world.grant({
      type: 'mariadb',
      port: mariadb.port,
      username: 'ended',
      password: PASSWORD,
    });
    const end = await endOf(database, 'select connection_id()', (id) => mariadb.sql(`kill ${id}`));
    expect(end).toEqual(['The server closed the session.', 'connect_target_closed']);
  });
});
