import type { Socket } from 'node:net';
import { int32, message, query } from '@sallyport/sql-relays';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../../platform/db/sql.ts';
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

let server: PostgresServer;
let world: DatabaseWorld;
let sales: DatabaseGrant;
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
  sales = await world.add(account());
  await server.admin('create table copied (id int, name text); grant all on copied to public');
});
afterAll(async () => {
  await world?.test.stop();
  await server?.stop();
});

interface Message {
  readonly type: string;
  readonly body: Buffer;
}

/** Sends raw bytes and parses messages. */
interface RawSession {
  /** Sends all parts at once. Returns the messages up to the next ReadyForQuery. */
  ask(...parts: readonly Buffer[]): Promise<Message[]>;
  /** The same, up to the ReadyForQuery of each batch. */
  askBatches(count: number, ...parts: readonly Buffer[]): Promise<Message[]>;
  end(): Promise<void>;
}

/** Signs in with a driver and takes over its connection. */
async function open(database: DatabaseGrant): Promise<RawSession> {
  const { port, username, password } = await world.password(database);
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: username,
    password,
    database: 'sales',
  });
  client.on('error', () => undefined);
  await client.connect();
  const connection: unknown = Reflect.get(client, 'connection');
  const { stream } = connection as { readonly stream: Socket };
  stream.removeAllListeners('data');
  let read = Buffer.alloc(0);
  const messages: Message[] = [];
  stream.on('data', (chunk: Buffer) => {
    read = Buffer.concat([read, chunk]);
    while (read.length >= 5 && read.length > read.readInt32BE(1)) {
      const end = 1 + read.readInt32BE(1);
      messages.push({ type: read.toString('latin1', 0, 1), body: read.subarray(5, end) });
      read = read.subarray(end);
    }
  });
  const askBatches: RawSession['askBatches'] = async (count, ...parts) => {
    stream.write(Buffer.concat(parts));
    await until(
      () => messages.filter(({ type }) => type === 'Z').length >= count || stream.destroyed,
      'the server is ready again',
    );
    return messages.splice(0);
  };
  return {
    ask: (...parts) => askBatches(1, ...parts),
    askBatches,
    async end() {
      stream.end(message('X'));
      const { id } = await world.lastSession(database.app);
      await until(
        async () => (await world.lastSession(database.app)).is_finished === true,
        `session ${id} has ended`,
      );
    },
  };
}

const types = (messages: readonly Message[]) => messages.map(({ type }) => type).join('');
const data = (text: string) => message('d', Buffer.from(text));

it('copies data that arrives with its statement, as sent by asyncpg and pgx', async () => {
  const session = await open(sales);
  const many = Array.from({ length: 2000 }, (_, n) => data(`${n}\tname ${n}\n`));
  expect(types(await session.ask(query('copy copied from stdin'), ...many, message('c')))).toBe(
    'GCZ',
  );
  expect(types(await session.ask(query('copy copied from stdin'), message('c')))).toBe('GCZ');
  expect(
    types(
      await session.ask(
        query('copy copied from stdin; copy copied from stdin'),
        data('1\ta\n'),
        message('c'),
        data('2\tb\n'),
        message('c'),
      ),
    ),
  ).toBe('GCGCZ');
  expect(await server.admin('select count(*)::int as n from copied')).toEqual([{ n: 2002 }]);
  const { id } = await world.lastSession(sales.app);
  await expect
    .poll(async () => (await world.commands(id)).map(({ input, row_count }) => [input, row_count]))
    .toContainEqual(['copy copied from stdin', 2000]);
  await session.end();
});

/** Parse and Describe, Bind, and Execute, with an unnamed portal. */
const parse = (text: string, name = '') =>
  message('P', Buffer.from(`${name}\0${text}\0`), Buffer.alloc(2));
const bind = (name = '') => message('B', Buffer.from(`\0${name}\0`), Buffer.alloc(6));
const execute = (rows = 0) => message('E', Buffer.from([0]), int32(rows));
const sync = message('S');

