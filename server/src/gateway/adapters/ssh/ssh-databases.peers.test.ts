import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { buildUser, unique } from '../../../testing/builders.ts';
import type { Json } from '../../../testing/client.ts';
import {
  type DatabaseGrant,
  type DatabaseOptions,
  grantDatabase,
} from '../../../testing/databases/grant-database.ts';
import { type RedisServer, startRedisServer } from '../../../testing/databases/redis-server.ts';
import { startSocketBridge } from '../../../testing/gateway/socket-bridge.ts';
import { until } from '../../../testing/poll.ts';
import { MenuClient } from '../../../testing/ssh/menu-client.ts';
import { type OpenSshWorld, startOpenSshWorld } from '../../../testing/ssh/open-ssh-world.ts';
import { afterQuiet } from '../../../testing/terminals/terminal-client.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/test-database.ts';

const PASSWORD = 'vault se"cret 9';

let world: OpenSshWorld;
let place: TestDatabase;
let redisServer: RedisServer;
let bridge: Awaited<ReturnType<typeof startSocketBridge>>;
let setup: pg.Client;
let role: string;
let shop: DatabaseGrant;
let cache: DatabaseGrant;
beforeAll(async () => {
  [world, place, redisServer] = await Promise.all([
    startOpenSshWorld(),
    createTestDatabase('empty'),
    startRedisServer(PASSWORD),
  ]);
  role = unique('clerk').replaceAll('-', '_');
  const url = new URL(place.setupUrl);
  bridge = await startSocketBridge(`${url.searchParams.get('host')}/.s.PGSQL.${url.port || 5432}`);
  setup = new pg.Client({ connectionString: place.setupUrl });
  await setup.connect();
  await setup.query(`create role ${role} login password '${PASSWORD}';
    create table public.item (id int primary key, name text, price numeric);
    insert into item values (1, 'chair', 49.5), (2, null, 7), (3, E'te\\x1b[31mxt\\nand 桌子', 8);
    grant select, insert, update, delete on item to ${role}`);
  shop = await grant('shop', {
    type: 'postgresql',
    port: bridge.port,
    database: url.pathname.slice(1),
    username: role,
  });
  cache = await grant('cache', { type: 'redis', port: redisServer.port, username: '' });
});
afterAll(async () => {
  await world?.stop();
  await Promise.all([redisServer?.stop(), bridge?.stop(), setup?.end()]);
  await place?.drop();
  const client = new pg.Client({ connectionString: process.env.SALLYPORT_TEST_SETUP_URL });
  await client.connect();
  await client.query(`drop role if exists ${role}`).finally(() => client.end());
});

/** Adds a database whose comment has this word. */
const grant = (word: string, options: DatabaseOptions) =>
  grantDatabase(world.administrator, world.member.id, {
    ...options,
    password: PASSWORD,
    more: { comment: `for ${word}` },
  });

async function make(path: string, body: Json): Promise<string> {
  const created = await world.administrator.post(path, body);
  if (created.status !== 201)
    throw new Error(`${path} was answered with ${created.status} ${created.text}`);
  return String(created.body.id);
}

/** Waits for the end of the newest session, and returns it with its commands. */
async function finished(
  database: DatabaseGrant,
): Promise<{ readonly session: Json; readonly commands: readonly Json[] }> {
  const read = async () =>
    (
      await sql<Json>`select * from session where asset_id = ${database.app} order by date_start desc limit 1`.execute(
        world.test.db,
      )
    ).rows[0];
  await until(async () => (await read())?.is_finished === true, 'the session has ended');
  const session = (await read()) ?? {};
  const { rows } =
    await sql<Json>`select input, row_count, error, is_denied, verdict from command where session = ${session.id} order by sequence`.execute(
      world.test.db,
    );
  return { session, commands: rows };
}

