import type { Duplex } from 'node:stream';
import type { DatabasePassword } from '@sallyport/contract';
import { message } from '@sallyport/sql-relays';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildUser } from '../../../../testing/builders.ts';
import {
  type DatabaseWorld,
  startDatabaseWorld,
} from '../../../../testing/databases/client-world.ts';
import {
  type PostgresServer,
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from '../../../../testing/databases/postgres-server.ts';
import { freePort } from '../../../../testing/free-port.ts';
import { until } from '../../../../testing/poll.ts';
import { bearer } from '../../../../testing/sign-in.ts';
import { answerTicket, waitingConnection } from '../../../../testing/ssh/approvals.ts';

let server: PostgresServer;
let world: DatabaseWorld;
const account = () =>
  ({
    type: 'postgresql',
    port: server.port,
    database: 'sales',
    username: VAULT_ACCOUNT,
    password: VAULT_PASSWORD,
  }) as const;

beforeAll(async () => {
  const [port, started] = await Promise.all([freePort(), startPostgres()]);
  server = started;
  world = await startDatabaseWorld({ postgresqlPort: port });
  await server.admin(
    `create table victim (id int);
     grant all on victim to public;
     insert into victim select generate_series(1, 5);
     create function purge() returns int language sql volatile security definer
       as 'delete from victim; select 1';
     create function lift() returns int language plpgsql as
       $$ begin perform set_config('default_transaction_read_only', 'off', false); return 1; end $$;
     create view lifted as select lift();
     grant select on lifted to public`,
  );
});
afterAll(async () => {
  await world?.test.stop();
  await server?.stop();
});

type Client = pg.Client & { readonly gone: Promise<Error> };
async function connect(issued: DatabasePassword, more: pg.ClientConfig = {}): Promise<Client> {
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
const left = async () =>
  Number((await server.admin('select count(*)::int as n from victim'))[0]?.n);
/** Runs a statement given as bytes. */
function runBytes(client: Client, bytes: Buffer): Promise<unknown> {
  const { stream } = (client as Client & { readonly connection: { readonly stream: Duplex } })
    .connection;
  // Replaces the next statement of the client, which waits for the answer, by these bytes.
  const write = stream.write.bind(stream);
  stream.write = ((_own: Buffer) => {
    stream.write = write;
    return write(message('Q', bytes, Buffer.from([0])));
  }) as typeof stream.write;
  return client.query('select 1');
}
const refused = (why: string) =>
  expect.objectContaining({ code: '42501', message: expect.stringContaining(why) });

test('keeps UTF-8 for any character set of the client, and rejects bytes that are not UTF-8', async () => {
  const reading = await world.add(account(), { is_read_only: true });
  for (const charset of ['SJIS', 'BIG5', 'GBK', 'GB18030', 'LATIN1']) {
    const client = await connect(await world.password(reading), {
      client_encoding: charset,
      options: `-c client_encoding=${charset}`,
    });
    expect((await client.query('show client_encoding')).rows).toEqual([
      { client_encoding: 'UTF8' },
    ]);
    const trick = Buffer.concat([
      Buffer.from("select E'"),
      Buffer.from([0x95, 0x5c]),
      Buffer.from("'; commit; begin read write; delete from victim; commit; -- '"),
    ]);
    await expect(runBytes(client, trick)).rejects.toEqual(refused('not valid UTF-8'));
    for (const change of [
      `set names '${charset}'`,
      `set client_encoding to ${charset}`,
      `select set_config('client_encoding', '${charset}', false)`,
      `select "set_config"('client_' || 'encoding', '${charset}', false)`,
    ])
      await expect(client.query(change)).rejects.toEqual(refused('reads statements as UTF-8'));
    expect((await client.query("select 'Á表中' as text")).rows).toEqual([{ text: 'Á表中' }]);
    await client.end();
  }
  expect(await left()).toBe(5);
  const { id } = await world.lastSession(reading.app);
  await until(
    async () => (await world.lastSession(reading.app)).is_finished === true,
    'the session is over',
  );
  expect((await world.commands(id)).filter(({ is_denied }) => is_denied)).toHaveLength(5);
});

test('ends the session when a database function changes the character set', async () => {
  const client = await connect(await world.password(await world.add(account())));
  await client.query("set client_encoding = 'UTF8'");
  await expect(
    client.query("do $$ begin perform set_config('client_' || 'encoding', 'SJIS', false); end $$"),
  ).rejects.toMatchObject({
    code: '57P01',
    message: expect.stringContaining('character set'),
  });
});

test('rejects quoted functions that end the read-only mode, so that functions cannot write', async () => {
  const client = await connect(
    await world.password(await world.add(account(), { is_read_only: true })),
  );
  await expect(
    client.query(`select "set_config"('default_transaction_read_only','off',false)`),
  ).rejects.toEqual(refused('read-only access'));
  await expect(client.query('select purge()')).rejects.toMatchObject({ code: '25006' });
  expect(await left()).toBe(5);
  await client.end();
});

// PostgreSQL 18.4 takes these settings with the first message, too.
test('rejects a read-only session that starts as another role', async () => {
  await server.admin(`create role auditor; grant auditor to ${VAULT_ACCOUNT}`);
  const full = await world.password(await world.add(account()));
  const reading = await world.password(await world.add(account(), { is_read_only: true }));
  for (const options of [
    '-c role=auditor',
    '-crole=auditor',
    '--role=auditor',
    '--ROLE=auditor',
    '-c ro\\le=auditor',
    '-c work_mem=4MB -c role=auditor',
  ]) {
    const client = await connect(full, { options });
    expect([options, (await client.query('select current_user as name')).rows]).toEqual([
      options,
      [{ name: 'auditor' }],
    ]);
    await client.end();
    await expect(connect(reading, { options }), options).rejects.toMatchObject({
      message: expect.stringContaining('read-only access'),
    });
  }
  const client = await connect(reading, { options: '-c work_mem=8MB -c search_path=role' });
  expect((await client.query('show work_mem')).rows).toEqual([{ work_mem: '8MB' }]);
  await client.end();
});

test('decides statements between names that end like a quote of dollars', async () => {
  const client = await connect(
    await world.password(await world.add(account(), { is_read_only: true })),
  );
  // To PostgreSQL each of these characters is a letter of a name.
  for (const letter of ['\u00a0', '\u3000', '\ufeff', '\u2029', '\u{1f600}'])
    await expect(
      client.query(
        `select 1 as ${letter}$a$; commit; begin read write; delete from victim; commit; select 2 as ${letter}$a$`,
      ),
    ).rejects.toEqual(refused('read-only access'));
  expect((await client.query('select 1 as "\u00a0", 2 as \u{1f600}$a$')).rows).toEqual([
    { '\u00a0': 1, '\u{1f600}$a$': 2 },
  ]);
  expect(await left()).toBe(5);
  await client.end();
});

test('applies anchored rules to statements inside of other statements', async () => {
  const database = await world.add(account());
  const filter = await world.administrator.post('assets/cmd-filters/', {
    name: 'anchored',
    system_users: [database.systemUser],
  });
  await world.administrator.post(`assets/cmd-filters/${filter.body.id}/rules/`, {
    type: 'regex',
    content: '(?i)^delete from victim\\b',
    action: 0,
    priority: 50,
  });
  const client = await connect(await world.password(database));
  for (const text of [
    'delete from victim',
    'explain analyze delete from victim',
    'explain (analyze, buffers) delete from victim',
    'with d as (delete from victim returning id) select * from d',
    'with a as (select 1) delete from victim',
    'copy (delete from victim returning id) to stdout',
    'create table z as with d as (delete from victim returning id) select * from d',
    'prepare s as delete from victim',
  ])
    await expect(client.query(text), text).rejects.toMatchObject({ code: '42501' });
  expect(await left()).toBe(5);
  expect((await client.query('explain select 1')).rows).toHaveLength(1);
  await client.end();
  await world.administrator.delete(`assets/cmd-filters/${filter.body.id}/`);
});

// PostgreSQL 18 allows these in a read-only transaction, to a superuser.
test('rejects functions that act on the server in a read-only session', async () => {
  const client = await connect(
    await world.password(await world.add(account(), { is_read_only: true })),
  );
  for (const text of [
    'select pg_switch_wal()',
    'select pg_reload_conf()',
    "select pg_catalog.pg_create_restore_point('a')",
    "select \"pg_logical_emit_message\"(false, 'a', 'b')",
    "select pg_create_physical_replication_slot('a')",
    'select pg_stat_reset()',
    'select pg_rotate_logfile()',
    'begin read write',
    "commit prepared 'a'",
  ])
    await expect(client.query(text), text).rejects.toEqual(refused('read-only access'));
  for (const text of ['begin isolation level repeatable read, read only', 'savepoint a', 'end'])
    await client.query(text);
  await client.end();
});

// In a read-only transaction, PostgreSQL 15 deleted a large object by the first of these texts.
test('rejects functions that run a text as a statement in a read-only session', async () => {
  const client = await connect(
    await world.password(await world.add(account(), { is_read_only: true })),
  );
  const texts = [
    "select query_to_xml('select lo_unlink(oid) from pg_largeobject_metadata', true, false, '')",
    "select query_to_xml_and_xmlschema('select pg_switch_wal()', true, false, '')",
    "select * from ts_stat('select to_tsvector(purge()::text)')",
    "select ts_rewrite('a', 'select pg_switch_wal()::text::tsquery, ''b''::tsquery')",
    'select pg_advisory_lock(1)',
  ];
  for (const text of texts) {
    await expect(client.query(text), text).rejects.toEqual(refused('read-only access'));
    await expect(client.query({ name: 'a', text }), text).rejects.toEqual(
      refused('read-only access'),
    );
  }
  await client.query('begin');
  await expect(client.query(texts[1] ?? '')).rejects.toEqual(refused('read-only access'));
  await client.query('rollback');
  expect((await client.query('select pg_advisory_unlock_all()')).rows).toHaveLength(1);
  expect(await left()).toBe(5);
  await client.end();
});

test('sets the read-only mode again after a client has reset its session', async () => {
  const client = await connect(
    await world.password(await world.add(account(), { is_read_only: true })),
  );
  const purges = () =>
    expect(client.query('select purge()')).rejects.toMatchObject({ code: '25006' });
  for (const text of [
    'reset all',
    'discard all',
    'reset default_transaction_read_only',
    'select pg_advisory_unlock_all(); close all; unlisten *; reset all',
    'set session authorization default; reset all; close all; discard temp',
    'reset all; begin',
    'reset all; begin; select 1',
  ]) {
    await client.query(text);
    await purges();
    await client.query('rollback');
    await purges();
    await client.query(text);
    expect((await client.query('show transaction_read_only')).rows, text).toEqual([
      { transaction_read_only: 'on' },
    ]);
    await client.query('commit');
    await purges();
  }
  await client.query({ name: 'reset', text: 'reset all' });
  await purges();
  // The mode cannot be set again between the statements of one text.
  for (const text of [
    'reset all; commit; select purge()',
    'discard plans; rollback; select purge()',
    'begin; select lift(); end; select purge()',
    'select lift(); commit and chain; begin; select purge()',
  ])
    await expect(client.query(text), text).rejects.toEqual(refused('one at a time'));
  await client.query('begin');
  await client.query('reset all; savepoint a');
  await client.query('select 1');
  await client.query('rollback to a; commit');
  await purges();
  await client.query('begin; savepoint a');
  await client.query('reset all');
  await client.query('rollback to a; commit');
  await purges();
  expect(await left()).toBe(5);
  await client.end();
});

// PostgreSQL 18 lets a function of a read-only transaction change the mode of the next one.
test('keeps the read-only mode when a function lifts it, alone or in a transaction', async () => {
  const client = await connect(
    await world.password(await world.add(account(), { is_read_only: true })),
  );
  const purges = () =>
    expect(client.query('select purge()')).rejects.toMatchObject({ code: '25006' });
  const begins = [
    () => client.query('select lift()'),
    () => client.query('select lift() where $1 = 1', [1]),
    () => client.query({ name: 'lift', text: 'select lift()' }),
    () => client.query('begin; select lift(); commit'),
    () => client.query('select * from lifted'),
  ];
  for (const begin of begins) {
    await begin();
    await purges();
    await begin();
    await expect(
      client.query({ name: 'purge', text: 'select purge() where $1 = 1', values: [1] }),
    ).rejects.toMatchObject({ code: '25006' });
  }
  await client.query('begin');
  await client.query('select lift()');
  await purges();
  await client.query('rollback');
  await purges();
  expect(await left()).toBe(5);
  await client.end();
});

test('runs prepared statements of a session that could only read, and no others', async () => {
  const database = await world.add(account(), { is_read_only: true });
  const client = await connect(await world.password(database));
  await client.query('prepare one (int) as select $1 as n');
  expect((await client.query('execute one (7)')).rows).toEqual([{ n: 7 }]);
  await client.query('begin; declare c cursor for select id from victim order by id');
  expect((await client.query('fetch 2 from c')).rows).toEqual([{ id: 1 }, { id: 2 }]);
  await client.query('move next from c; close c; commit; deallocate all');
  await expect(client.query('prepare gone as delete from victim')).rejects.toEqual(
    refused('read-only access'),
  );
  const change = (isReadOnly: boolean) =>
    world.administrator.patch(`perms/database-app-permissions/${database.permission}/`, {
      is_read_only: isReadOnly,
    });
  const succeeds = (text: string) =>
    client.query(text).then(
      () => true,
      () => false,
    );
  await change(false);
  await until(() => succeeds('prepare gone as delete from victim'), 'it may write');
  await change(true);
  await until(async () => !(await succeeds('delete from victim where false')), 'it may read only');
  for (const text of ['execute gone', 'explain analyze execute gone'])
    await expect(client.query(text), text).rejects.toEqual(refused('read-only access'));
  expect(await left()).toBe(5);
  await client.end();
});

test('sends the password of the vault to no server that asks for plain text without TLS', async () => {
  const issued = await world.password(await world.add({ ...account(), username: 'plain' }));
  await expect(connect(issued)).rejects.toMatchObject({
    message: expect.stringContaining('asks for the password in plain text'),
  });
});

test('changes the read-only mode of a running session when its permission changes', async () => {
  const database = await world.add(account());
  // In sequence: a new password invalidates the previous one.
  const simple = await connect(await world.password(database));
  const prepared = await connect(await world.password(database));
  const open = await connect(await world.password(database));
  for (const client of [simple, prepared, open]) await client.query('select 1');
  await prepared.query({ name: 'purge', text: 'select purge() where $1::int = 0', values: [1] });
  await open.query('begin');
  const change = (isReadOnly: boolean) =>
    world.administrator.patch(`perms/database-app-permissions/${database.permission}/`, {
      is_read_only: isReadOnly,
    });
  expect((await change(true)).status).toBe(200);
  // Each session learns of the change separately. In a transaction, any statement is refused then.
  for (const [client, harmless] of [
    [simple, 'delete from victim where false'],
    [prepared, 'delete from victim where false'],
    [open, 'select 1'],
  ] as const)
    await until(
      () =>
        client.query(harmless).then(
          () => false,
          () => true,
        ),
      'the change has come to the session',
    );
  await expect(simple.query('select purge()')).rejects.toMatchObject({ code: '25006' });
  await expect(
    prepared.query({ name: 'purge', text: 'select purge() where $1::int = 0', values: [0] }),
  ).rejects.toMatchObject({ code: '25006' });
  // Its transaction may still write, so only its end may pass.
  await expect(open.query('select purge()')).rejects.toEqual(refused('read-only access'));
  await open.query('rollback');
  await expect(open.query('select purge()')).rejects.toMatchObject({ code: '25006' });
  expect(await left()).toBe(5);
  expect((await change(false)).status).toBe(200);
  await until(
    () =>
      simple.query('insert into victim values (6)').then(
        () => true,
        () => false,
      ),
    'the change has come to the session',
  );
  await simple.query('delete from victim where id = 6');
  for (const client of [simple, prepared, open]) await client.end();
});

test('rejects a long text when a rule must be checked, and one above the limit for all users', async () => {
  const text = `select ${"'a',".repeat(40_000)} 1`;
  const full = await connect(await world.password(await world.add(account())));
  await expect(full.query(`select length('${'a'.repeat(500_000)}') as n`)).resolves.toMatchObject({
    rows: [{ n: 500_000 }],
  });
  await expect(full.query(`select '${'1'.repeat(17_000_000)}'`)).rejects.toThrow('16384 KiB');
  await full.end();
  const reading = await connect(
    await world.password(await world.add(account(), { is_read_only: true })),
  );
  await expect(reading.query(text)).rejects.toEqual(refused('128 KiB'));
  await reading.end();
});

test('waits for a reviewer, with a notice, where a connection needs an approval, and refuses it without one', async () => {
  const database = await world.add(account(), { needs_approval: true });
  const { organization } = world;
  const admin = await buildUser(world.test.db, { memberOf: [{ organization, role: 'Admin' }] });
  const reviewer = (await bearer(world.test, admin)).inOrganization(organization);
  const decide = async (action: string) => {
    const ticket = await waitingConnection(reviewer);
    expect((await answerTicket(ticket, action, reviewer)).status).toBe(200);
  };
  const issued = await world.password(database);
  const connecting = connect(issued);
  await decide('approve');
  const client = await connecting;
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await client.end();
  const refused = connect(issued).catch((error: unknown) => String(error));
  await decide('reject');
  expect(await refused).toContain('rejected this connection');
});

test('says in notices for which stage of an approval a connection waits', async () => {
  const database = await world.add(account(), { needs_approval: true, approval_stages: 2 });
  const { organization } = world;
  const reviewers = await Promise.all(
    [1, 2].map(async () => {
      const user = await buildUser(world.test.db, { memberOf: [{ organization, role: 'Admin' }] });
      return (await bearer(world.test, user)).inOrganization(organization);
    }),
  );
  const issued = await world.password(database);
  const client = new pg.Client({
    host: '127.0.0.1',
    port: issued.port,
    user: issued.username,
    password: issued.password,
    database: 'sales',
  });
  const notices: string[] = [];
  client.on('notice', ({ message: text }) => notices.push(String(text)));
  const connecting = client.connect();
  for (const [index, reviewer] of reviewers.entries()) {
    await until(() => notices.some((text) => text.includes(`stage ${index + 1} of 2`)), 'a notice');
    const ticket = await waitingConnection(reviewer);
    expect((await answerTicket(ticket, 'approve', reviewer)).status).toBe(200);
  }
  await connecting;
  await client.end();
});