it('keeps unnamed statements and open portals when the read-only mode is set again', async () => {
  const session = await open(await world.add(account(), { is_read_only: true }));
  // Newer servers also report the default mode.
  const answers = async (...parts: readonly Buffer[]) =>
    types(await session.ask(...parts)).replaceAll('S', '');
  const rows = (messages: readonly Message[]) =>
    messages.flatMap(({ type, body }) => (type === 'D' ? [body.toString('utf8', 6)] : []));
  expect(await answers(query('reset all'))).toBe('CZ');
  expect(await answers(parse('select 7'), sync)).toBe('1Z');
  expect(rows(await session.ask(bind(), execute(), sync))).toEqual(['7']);
  // A reset, and then an unnamed statement that was prepared before it.
  await session.ask(parse('reset all', 'reset'), sync);
  await session.ask(parse('select 8'), sync);
  expect(await answers(bind('reset'), execute(), sync)).toBe('2CZ');
  expect(rows(await session.ask(bind(), execute(), sync))).toEqual(['8']);
  // A portal that is open over statements of ours.
  await session.ask(query('begin'));
  await session.ask(parse('select generate_series(1, 3)', 'series'), sync);
  const portal = Buffer.from('p\0');
  const bound = message('B', portal, Buffer.from('series\0'), Buffer.alloc(6));
  const fetch = message('E', portal, int32(1));
  expect(rows(await session.ask(bound, fetch, sync))).toEqual(['1']);
  expect(await answers(bind('reset'), execute(), sync)).toBe('2CZ');
  expect(rows(await session.ask(fetch, sync))).toEqual(['2']);
  await session.ask(query('commit'));
  expect(rows(await session.ask(query('show transaction_read_only')))).toEqual(['on']);
  await session.end();
});

it('keeps the read-only mode within pipelines, whose answers and errors stay the same', async () => {
  await server.admin(`create table kept (id int); grant all on kept to public;
    create function lift() returns int language plpgsql as
      $$ begin perform set_config('default_transaction_read_only', 'off', false); return 1; end $$;
    create function put() returns int language sql volatile security definer
      as 'insert into kept values (1); select 1'`);
  const session = await open(await world.add(account(), { is_read_only: true }));
  const run = (text: string) => [parse(text), bind(), execute()];
  const answers = async (parts: readonly Buffer[], batches = 1) =>
    (await session.askBatches(batches, ...parts)).flatMap(({ type, body }) =>
      type === 'S' ? [] : type === 'E' ? [/C(\w{5})\0/.exec(body.toString('latin1'))?.[1]] : [type],
    );
  const one = ['1', '2', 'D', 'C'];
  const control = ['1', '2', 'C'];
  // Several batches at once, each with its own Sync.
  const several = [
    'begin',
    'select lift()',
    'commit',
    'select put()',
    'select lift()',
    'select put()',
  ];
  expect(
    await answers(
      several.flatMap((text) => [...run(text), sync]),
      several.length,
    ),
  ).toEqual([
    ...[...control, 'Z', ...one, 'Z', ...control, 'Z', '1', '2', '25006', 'Z'],
    ...[...one, 'Z', '1', '2', '25006', 'Z'],
  ]);
  // The second batch of a failed transaction is sent before its error.
  const failed = ['begin', 'select 1 / (random() * 0)::int', 'rollback', 'select put()'];
  expect(
    await answers(
      failed.flatMap((text) => [...run(text), sync]),
      failed.length,
    ),
  ).toEqual([
    ...[...control, 'Z', '1', '2', '22012', 'Z', ...control, 'Z', '1', '2', '25006', 'Z'],
  ]);
  expect(await answers([...run('select lift()'), sync])).toEqual([...one, 'Z']);
  expect(await answers([...run('select put()'), sync])).toEqual(['1', '2', '25006', 'Z']);
  // The batch ends transactions. After an error the server skips the rest of it.
  const batch = [...run('begin'), ...run('select lift()'), ...run('commit')];
  expect(await answers([...batch, ...run('select put()'), sync])).toEqual([
    ...[...control, ...one, ...control],
    ...['1', '2', '25006', 'Z'],
  ]);
  expect(
    await answers([
      ...batch,
      ...run('select 1 / (random() * 0)::int'),
      ...batch,
      ...run('select put()'),
      sync,
    ]),
  ).toEqual([...control, ...one, ...control, '1', '2', '22012', 'Z']);
  expect(
    await answers([
      ...run('begin'),
      ...run('select 1 / (random() * 0)::int'),
      ...run('commit'),
      sync,
    ]),
  ).toEqual([...control, ...['1', '2', '22012', 'Z']]);
  expect(await answers([...run('select 1'), sync])).toEqual(['1', '25P02', 'Z'].slice(1));
  expect(await answers([...run('rollback'), sync])).toEqual([...control, 'Z']);
  expect(await answers([...run('select put()'), sync])).toEqual(['1', '2', '25006', 'Z']);
  expect(await server.admin('select count(*)::int as n from kept')).toEqual([{ n: 0 }]);
  await session.end();
});

