import type { DatabaseServerMessage } from '@sallyport/contract';
import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { buildOrganization, buildUser, unique } from '../../../testing/builders.ts';
import {
  type DatabaseWorld,
  type GrantedDatabase,
  startDatabaseWorld,
} from '../../../testing/databases/database-world.ts';
import type { QueryClient } from '../../../testing/databases/query-client.ts';
import { startSocketBridge } from '../../../testing/gateway/socket-bridge.ts';
import { until } from '../../../testing/poll.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/test-database.ts';

const PASSWORD = 'vault secret 9';
const TABLES = ['thing', 'pair', 'loose', 'slot', 'parent', 'part', 'shelf', 'price'];

let world: DatabaseWorld;
let place: TestDatabase;
let bridge: Awaited<ReturnType<typeof startSocketBridge>>;
let postgres: GrantedDatabase;
let owner: pg.Client;
let role: string;
beforeAll(async () => {
  [world, place] = await Promise.all([startDatabaseWorld(), createTestDatabase('empty')]);
  role = unique('clerk').replaceAll('-', '_');
  const url = new URL(place.setupUrl);
  bridge = await startSocketBridge(`${url.searchParams.get('host')}/.s.PGSQL.${url.port || 5432}`);
  owner = new pg.Client({ connectionString: place.setupUrl });
  await owner.connect();
  await owner.query(`set extra_float_digits = 3;
    create role ${role} login password '${PASSWORD}';
    create type mood as enum ('good', 'it''s \\ bad');
    create domain short as varchar(20);
    create table thing (id int primary key, n int, label text, exact numeric, float float8,
      small float4, data bytea, doc json, docb jsonb, tags text[], nums int[], mood mood,
      word short, fixed char(5), bits bit(4), at timestamptz, stamp timestamp, day date,
      span interval, key uuid,
      host inet, within int4range, twice int generated always as (n * 2) stored, yes bool);
    create table pair (a text, b uuid, n int, primary key (a, b));
    create table loose (n int, label text);
    create table slot (id int generated always as identity primary key, n int, position int unique);
    create table parent (id int primary key, n int);
    create table child (id int primary key, parent int references parent on delete cascade);
    create table part (id int primary key, n int) partition by range (id);
    create table part_low partition of part for values from (0) to (100);
    create table shelf (id int primary key, n int, above int references shelf);
    create table price (id int primary key, n int, amount money);
    grant select, insert, update, delete on all tables in schema public to ${role}`);
  postgres = await world.grant({
    type: 'postgresql',
    host: '127.0.0.1',
    port: bridge.port,
    database: url.pathname.slice(1),
    username: role,
    password: PASSWORD,
  });
  const { status } = await world.administrator.patch(
    `assets/system-users/${postgres.systemUser}/`,
    { preview_changes: true },
  );
  expect(status).toBe(200);
});
afterAll(async () => {
  await world?.stop();
  await owner?.end();
  await bridge?.stop();
  await place?.drop();
  const client = new pg.Client({ connectionString: process.env.SALLYPORT_TEST_SETUP_URL });
  await client.connect();
  await client.query(`drop role if exists ${role}`).finally(() => client.end());
});

