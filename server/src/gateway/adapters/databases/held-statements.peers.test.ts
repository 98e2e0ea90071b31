import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { unique } from '../../../testing/builders.ts';
import type { Json } from '../../../testing/client.ts';
import {
  type DatabaseWorld,
  type GrantedDatabase,
  startDatabaseWorld,
} from '../../../testing/databases/database-world.ts';
import { type Mariadb, startMariadb } from '../../../testing/databases/mariadb.ts';
import type { QueryClient } from '../../../testing/databases/query-client.ts';
import { type RedisServer, startRedisServer } from '../../../testing/databases/redis-server.ts';
import { until } from '../../../testing/poll.ts';

const PASSWORD = 'vault secret 9';
const HOLD = 2;

let world: DatabaseWorld;
let mariadb: Mariadb;
let redisServer: RedisServer;
beforeAll(async () => {
  [world, mariadb, redisServer] = await Promise.all([
    startDatabaseWorld(),
    startMariadb(),
    startRedisServer(PASSWORD),
  ]);
});
afterAll(async () => {
  await world?.stop();
  await Promise.all([mariadb?.stop(), redisServer?.stop()]);
});

/** Lets reviewers decide on the statements of the account that match a pattern. */
async function hold(database: GrantedDatabase, content: string): Promise<void> {
  const { administrator } = world;
  const filter = await administrator.post<Json>('assets/cmd-filters/', {
    name: unique('filter'),
    system_users: [database.systemUser],
  });
  const { status } = await administrator.post(`assets/cmd-filters/${filter.body.id}/rules/`, {
    type: 'regex',
    content,
    action: HOLD,
    message: 'This needs a second person.',
  });
  expect(status).toBe(201);
}

/** Begins a statement that a rule holds. Returns its run and its ticket. */
async function begin(client: QueryClient, statement: string) {
  const run = client.begin(statement);
  const { message } = await client.message('notice', run.from);
  expect(message).toContain('This needs a second person. The statement waits for a reviewer');
  let ticket: string | undefined;
  await until(async () => {
    const { rows } = await sql<{ id: string }>`
      select id from ticket where type = 'held_command' and status = 'open'`.execute(world.test.db);
    ticket = rows[0]?.id;
    return ticket !== undefined;
  }, 'the ticket of the statement');
  const answer = async (action: string) => {
    const { status } = await world.administrator.patch(`tickets/tickets/${ticket}/`, { action });
    expect(status).toBe(200);
  };
  return { run, answer };
}

const grantMariadb = async () => {
  mariadb.sql(`create user if not exists clerk@'%' identified by '${PASSWORD}';
    grant all on shop.* to clerk@'%';
    create table if not exists shop.item (id int primary key, price int);
    replace into shop.item values (1, 5)`);
  return world.grant({
    type: 'mariadb',
    host: mariadb.host,
    port: mariadb.port,
    database: 'shop',
    username: 'clerk',
    password: PASSWORD,
  });
};
const grantRedis = () =>
  world.grant({
    type: 'redis',
    host: redisServer.host,
    port: redisServer.port,
    database: '2',
    username: '',
    password: PASSWORD,
  });

describe.each([
  {
    name: 'MariaDB',
    grant: grantMariadb,
    pattern: '(?i)price = 11',
    statement: '/* eleven */ UPDATE item SET price = 11 WHERE id = 1',
    read: 'select price from item where id = 1',
    before: '5',
    after: '11',
  },
  {
    name: 'Redis',
    grant: grantRedis,
    pattern: '(?i)^set price 11',
    statement: 'SET price 11',
    read: 'EXISTS price',
    before: '0',
    after: '1',
  },
])('a held statement of $name', ({ grant, pattern, statement, read, before, after }) => {
  it('runs after an approval only, not after a rejection or a withdrawal', async () => {
    const database = await grant();
    await hold(database, pattern);
    const client = await database.connect();
    await client.message('open');
    const value = async () => (await client.rows(read)).at(-1)?.at(-1);

    const rejected = await begin(client, statement);
    await rejected.answer('reject');
    expect((await client.finish(rejected.run)).failed?.message).toContain('Rejected by a reviewer');
    const withdrawn = await begin(client, statement);
    client.send({ type: 'cancel' });
    expect((await client.finish(withdrawn.run)).failed?.message).toContain('Withdrawn by the user');
    expect(await value()).toBe(before);
    const approved = await begin(client, statement);
    await approved.answer('approve');
    expect((await client.finish(approved.run)).failed).toBeUndefined();
    expect(await value()).toBe(after);
    client.close();
    await until(
      async () => (await database.lastSession()).is_finished === true,
      'the session has ended',
    );
    const { id } = await database.lastSession();
    const { rows } = await sql`
      select verdict, is_denied from command where session = ${id} and verdict <> 'none'
      order by sequence`.execute(world.test.db);
    expect(rows).toEqual([
      { verdict: 'rejected', is_denied: true },
      { verdict: 'withdrawn', is_denied: false },
      { verdict: 'approved', is_denied: false },
    ]);
  });
});