it('drops the data of a failed or rejected copy, and runs the next statement', async () => {
  const session = await open(sales);
  expect(
    types(
      await session.ask(
        query('copy missing from stdin'),
        data('1\tx\n'),
        data('2\tx\n'),
        message('c'),
      ),
    ),
  ).toBe('EZ');
  expect(
    types(
      await session.ask(
        query('copy copied from stdin'),
        data('no number\tx\n'),
        data('2\tx\n'),
        message('c'),
      ),
    ),
  ).toBe('GEZ');
  expect(types(await session.ask(query('select 1')))).toBe('TDCZ');
  await session.end();
  const narrow = await world.add(account(), { actions: ['connect'] });
  const refused = await open(narrow);
  expect(
    types(await refused.ask(query('copy copied from stdin'), data('7\tx\n'), message('c'))),
  ).toBe('EZ');
  expect(
    types(
      await refused.ask(
        query('copy copied /* or not */ from /* */ stdin'),
        data('7\tx\n'),
        message('c'),
      ),
    ),
  ).toBe('EZ');
  expect(types(await refused.ask(query('select 1')))).toBe('TDCZ');
  await refused.end();
  expect(await server.admin("select count(*)::int as n from copied where name = 'x'")).toEqual([
    { n: 0 },
  ]);
});

/** Function ids of large objects, as called by libpq. */
const LO = { create: 715, open: 952, close: 953, read: 954, write: 955, unlink: 964 };

function call(oid: number, ...values: readonly (number | Buffer)[]): Buffer {
  const parts = values.flatMap((value) =>
    typeof value === 'number' ? [int32(4), int32(value)] : [int32(value.length), value],
  );
  const int16 = (value: number) => Buffer.from([value >> 8, value & 0xff]);
  return message('F', int32(oid), int16(1), int16(1), int16(values.length), ...parts, int16(1));
}

const result = (messages: readonly Message[]) =>
  messages.find(({ type }) => type === 'V')?.body.subarray(4);
const errorOf = (messages: readonly Message[]) =>
  messages.find(({ type }) => type === 'E')?.body.toString() ?? '';
const WRITE_AND_READ = 0x60000;

it('passes function calls of large objects, and logs their bytes as files', async () => {
  const session = await open(sales);
  const oid = result(await session.ask(call(LO.create, 0)))?.readUInt32BE() ?? 0;
  await session.ask(query('begin'));
  const descriptor =
    result(await session.ask(call(LO.open, oid, WRITE_AND_READ)))?.readInt32BE() ?? -1;
  expect(
    result(await session.ask(call(LO.write, descriptor, Buffer.alloc(5000, 7))))?.readInt32BE(),
  ).toBe(5000);
  await session.ask(call(LO.close, descriptor));
  const again = result(await session.ask(call(LO.open, oid, WRITE_AND_READ)))?.readInt32BE() ?? -1;
  expect(result(await session.ask(call(LO.read, again, 3000)))).toEqual(Buffer.alloc(3000, 7));
  expect(result(await session.ask(call(LO.read, again, 3000)))).toEqual(Buffer.alloc(2000, 7));
  await session.ask(query('commit'));
  expect(types(await session.ask(call(LO.unlink, oid)))).toBe('VZ');
  expect(errorOf(await session.ask(call(LO.unlink, oid)))).toContain('does not exist');
  await session.end();
  const name = `${sales.name}: large object ${oid}`;
  const files = await world.files(sales.app);
  expect(files.filter(([, file]) => file === name)).toEqual([
    ['Upload', name, 5000, ''],
    ['Download', name, 5000, ''],
  ]);
  const { id } = await world.lastSession(sales.app);
  expect((await world.commands(id)).map(({ input }) => input)).toEqual([
    'SELECT lo_create(0)',
    'begin',
    `SELECT lo_open(${oid}, ${WRITE_AND_READ})`,
    `SELECT lo_open(${oid}, ${WRITE_AND_READ})`,
    'commit',
    `SELECT lo_unlink(${oid})`,
    `SELECT lo_unlink(${oid})`,
  ]);
});

it('rejects function calls without the right, writes of readers, and calls of other functions', async () => {
  const session = await open(sales);
  const oid = result(await session.ask(call(LO.create, 0)))?.readUInt32BE() ?? 0;
  const random = 1598;
  expect(errorOf(await session.ask(call(random)))).toContain('for large objects only');
  expect(types(await session.ask(query('select 1')))).toBe('TDCZ');
  await session.end();
  const narrow = await open(await world.add(account(), { actions: ['connect'] }));
  await narrow.ask(query('begin'));
  await narrow.ask(call(LO.open, oid, WRITE_AND_READ));
  expect(errorOf(await narrow.ask(call(LO.write, 0, Buffer.from('x'))))).toContain('sending files');
  await narrow.ask(query('rollback; begin'));
  await narrow.ask(call(LO.open, oid, WRITE_AND_READ));
  expect(errorOf(await narrow.ask(call(LO.read, 0, 10)))).toContain('saving data');
  await narrow.end();
  const reading = await open(await world.add(account(), { is_read_only: true }));
  for (const refused of [
    call(LO.create, 0),
    call(LO.unlink, oid),
    call(LO.write, 0, Buffer.from('x')),
  ])
    expect(errorOf(await reading.ask(refused))).toContain('read-only access');
  await reading.end();
});

