import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabasePassword } from '@sallyport/contract';
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startClient } from '../../../../testing/databases/client-programs.ts';
import {
  type DatabaseWorld,
  startDatabaseWorld,
} from '../../../../testing/databases/client-world.ts';
import type { DatabaseGrant } from '../../../../testing/databases/grant-database.ts';
import { type Mariadb, startMariadb } from '../../../../testing/databases/mariadb.ts';
import { QueryClient } from '../../../../testing/databases/query-client.ts';
import { freePort } from '../../../../testing/free-port.ts';
import { until } from '../../../../testing/poll.ts';

const VAULT_PASSWORD = 'the secret of the vault 7Kz';
const MANY = 200_000;

let server: Mariadb;
let world: DatabaseWorld;
let shop: DatabaseGrant;
let folder: string;

beforeAll(async () => {
  const [port, started, temporary] = await Promise.all([
    freePort(),
    startMariadb(),
    mkdtemp(join(tmpdir(), 'sallyport-mysql-')),
  ]);
  server = started;
  folder = temporary;
  server.sql(`
    create user clerk@'%' identified by '${VAULT_PASSWORD}';
    grant all on shop.* to clerk@'%';
    create user watch@'%' identified by 'watch';
    grant process on *.* to watch@'%';
    use shop;
    create table item (id int primary key, name varchar(100));
    insert into item select seq, concat('item ', seq) from seq_1_to_5`);
  world = await startDatabaseWorld({ mysqlPort: port });
  shop = await world.add(account());
});