it('lists databases in the menu, finds them by words, and opens one with a recorded prompt', async () => {
  const client = new MenuClient(world.ssh, world.member);
  await client.sees('Opt> ');
  client.type('d\r');
  await client.sees('2 databases');
  client.type('d for cache\r');
  await client.sees(cache.name);
  await client.sees('1 database');
  client.type('d\r');
  await client.sees('2 databases');
  client.type(`//${shop.name}\r`);
  await client.sees('1 database');
  client.type('1\r');
  await client.sees(`Connecting to ${role}@${shop.name}`);
  await client.sees(`${shop.name}, PostgreSQL.`);
  await client.sees('> ');

  // A statement of two lines, with arrow keys and a correction.
  client.type('select id, name, price\r');
  await client.sees('-> ');
  client.type('frim item order by id;\x1b[D');
  client.type(`${'\x1b[D'.repeat('im item order by id;'.length - 1)}\x1b[3~o\r`);
  await client.sees('id  name');
  await client.sees('1   chair');
  await client.sees('2   \x1b[2mNULL\x1b[0m');
  // Escape sequences in stored text are not interpreted.
  await client.sees('3   te [31mxt and 桌子');
  await client.sees('3 rows, ');
  client.type('select nonsense from item;\r');
  await client.sees('nonsense');
  await client.sees('       ^');

  // The prompt marks an open transaction; Tab completes a name.
  client.type('begin;\r');
  await client.sees('*> ');
  client.type('update it\t');
  await client.sees('update item');
  client.type(' set price = 9 where id = 2;\r');
  await client.sees('1 row, ');
  client.type('rollback;\r');
  await client.sees('OK, ');
  client.type('\\d\r');
  await client.sees('item');
  client.type('\\d item\r');
  await client.sees('numeric');
  client.type('\\d nothing\r');
  await client.sees('Table nothing not found.');
  client.type('\\?\r');
  await client.sees('Statements are recorded.');

  // Ctrl-C cancels a running statement, and discards typed input.
  client.type('select pg_sleep(600);\r');
  await until(
    async () =>
      (await setup.query("select 1 from pg_stat_activity where query like 'select pg_sleep%'")).rows
        .length > 0,
    'the statement runs',
  );
  client.type('\x03');
  await client.sees('cancel');
  client.type('select 1\r');
  await client.sees('-> ');
  client.type('\x03select 77 as answer;\r');
  await client.sees('answer');
  await client.sees('77');
  client.type('\\q\r');
  await client.sees('Opt> ');
  client.type('q\r');
  expect(await client.ends()).toBe(0);

  const { session, commands } = await finished(shop);
  expect(session).toMatchObject({
    login_from: 'ST',
    user: expect.stringContaining(world.member.username),
    protocol: 'postgresql',
    has_replay: true,
  });
  expect(commands).toMatchObject([
    { input: 'select id, name, price\nfrom item order by id', row_count: 3 },
    { input: 'select nonsense from item', error: expect.stringContaining('nonsense') },
    { input: 'begin' },
    { input: 'update item set price = 9 where id = 2', row_count: 1 },
    { input: 'rollback' },
    { input: 'select pg_sleep(600)', error: expect.stringContaining('cancel') },
    { input: 'select 77 as answer', row_count: 1 },
  ]);
});

it('pages long results, shows wide rows vertically, and runs typed-ahead statements next', async () => {
  const client = new MenuClient(world.ssh, {
    ...world.member,
    username: `${world.member.username}@${shop.accountName}@${shop.name}`,
  });
  await client.sees(`${shop.name}, PostgreSQL.`);
  client.type('select n from generate_series(1, 1000) n;\r');
  await client.sees('Enter or Space: more; q: stop');
  client.type('xq');
  await client.sees('more rows are not shown.');
  await client.sees('1,000 rows, ');
  client.type("select n from generate_series(1, 1000) n;\rselect 'after' || 'wards';\r");
  await client.sees('more rows are not shown.');
  await client.sees('afterwards');
  client.type("select repeat('x', 100) as long, 5 as short;\r");
  await client.sees('-- 1 --');
  await client.sees('short  5');
  client.type('\x04');
  expect(await client.ends()).toBe(0);
});