it('binds the password proof to the certificate', async () => {
  const { port, username, password } = await world.password(sales);
  const address = { host: '127.0.0.1', port, user: username, password, database: 'sales' };
  const client = new pg.Client({
    ...address,
    ssl: { rejectUnauthorized: false },
    enableChannelBinding: true,
  });
  await client.connect();
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await client.end();
});

it('runs statements of several MiB unless a rule must parse them', async () => {
  const { port, username, password } = await world.password(sales);
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: username,
    password,
    database: 'sales',
  });
  await client.connect();
  const long = `select length('${'x'.repeat(5_000_000)}') as length`;
  expect((await client.query(long)).rows).toEqual([{ length: 5_000_000 }]);
  expect((await client.query({ text: `${long}, $1::int as one`, values: [1] })).rows).toEqual([
    { length: 5_000_000, one: 1 },
  ]);
  await expect(client.query(`select '${'x'.repeat(17_000_000)}'`)).rejects.toThrow('16384 KiB');
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await client.end();
  const reading = await world.password(await world.add(account(), { is_read_only: true }));
  const reader = new pg.Client({
    host: '127.0.0.1',
    port,
    user: reading.username,
    password: reading.password,
    database: 'sales',
  });
  await reader.connect();
  await expect(reader.query(long)).rejects.toMatchObject({
    code: '42501',
    message: expect.stringContaining('128 KiB'),
  });
  await reader.end();
});

it('cancels and logs the statement that runs when an administrator ends the session', async () => {
  const database = await world.add(account());
  const { port, username: user, password } = await world.password(database);
  const client = new pg.Client({ host: '127.0.0.1', port, user, password, database: 'sales' });
  client.on('error', () => undefined);
  await client.connect();
  const statement = 'select pg_sleep(3611)';
  void client.query(statement).catch(() => undefined);
  const isRunning = async () =>
    (
      await server.admin(
        `select 1 from pg_stat_activity where query = '${statement}' and state = 'active'`,
      )
    ).length === 1;
  await until(isRunning, 'the statement runs');
  const { id } = await world.lastSession(database.app);
  await world.administrator.post('terminal/tasks/kill-session/', [id]);
  await until(async () => !(await isRunning()), 'the statement is canceled');
  await until(
    async () => (await world.lastSession(database.app)).is_finished === true,
    'the session has ended',
  );
  expect((await world.commands(id)).map(({ input, error }) => [input, error])).toEqual([
    [statement, 'The session has ended.'],
  ]);
});

it('reports a missing database', async () => {
  const { port, username, password } = await world.password(sales);
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: username,
    password,
    database: 'nowhere',
  });
  client.on('error', () => undefined);
  await expect(client.connect()).rejects.toThrow('has no database with this name');
});

it('logs every statement of eight busy clients, in order, with its answer', async () => {
  const [clients, each] = [8, 150];
  const busy = await world.add(account());
  const { port, username: user, password } = await world.password(busy);
  const work = async (number: number) => {
    const client = new pg.Client({ host: '127.0.0.1', port, user, password, database: 'sales' });
    await client.connect();
    for (let turn = 0; turn < each; turn++) {
      const value = number * each + turn;
      // Simple, prepared, and failing statements.
      if (turn % 3 === 0) await client.query(`select ${value} as value`);
      else if (turn % 3 === 1)
        await client.query({ name: 'one', text: 'select $1::int as value', values: [value] });
      else await expect(client.query(`select ${value} / 0`)).rejects.toThrow('division by zero');
    }
    await client.end();
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => work(number)));
  const logged = async () =>
    (
      await sql<{ session: string; input: string; error: string | null }>`
        select c.session, c.input, c.error from command c join session s on s.id = c.session
          where s.asset_id = ${busy.app} order by c.session, c.sequence`.execute(world.test.db)
    ).rows;
  await until(async () => (await logged()).length >= clients * each, 'all are in the log');
  const rows = await logged();
  const numberOf = (input: string) =>
    Number(/^select (\d+)|\$1 = '?(\d+)/.exec(input)?.slice(1).join(''));
  const numbers = [...new Set(rows.map(({ session }) => session))].map((session) =>
    rows.flatMap((row) => (row.session === session ? numberOf(row.input) : [])),
  );
  expect(numbers.sort(([one = 0], [other = 0]) => one - other)).toEqual(
    Array.from({ length: clients }, (_, number) =>
      Array.from({ length: each }, (_one, turn) => number * each + turn),
    ),
  );
  expect(rows.filter(({ error }) => error !== null)).toHaveLength((clients * each) / 3);
});