const fill = (rows = 12) =>
  owner.query(`truncate ${TABLES.join(', ')}, child restart identity;
    insert into thing (id, n, label, exact, float, small, data, doc, docb, tags, nums,
      mood, word, fixed,
      bits, at, stamp, day, span, key, host, within, yes)
      select i, i % 4, (array['', 'it''s', E'back\\\\slash', E'line\\nend', 'NULL',
        '世界😀'])[1 + i % 6], (array['NaN', 'Infinity', '1.2300', '-0.00001',
        '123456789012345678901234567890.5'])[1 + i % 5]::numeric,
      (array['NaN', '-Infinity', '0.1', '-0', '1e-310', '0.30000000000000004'])[1 + i % 6]::float8,
      (array['3.4028235e38', '0.1', '-0'])[1 + i % 3]::float4,
      decode(md5(i::text), 'hex'), '{"b": 1,   "a": "\\\\u0041"}', '{"b": [1, null], "a": "x''y"}',
      case when i % 3 = 0 then array['a,b', 'NULL', null, 'q"\\'] end, '[2:3]={1,2}',
      case when i % 2 = 0 then 'good' else 'it''s \\ bad' end::mood, 'w' || i, 'ab', '1010',
      (array['infinity', '0044-03-15 12:00:00.123456+00 BC',
        '2024-10-27 01:30:00.5+02'])[1 + i % 3]::timestamptz,
      '2024-02-29 23:59:59.999999', '-infinity', '-1 mon +2 days -03:04:05.6',
      md5(i::text)::uuid, '10.0.0.1/8', '[1,5)', case when i % 2 = 0 then true end
      from generate_series(1, ${rows}) i;
    insert into pair select 'k''' || i, md5(i::text)::uuid, i from generate_series(1, ${rows}) i;
    insert into loose select i % 3, 'l' || i % 2 from generate_series(1, ${rows}) i;
    insert into slot (n, position) select i, i from generate_series(1, ${rows}) i;
    insert into parent select i, i from generate_series(1, ${rows}) i;
    insert into part select i, i from generate_series(1, ${rows}) i;
    insert into shelf select i, i, nullif(i - 1, 0) from generate_series(1, ${rows}) i;
    insert into price select i, i, i from generate_series(1, ${rows}) i`);
const contents = async (table: string): Promise<readonly string[]> =>
  (await owner.query(`select t::text as row from ${table} t order by 1`)).rows.map(
    ({ row }) => row,
  );
const open = async () => {
  const client = await postgres.connect();
  await client.message('open');
  return client;
};

/** Runs a change with a yes to its preview. */
async function change(client: QueryClient, text: string) {
  const run = client.begin(text);
  const { message } = await client.message('ask', run.from);
  client.send({ type: 'answer', yes: true });
  const done = await client.finish(run);
  return { message, ...done, undo: undoIn(done.messages) };
}

const undoIn = (messages: readonly DatabaseServerMessage[]) =>
  messages.find((message) => message.type === 'undo');

/** Downloads a script in the workspace. */
async function scriptOf(client: QueryClient, script: string): Promise<string> {
  const from = client.messages.length;
  client.file = Buffer.alloc(0);
  client.send({ type: 'undo', script });
  const { bytes } = await client.message('exported', from);
  expect(client.file).toHaveLength(bytes);
  return client.file.toString();
}

const leave = async (client: QueryClient) => {
  client.close();
  await until(async () => (await postgres.lastSession()).is_finished === true, 'the end');
};

const WHERE = fc.oneof(
  fc.constant(''),
  fc
    .tuple(fc.constantFrom('<', '>=', '<>', '='), fc.nat(14))
    .map(([operator, value]) => ` where t.n ${operator} ${value}`),
  fc.constantFrom(' where t.n % 3 = 0', ' where exists (select 1 from parent p where p.n = t.n)'),
);
const SETS: Readonly<Record<string, readonly string[]>> = {
  thing: [
    'n = n + 1',
    'n = n',
    'label = label || chr(92), float = 0.1, exact = 1.20',
    'data = null, tags = null, doc = docb, docb = null',
    "mood = 'good', at = '2020-01-01', span = '1 day', bits = '0000', fixed = 'x'",
    "id = id + 100, label = 'moved'",
    "word = null, small = 'NaN', nums = '{1}', within = 'empty', host = '::1', yes = not yes",
    'key = gen_random_uuid(), stamp = now(), day = current_date',
  ],
  pair: ['n = -n', "a = a || 'x'"],
  loose: ['n = 1'],
  slot: ['n = 7', 'position = position + 100', 'position = -position, n = 0'],
  parent: ['n = 0'],
  part: ['n = 0'],
  shelf: ['n = 0', 'above = null'],
  price: ['amount = 1'],
};
const CHANGES = fc
  .constantFrom(...TABLES)
  .chain((table) =>
    fc.tuple(fc.constant(table), fc.option(fc.constantFrom(...(SETS[table] ?? []))), WHERE),
  );