it('reads one Redis command per line, and speaks Chinese to Chinese clients', async () => {
  const client = new MenuClient(world.ssh, world.member, { LC_ALL: 'zh_CN.UTF-8' });
  await client.sees('Opt> ');
  client.type(`${cache.name}\r`);
  await client.sees('每行一个命令');
  client.type('set color green\r');
  await client.sees('OK');
  client.type('get color\r');
  await client.sees('green');
  client.type('nonsense\r');
  await client.sees('unknown command');
  client.type('exit\r');
  await client.sees('Opt> ');
  client.type('q\r');
  expect(await client.ends()).toBe(0);
  expect((await finished(cache)).commands).toMatchObject([
    { input: 'set color green' },
    { input: 'get color' },
    { input: 'nonsense' },
  ]);
});

it('asks before a statement that affects every row, and runs it only after a yes', async () => {
  const client = new MenuClient(world.ssh, world.member);
  await client.sees('Opt> ');
  client.type(`${shop.name}\r`);
  await client.sees('PostgreSQL.');
  client.type('update item set price = price;\r');
  await client.sees('This changes every row of item. The statement has no WHERE.');
  await client.sees('Run it? [y/N]: ');
  client.type('n\r');
  await client.sees('Not run: you did not confirm that it may affect every row.');
  client.type('update item set price = price;\r');
  await client.sees('Run it? [y/N]: ');
  client.type('y\r');
  await client.sees('3 rows, ');
  client.type('update item set price = price where id = 1;\r');
  await client.sees('1 row, ');
  client.type('\\q\r');
  await client.sees('Opt> ');
  client.type('q\r');
  expect(await client.ends()).toBe(0);
  const { commands } = await finished(shop);
  expect(commands.map(({ verdict }) => verdict)).toEqual(['declined', 'confirmed', 'none']);
  expect(commands.filter(({ is_denied }) => is_denied)).toEqual([]);
});

it('shows the rows of a change before it runs, and runs it only after a yes', async () => {
  const { administrator } = world;
  const [account] = (
    await administrator.get<Json[]>(`assets/system-users/?name=${shop.accountName}`)
  ).body;
  const change = (preview: boolean) =>
    administrator.patch(`assets/system-users/${account?.id}/`, { preview_changes: preview });
  expect((await change(true)).status).toBe(200);
  const client = new MenuClient(world.ssh, world.member);
  await client.sees('Opt> ');
  client.type(`${shop.name}\r`);
  await client.sees('PostgreSQL.');
  client.type('delete from item where id = 1;\r');
  await client.sees('This deletes 1 row of item.');
  await client.sees('chair');
  await client.sees('Run it? [y/N]: ');
  client.type('n\r');
  await client.sees('Not run: you did not confirm the change.');
  client.type('update item set price = price where id = 1;\r');
  await client.sees('This changes 1 row of item.');
  await client.sees('Run it? [y/N]: ');
  client.type('y\r');
  await client.sees('1 row, ');
  client.type('\\q\r');
  await client.sees('Opt> ');
  client.type('q\r');
  expect(await client.ends()).toBe(0);
  const { commands } = await finished(shop);
  expect(commands.map(({ verdict }) => verdict)).toEqual(['declined', 'confirmed']);
  expect(commands.filter(({ is_denied }) => is_denied)).toEqual([]);
  await change(false);
});

it('runs a statement of the command line, and requires a terminal', async () => {
  const login = `${world.member.username}@${shop.accountName}@${shop.name}`;
  const { password } = world.member;
  const answer = await world.ssh.run({
    login,
    password,
    options: ['-tt'],
    command: 'select 6 * 7 as product',
  });
  expect(answer.stdout.toString()).toMatch(/product[\s\S]*42/);
  expect(answer.code).toBe(0);
  expect(
    await world.ssh.run({ login, password, options: ['-tt'], command: 'select nonsense' }),
  ).toMatchObject({ code: 1 });
  expect(await world.ssh.run({ login, password, command: 'select 1' })).toMatchObject({
    code: 255,
    stderr: expect.stringContaining('ssh -t'),
  });
});