afterAll(async () => {
  await world?.test.stop();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

const account = () =>
  ({
    type: 'mariadb',
    port: server.port,
    database: 'shop',
    username: 'clerk',
    password: VAULT_PASSWORD,
  }) as const;
const words = ({ port, username }: DatabasePassword) => [
  '--no-defaults',
  '-h',
  '127.0.0.1',
  '-P',
  String(port),
  '-u',
  username,
];
/**
 * Waits until `count` statements of this text run in the database, without blocking this process.
 */
const untilRunning = (statement: string, count: number) =>
  until(async () => {
    const question = `select count(*) from information_schema.processlist where info = '${statement}'`;
    const flags = [
      '--no-defaults',
      '-h',
      '127.0.0.1',
      '-P',
      String(server.port),
      '-u',
      'watch',
      '--batch',
      '--skip-column-names',
      '-e',
      question,
    ];
    return (
      (await startClient('mariadb', flags, { MYSQL_PWD: 'watch' }).result).out === `${count}\n`
    );
  }, `${count} of ${statement} run`);

const mariadb = (issued: DatabasePassword, more: readonly string[], input?: string) =>
  startClient(
    'mariadb',
    [...words(issued), '--batch', '--skip-column-names', ...more],
    { MYSQL_PWD: issued.password },
    input,
  );
const finished = async (database = shop) => {
  const { id } = await world.lastSession(database.app);
  await until(
    async () => (await world.lastSession(database.app)).is_finished === true,
    'the session is over',
  );
  return (await world.commands(id)).map(({ input, row_count, error }) => [input, row_count, error]);
};

describe('a MySQL client', () => {
  test('runs statements over TLS, and logs each of a packet with rows and error', async () => {
    const issued = await world.password(shop);
    expect(issued).toMatchObject({
      protocol: 'mysql',
      username: `${world.member.username}@${shop.accountName}@${shop.name}`,
    });
    const script = [
      'select current_user();',
      'select name from item where id < 3 order by id;',
      'select * from missing;',
      'delimiter //',
      "insert into item values (9, 'nine'); delete from item where id = 9//",
      'use shop',
      'status',
      '',
    ].join('\n');
    const { out, err } = await mariadb(issued, ['--ssl', '--force', '--unbuffered'], script).result;
    expect(err).toContain("Table 'shop.missing' doesn't exist");
    expect(out).toContain('clerk@%\nitem 1\nitem 2\n');
    expect(out).toMatch(/SSL:\s+Cipher in use is/);
    const commands = await finished();
    expect(commands).toContainEqual(['select name from item where id < 3 order by id', 2, null]);
    expect(commands).toContainEqual([
      'select * from missing',
      null,
      "1146 Table 'shop.missing' doesn't exist",
    ]);
    expect(commands).toContainEqual(["insert into item values (9, 'nine')", 1, null]);
    expect(commands).toContainEqual(['delete from item where id = 9', 1, null]);
    expect(await world.lastSession(shop.app)).toMatchObject({
      login_from: 'DT',
      protocol: 'mysql',
      replay_state: 'finished',
      end_reason: 'session_finished',
    });
  });

  test('streams many rows, takes and restores a dump, and loads a file', async () => {
    const issued = await world.password(shop);
    const rows = await mariadb(issued, [
      '-e',
      `select seq, concat('row ', seq) from seq_1_to_${MANY}`,
    ]).result;
    expect(rows.out.trimEnd().split('\n')).toHaveLength(MANY);
    const dump = await startClient('mariadb-dump', [...words(issued), 'shop'], {
      MYSQL_PWD: issued.password,
    }).result;
    expect(dump).toMatchObject({ code: 0, err: '' });
    expect(dump.out).toContain("(5,'item 5')");
    const restored = await mariadb(issued, ['shop'], dump.out).result;
    expect(restored).toMatchObject({ code: 0, err: '' });
    const file = join(folder, 'items.tsv');
    await writeFile(file, '21\ttwenty one\n22\ttwenty two\n');
    const loaded = await mariadb(
      issued,
      ['--local-infile=1', 'shop'],
      `load data local infile '${file}' into table item;\n` +
        'select count(*) from item;\ndelete from item where id > 20;\n',
    ).result;
    expect(loaded).toMatchObject({ code: 0, err: '', out: '7\n' });
    expect(await finished()).toContainEqual([
      expect.stringContaining('load data local infile'),
      2,
      null,
    ]);
    expect(await world.files(shop.app)).toEqual([['Upload', `${shop.name}: ${file}`, 28, '']]);
  });

  test('runs prepared statements with values of each type, repetition, an error and a transaction', async () => {
    const { port, username, password } = await world.password(shop);
    const client = await createConnection({
      host: '127.0.0.1',
      port,
      user: username,
      password,
      database: 'shop',
      ssl: { rejectUnauthorized: false },
    });
    client.on('error', () => undefined);
    await client.query(
      `create table typed (id int primary key, name text character set utf8mb4,
         price decimal(8, 2), moment datetime, bytes varbinary(20), nothing int)`,
    );
    const insert = 'insert into typed values (?, ?, ?, ?, ?, ?)';
    for (const id of [1, 2])
      await client.execute(insert, [
        id,
        "it's 椅子",
        '12.50',
        new Date('2026-01-02T03:04:05'),
        Buffer.from([0, 255]),
        null,
      ]);
    await expect(
      client.execute(insert, [1, 'again', null, null, null, null]),
    ).rejects.toMatchObject({ errno: 1062 });
    await client.beginTransaction();
    await client.execute('delete from typed where id = ?', [1]);
    await client.rollback();
    const [rows] = await client.execute('select * from typed where id < ? order by id', [9]);
    expect(rows).toMatchObject([
      { id: 1, name: "it's 椅子", price: '12.50', bytes: Buffer.from([0, 255]), nothing: null },
      { id: 2 },
    ]);
    await client.query('drop table typed');
    await client.end();
    const commands = await finished();
    const logged = (id: number) => `${insert} -- ?1 = ${id}, ?2 = 'it''s 椅子'`;
    expect(commands).toContainEqual([expect.stringContaining(logged(1)), 1, null]);
    expect(commands).toContainEqual([expect.stringContaining(logged(2)), 1, null]);
    expect(commands).toContainEqual([
      expect.stringContaining(`${insert} -- ?1 = 1, ?2 = 'again'`),
      null,
      expect.stringContaining('1062'),
    ]);
    expect(commands).toContainEqual([
      'select * from typed where id < ? order by id -- ?1 = 9',
      2,
      null,
    ]);
  });

  test('resets a connection when a driver changes to the same user, and rejects another user', async () => {
    const { port, username, password } = await world.password(shop);
    const client = await createConnection({
      host: '127.0.0.1',
      port,
      user: username,
      password,
      database: 'shop',
    });
    client.on('error', () => undefined);
    await client.query('set @kept = 1');
    await client.changeUser({ user: username, password, database: 'shop' });
    expect((await client.query('select @kept as kept'))[0]).toEqual([{ kept: null }]);
    await expect(client.changeUser({ user: 'root', password: 'x' })).rejects.toMatchObject({
      errno: 1047,
    });
    client.destroy();
    expect(await finished()).toContainEqual(['RESET CONNECTION', 0, null]);
  });

  test("signs in with an ed25519 account of MariaDB, also when the server's default is another plugin", async () => {
    server.sql(
      `install soname 'auth_ed25519';
       create user modern@'%' identified via ed25519 using password('${VAULT_PASSWORD}');
       grant all on shop.* to modern@'%'`,
    );
    const modern = await world.add({ ...account(), username: 'modern' });
    expect(
      await mariadb(await world.password(modern), ['-e', 'select current_user()']).result,
    ).toMatchObject({ code: 0, out: 'modern@%\n' });
    const wrong = await world.add({ ...account(), username: 'modern', password: 'another' });
    expect(await mariadb(await world.password(wrong), ['-e', 'select 1']).result).toMatchObject({
      code: 1,
      err: expect.stringContaining('credentials'),
    });
    const workspace = await QueryClient.connect(
      world.test.program.url,
      { app: modern.app, system_user: modern.systemUser },
      world.person.headers,
    );
    await workspace.message('open');
    expect(await workspace.rows('select current_user()')).toEqual([['modern@%']]);
    workspace.close();
  });

  test('ends the statement and keeps the session when the client sends KILL QUERY with its own id', async () => {
    const issued = await world.password(shop);
    const running = mariadb(issued, ['--force'], 'select sleep(600);\nselect 42;\n');
    await untilRunning('select sleep(600)', 1);
    running.child.kill('SIGINT');
    const { out, err } = await running.result;
    expect(out + err).toMatch(/Query was (?:killed|interrupted)|interrupted|^1\n/m);
    await untilRunning('select sleep(600)', 0);
  });
});

describe('rejected MySQL clients and statements', () => {
  test('rejects a wrong or replaced password, and ends a session whose permission ends', async () => {
    const issued = await world.password(shop);
    const refused = async (client: Partial<DatabasePassword>) =>
      expect(await mariadb({ ...issued, ...client }, ['-e', 'select 1']).result).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining('ERROR 1045'),
      });
    await refused({ password: 'wrong' });
    await refused({ password: '' });
    await refused({ username: 'nobody@account@app' });
    await world.password(shop);
    await refused({});
    const brief = await world.add(account());
    const open = await world.password(brief);
    const running = mariadb(open, [], 'select sleep(600);\n');
    await untilRunning('select sleep(600)', 1);
    await world.administrator.patch(`perms/database-app-permissions/${brief.permission}/`, {
      is_active: false,
    });
    expect(await running.result).toMatchObject({
      code: 1,
      err: expect.stringContaining('Your permission for this asset has ended'),
    });
    expect(await mariadb(open, ['-e', 'select 1']).result).toMatchObject({
      code: 1,
      err: expect.stringContaining('ERROR 1044'),
    });
  });

  test('rejects statements by a command filter before the database gets them, and keeps the session open', async () => {
    const filter = await world.administrator.post('assets/cmd-filters/', {
      name: 'no deletes',
      system_users: [shop.systemUser],
    });
    const rules = `assets/cmd-filters/${filter.body.id}/rules/`;
    await world.administrator.post(rules, {
      type: 'regex',
      content: '(?i)\\bdelete\\b',
      action: 0,
      priority: 50,
    });
    await world.administrator.post(rules, {
      content: 'update',
      action: 4,
      message: 'Updates need care.',
    });
    const issued = await world.password(shop);
    const { out, err } = await mariadb(
      issued,
      ['--force'],
      'delete from item;\n/*! delete */ /*!50000 from item */;\nupdate item set id = id;\n' +
        "select 'still here', count(*) from item;\n",
    ).result;
    expect(err.match(/ERROR 1227/g)).toHaveLength(3);
    expect(err).toMatch(/Updates need care\. .*Run it in the browser/);
    expect(out).toBe('still here\t5\n');
    await world.administrator.delete(`assets/cmd-filters/${filter.body.id}/`);
  });

  test('rejects a file without the right to upload, also if hidden in the statement, and writes of readers', async () => {
    const narrow = await world.add(account(), { actions: ['connect'] });
    const connectOnly = await world.password(narrow);
    const file = join(folder, 'more.tsv');
    await writeFile(file, '31\tx\n');
    const plain = `load data local infile '${file}' into table item`;
    const script = [
      `${plain};`,
      `load data /* ${'x'.repeat(300)} */ local infile '${file}' into table item;`,
      'select count(*) from item;',
      '',
    ].join('\n');
    const { out, err } = await mariadb(
      connectOnly,
      ['--force', '--comments', '--local-infile=1', 'shop'],
      script,
    ).result;
    expect(err.match(/does not include sending files/g)).toHaveLength(2);
    expect(out).toBe('5\n');
    await expect
      .poll(async () =>
        (await world.files(narrow.app)).map(([operation, , size, reason]) => [
          operation,
          size,
          reason,
        ]),
      )
      .toEqual([
        ['Upload', null, 'database_upload'],
        ['Upload', null, 'database_upload'],
      ]);
    expect(
      (await finished(narrow)).filter(([input]) => String(input).startsWith('load data')),
    ).toHaveLength(2);
    const reading = await world.password(await world.add(account(), { is_read_only: true }));
    const read = await mariadb(
      reading,
      ['--force'],
      'update item set id = id + 100;\nselect @@tx_read_only;\n' +
        'select count(*) from item where id > 100;\n',
    ).result;
    expect(read.err).toContain('ERROR 1227');
    expect(read.out).toBe('1\n0\n');
  });

  test('verifies the certificate of the database', async () => {
    const secured = {
      ...account(),
      host: 'localhost',
      more: { tls: 'required', ca_certificate: server.authority },
    };
    expect(
      await mariadb(await world.password(await world.add(secured)), [
        '-e',
        "show status like 'Ssl_cipher'",
      ]).result,
    ).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Ssl_cipher\t\w+/),
    });
    const unknown = await world.add({ ...account(), host: 'localhost', more: { tls: 'required' } });
    expect(await mariadb(await world.password(unknown), ['-e', 'select 1']).result).toMatchObject({
      code: 1,
      err: expect.stringContaining('valid certificate'),
    });
  });
});