it(
  'restores every row by the script of a change, or says before the run why there is none',
  async () => {
    const client = await open();
    let kept = 0;
    await client.query('set intervalstyle = sql_standard');
    await client.query('set extra_float_digits = 0');
    await client.query("set datestyle = 'German'");
    await fc.assert(
      fc.asyncProperty(CHANGES, async ([table, set, where]) => {
        await fill();
        const before = await contents(table);
        const text = set
          ? `update ${table} t set ${set}${where}`
          : `delete from ${table} t${where}`;
        const { message, failed, answered, undo } = await change(client, text);
        const after = await contents(table);
        if (failed) {
          expect(message).toContain(
            'There is no preview and no undo script: the database answered',
          );
          expect(after).toEqual(before);
          return;
        }
        const rows = answered[0]?.rows ?? -1;
        expect(message).toMatch(new RegExp(`^This (changes|deletes) ${rows} rows? of`));
        if (!undo) {
          const isSame = JSON.stringify(before) === JSON.stringify(after);
          expect([text, message]).toEqual([
            text,
            isSame ? expect.any(String) : expect.stringContaining('\nNo undo script: '),
          ]);
          return;
        }
        kept += 1;
        expect(message).toContain('An undo script with the old values is kept');
        expect(undo).toMatchObject({ rows, message: null });
        await owner.query(await scriptOf(client, undo.script ?? ''));
        expect([text, await contents(table)]).toEqual([text, before]);
      }),
      runs(100),
    );
    expect(kept).toBeGreaterThan(5);
    await leave(client);
  },
  limitOf(120_000),
);

it('keeps the script with the statement, sealed, for auditors and for the user who may export', async () => {
  await fill(3);
  const client = await open();
  const { undo } = await change(client, "update thing set label = 'secret-new' where id = 1");
  const script = await scriptOf(client, undo?.script ?? '');
  expect(script).toContain("update only public.thing set label = 'it''s' where id = '1';");
  await leave(client);
  const { id } = await postgres.lastSession();
  const { rows } = await sql<{ id: string; content: string }>`
    select c.id, u.content from command c
      join undo_script u on u.session = c.session and u.sequence = c.sequence
      where c.session = ${id}`.execute(world.test.db);
  expect(rows).toHaveLength(1);
  expect(rows[0]?.content).not.toContain('label');
  const listed = await world.administrator.get(`terminal/commands/?session_id=${id}`);
  expect(JSON.stringify(listed.body)).toContain('"undo_rows":1');
  const url = `terminal/commands/${rows[0]?.id}/undo-script/`;
  const download = await world.administrator.get(url);
  expect(download).toMatchObject({ status: 200 });
  const { rows: entries } = await sql`
    select action, resource_type, resource_id from operate_log
      where resource_type = 'undo_script'`.execute(world.test.db);
  expect(entries).toEqual([
    { action: 'view', resource_type: 'undo_script', resource_id: rows[0]?.id },
  ]);
  const { rows: transfers } = await sql<{ filename: string }>`
    select filename, operate from ftp_log where session = ${id}`.execute(world.test.db);
  expect(JSON.stringify(transfers)).toContain(`undo-${undo?.script}.sql`);
  await sql`delete from session where id = ${id}`.execute(world.test.db);
  const { rows: left } = await sql`select from undo_script where session = ${id}`.execute(
    world.test.db,
  );
  expect(left).toEqual([]);
});