it('cancels and logs the statement that runs when an administrator ends the session', async () => {
  const statement = 'select pg_sleep(3607)';
  const client = new MenuClient(world.ssh, {
    ...world.member,
    username: `${world.member.username}@${shop.accountName}@${shop.name}`,
  });
  await client.sees('PostgreSQL.');
  client.type(`${statement};\r`);
  const isRunning = async () => {
    const text = `select 1 from pg_stat_activity where query like $1 and state = 'active' and pid <> pg_backend_pid()`;
    return (await setup.query(text, [`${statement}%`])).rowCount === 1;
  };
  await until(isRunning, 'the statement runs');
  const { rows } = await sql<{ id: string }>`select id from session
    where asset_id = ${shop.app} and not is_finished`.execute(world.test.db);
  await world.administrator.post('terminal/tasks/kill-session/', [rows[0]?.id ?? '']);
  await until(async () => !(await isRunning()), 'the statement is canceled');
  expect((await finished(shop)).commands).toEqual([
    expect.objectContaining({ input: statement, error: 'The session has ended.' }),
  ]);
});

it('rejects databases without a grant, ends the prompt with its permission, and applies command filters', async () => {
  const stranger = await buildUser(world.test.db, {
    memberOf: [{ organization: world.organization, role: 'User' }],
  });
  const outside = new MenuClient(world.ssh, stranger);
  await outside.sees('Opt> ');
  outside.type('d\r');
  await outside.sees('Nothing found.');
  outside.type(`${shop.name}\r`);
  await outside.sees('Nothing found.');
  outside.type('q\r');
  expect(await outside.ends()).toBe(0);
  const direct = new MenuClient(world.ssh, {
    ...stranger,
    username: `${stranger.username}@${shop.accountName}@${shop.app}`,
  });
  await direct.sees('You have no access to a server');
  expect(await direct.ends()).toBe(255);

  const account = (
    await world.administrator.get<{ id: string }[]>(`assets/system-users/?name=${shop.accountName}`)
  ).body[0]?.id;
  const filter = await make('assets/cmd-filters/', {
    name: unique('filter'),
    system_users: [account],
  });
  await make(`assets/cmd-filters/${filter}/rules/`, {
    filter,
    type: 'command',
    content: 'delete',
    action: 0,
  });
  await make(`assets/cmd-filters/${filter}/rules/`, {
    content: 'max',
    action: 3,
    word: 'the word',
  });
  const client = new MenuClient(world.ssh, world.member);
  await client.sees('Opt> ');
  client.type(`${shop.name}\r`);
  await client.sees('PostgreSQL.');
  client.type('delete from item;\r');
  await client.sees('\x1b[31m');
  // The rest of a paste does not answer the question.
  client.type('select max(id) from item;\rthe word\r\x03');
  await client.sees('Type the word and press Enter');
  await afterQuiet();
  client.type('another\r');
  await client.sees('\x1b[31m');
  client.type('\x03select max(id) from item;\r');
  await client.sees('Type the word and press Enter');
  await afterQuiet();
  client.type('the word');
  await client.sees('the word');
  client.type('\r');
  await client.sees('1 row, ');
  client.type('select count(*) from item;\r');
  await client.sees('3');
  await client.sees('1 row, ');
  await world.administrator.patch(`perms/database-app-permissions/${shop.permission}/`, {
    is_active: false,
  });
  await client.sees('Opt> ');
  client.type('q\r');
  expect(await client.ends()).toBe(0);
  const { commands } = await finished(shop);
  expect(commands).toMatchObject([
    { input: 'delete from item;', is_denied: true },
    { input: 'select max(id) from item;', is_denied: false, verdict: 'declined' },
    { input: 'select max(id) from item', is_denied: false, verdict: 'confirmed' },
    { input: 'select count(*) from item' },
  ]);
});