it('refuses the script to users who may not download, to other users and to other organizations', async () => {
  await fill(3);
  const rule = `perms/database-app-permissions/${postgres.permission}/`;
  await world.administrator.patch(rule, { actions: ['connect'] });
  const client = await open();
  const { undo } = await change(client, "update thing set label = 'new' where id = 2");
  const script = undo?.script ?? '';
  const from = client.messages.length;
  client.file = Buffer.alloc(0);
  client.send({ type: 'undo', script });
  await client.message('refused', from);
  expect(client.file).toHaveLength(0);
  await leave(client);
  await world.administrator.patch(rule, { actions: ['all'] });
  const session = (await postgres.lastSession()).id;
  const { db } = world.test;
  const { rows: transfers } = await sql`
    select filename, is_success from ftp_log where session = ${session}`.execute(db);
  expect(transfers).toEqual([
    { filename: expect.stringContaining(`undo-${script}.sql`), is_success: false },
  ]);
  // Another session of the same user does not find it.
  const later = await open();
  const mark = later.messages.length;
  later.send({ type: 'undo', script });
  expect(await later.message('exported', mark)).toMatchObject({ bytes: 0 });
  await leave(later);
  const { rows } = await sql<{ id: string }>`
    select id from command where session = ${session}`.execute(db);
  const url = `terminal/commands/${rows[0]?.id}/undo-script/`;
  const elsewhere = await buildOrganization(db);
  const [auditor, stranger] = await Promise.all([
    buildUser(db, { memberOf: [{ organization: world.organization, role: 'Auditor' }] }),
    buildUser(db, { memberOf: [{ organization: elsewhere, role: 'Auditor' }] }),
  ]);
  const [reader, other] = await Promise.all([
    bearer(world.test, auditor),
    bearer(world.test, stranger),
  ]);
  expect((await world.client.get(url)).status).toBe(403);
  expect((await other.inOrganization(elsewhere).get(url)).status).toBe(404);
  expect((await other.inOrganization(world.organization).get(url)).status).toBe(403);
  const download = await reader.inOrganization(world.organization).get(url);
  expect(download.status).toBe(200);
  expect(download.text).toContain('update only public.thing');
});

it('keeps the scripts of an open transaction when it commits, and drops them after a rollback', async () => {
  await fill(3);
  const client = await open();
  await client.query('begin');
  const first = await change(client, 'update pair set n = 0');
  expect(first.message).toContain('is kept when you commit (3 rows)');
  expect(first.undo).toBeUndefined();
  await client.query('rollback');
  await client.query('begin');
  await change(client, 'delete from loose where n = 1');
  const committed = await client.query('commit');
  expect(undoIn(committed.messages)).toMatchObject({ rows: 1, message: null });
  await client.query('begin');
  await client.query('savepoint s');
  await change(client, 'delete from loose');
  await client.query('rollback to s');
  expect(undoIn((await client.query('commit')).messages)).toBeUndefined();
  await client.query('begin');
  await change(client, 'delete from pair');
  await client.query('select 1/0');
  expect(undoIn((await client.query('commit')).messages)).toBeUndefined();
  await leave(client);
  const { id } = await postgres.lastSession();
  const { rows } = await sql`
    select row_count, sequence is not null as kept from undo_script
      where session = ${id}`.execute(world.test.db);
  expect(rows).toEqual([{ row_count: 1, kept: true }]);
});

it.each([
  ['a script', 'slot', true],
  ['the reason for none', 'loose', false],
])('sends %s when others add rows after a preview of none', async (_what, table, kept) => {
  await fill(1);
  const client = await open();
  const run = client.begin(`update ${table} set n = 0 where n = 77`);
  const { message } = await client.message('ask', run.from);
  expect(message).toContain(`This changes 0 rows of ${table}.`);
  await owner.query(`insert into ${table} (n) values (77)`);
  client.send({ type: 'answer', yes: true });
  const undo = undoIn((await client.finish(run)).messages);
  expect(undo).toMatchObject(
    kept ? { rows: 1, message: null } : { script: null, message: expect.stringContaining('key') },
  );
  await leave(client);
});

it.each([
  ['too many rows', 'insert into loose select 1 from generate_series(1, 10001)', '10,000 rows'],
  [
    'too much data',
    "insert into loose select 1, repeat('x', 3000000) from generate_series(1, 2)",
    '4 MiB',
  ],
])('says before the run that there is no script of %s', async (_what, filling, reason) => {
  await fill(1);
  await owner.query(filling);
  const client = await open();
  const { message, undo, failed } = await change(client, 'delete from loose');
  expect(failed).toBeUndefined();
  expect(message).toMatch(new RegExp(`\nNo undo script: .*${reason}`));
  expect(undo).toBeUndefined();
  await leave(client);
});
