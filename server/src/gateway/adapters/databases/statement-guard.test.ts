import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { unique } from '../../../testing/builders.ts';
import {
  type DatabaseWorld,
  type GrantedDatabase,
  startDatabaseWorld,
} from '../../../testing/databases/database-world.ts';
import type { QueryClient } from '../../../testing/databases/query-client.ts';
import { startSocketBridge } from '../../../testing/gateway/socket-bridge.ts';
import { until } from '../../../testing/poll.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/test-database.ts';

const PASSWORD = 'vault secret 9';

let world: DatabaseWorld;
let place: TestDatabase;
let bridge: Awaited<ReturnType<typeof startSocketBridge>>;
let postgres: GrantedDatabase;
let role: string;
beforeAll(async () => {
  [world, place] = await Promise.all([startDatabaseWorld(), createTestDatabase('empty')]);
  role = unique('clerk').replaceAll('-', '_');
  const url = new URL(place.setupUrl);
  bridge = await startSocketBridge(`${url.searchParams.get('host')}/.s.PGSQL.${url.port || 5432}`);
  const client = new pg.Client({ connectionString: place.setupUrl });
  await client.connect();
  await client.query(`create role ${role} login password '${PASSWORD}';
    create table public.item (id int primary key, price numeric);
    insert into item values (1, 5), (2, 7);
    grant select, insert, update, delete on item to ${role}`);
  await client.end();
  postgres = await world.grant({
    type: 'postgresql',
    host: '127.0.0.1',
    port: bridge.port,
    database: url.pathname.slice(1),
    username: role,
    password: PASSWORD,
  });
});
afterAll(async () => {
  await world?.stop();
  await bridge?.stop();
  await place?.drop();
  const client = new pg.Client({ connectionString: process.env.SALLYPORT_TEST_SETUP_URL });
  await client.connect();
  await client.query(`drop role if exists ${role}`).finally(() => client.end());
});

/** Runs a text, answers the question before it, and returns question and result. */
async function answered(client: QueryClient, text: string, yes: boolean, word?: string) {
  const run = client.begin(text);
  const question = await client.message('ask', run.from);
  client.send({ type: 'answer', yes, ...(word !== undefined && { word }) });
  return { question, ...(await client.finish(run)) };
}

const ended = () =>
  until(async () => (await postgres.lastSession()).is_finished === true, 'the session has ended');

const change = async (values: object) =>
  expect(
    (await world.administrator.patch(`assets/system-users/${postgres.systemUser}/`, values)).status,
  ).toBe(200);

it('asks before a statement affects every row, runs it only after a yes, and logs it as dangerous', async () => {
  const client = await postgres.connect();
  expect(await client.message('open')).toMatchObject({ autocommit: true });
  const declined = await answered(client, 'select 1; delete from public.item', false);
  expect(declined.question).toMatchObject({
    act: 'delete',
    message: expect.stringContaining('public.item'),
  });
  expect(declined.failed).toMatchObject({ is_refused: true });
  expect(declined.messages.some(({ type }) => type === 'statement')).toBe(false);
  expect(await client.rows('select count(*) from item')).toEqual([['2']]);
  const updated = await answered(client, 'update item set price = 1', true);
  expect(updated.question).toMatchObject({ act: 'update' });
  expect(updated.answered).toMatchObject([{ rows: 2, result: null }]);
  const limited = await client.query('delete from item where id = 2');
  expect(limited.messages.some(({ type }) => type === 'ask')).toBe(false);
  expect(limited.answered).toMatchObject([{ rows: 1 }]);
  client.close();
  await ended();
  const session = await postgres.lastSession();
  expect(session).toMatchObject({ risk_level: 5, commands_denied: 0 });
  const { rows } =
    await sql`select input, risk_level, is_denied, verdict from command where session = ${session.id} order by sequence`.execute(
      world.test.db,
    );
  expect(rows).toMatchObject([
    {
      input: 'select 1; delete from public.item',
      is_denied: false,
      risk_level: 0,
      verdict: 'declined',
    },
    { input: 'select count(*) from item', risk_level: 0, verdict: 'none' },
    { input: 'update item set price = 1', is_denied: false, risk_level: 5, verdict: 'confirmed' },
    { input: 'delete from item where id = 2', risk_level: 0 },
  ]);
});

it('asks nothing, and starts with a transaction, when the system user says so', async () => {
  await change({ confirm_all_rows: false, autocommit: false });
  const client = await postgres.connect();
  expect(await client.message('open')).toMatchObject({ autocommit: false });
  const { messages, finished } = await client.query('update item set price = 3');
  expect(messages.some(({ type }) => type === 'ask')).toBe(false);
  expect(finished).toMatchObject({ transaction: 'open', autocommit: false });
  client.close();
  await ended();
  await change({ confirm_all_rows: true, autocommit: true });
});

it('runs a statement that a rule asks about only after the answer that the rule expects', async () => {
  const { body } = await world.administrator.post<{ id: string }>('assets/cmd-filters/', {
    name: unique('filter'),
    system_users: [postgres.systemUser],
  });
  const rule = (values: object) =>
    world.administrator.post(`assets/cmd-filters/${body.id}/rules/`, { type: 'regex', ...values });
  await rule({ content: 'price = 8', action: 4, message: 'Prices are public.' });
  await rule({ content: 'price = 9', action: 3, word: 'nine' });
  const client = await postgres.connect();
  await client.message('open');
  const warned = await answered(client, 'update item set price = 8 where id = 1', true);
  expect(warned.question).toEqual({ type: 'ask', message: 'Prices are public.', seconds: 60 });
  expect(warned.answered).toMatchObject([{ rows: 1 }]);
  const confirm = (word?: string) =>
    answered(client, 'update item set price = 9 where id = 1', true, word);
  const missing = await confirm();
  expect(missing.question).toMatchObject({ word: 'nine' });
  expect(missing.failed).toMatchObject({ is_refused: true });
  expect((await confirm('eight')).failed).toMatchObject({ is_refused: true });
  expect(await client.rows('select price from item where id = 1')).toEqual([['8']]);
  expect((await confirm('nine')).answered).toMatchObject([{ rows: 1 }]);
  client.begin('update item set price = 9 where id = 2');
  await client.message('ask', client.messages.length);
  client.close();
  await ended();
  const session = await postgres.lastSession();
  const { rows } =
    await sql`select verdict, is_denied from command where session = ${session.id} order by sequence`.execute(
      world.test.db,
    );
  expect(rows).toEqual([
    { verdict: 'acknowledged', is_denied: false },
    { verdict: 'declined', is_denied: false },
    { verdict: 'declined', is_denied: false },
    { verdict: 'none', is_denied: false },
    { verdict: 'confirmed', is_denied: false },
  ]);
  await world.administrator.delete(`assets/cmd-filters/${body.id}/`);
});

it('lets a held statement wait for a reviewer, and withdraws it when the user cancels', async () => {
  const { administrator } = world;
  const { body } = await administrator.post<{ id: string }>('assets/cmd-filters/', {
    name: unique('filter'),
    system_users: [postgres.systemUser],
  });
  await administrator.post(`assets/cmd-filters/${body.id}/rules/`, {
    type: 'regex',
    content: 'price = 11',
    action: 2,
    message: 'Eleven is much.',
  });
  const client = await postgres.connect();
  await client.message('open');
  const held = async () => {
    const run = client.begin('update item set price = 11 where id = 1');
    const { message } = await client.message('notice', run.from);
    expect(message).toContain('Eleven is much. The statement waits for a reviewer');
    let ticket: string | undefined;
    await until(async () => {
      const { rows } = await sql<{ id: string }>`
        select id from ticket where type = 'held_command' and status = 'open'`.execute(
        world.test.db,
      );
      ticket = rows[0]?.id;
      return ticket !== undefined;
    }, 'the ticket of the statement');
    return { run, ticket };
  };
  const cancelled = await held();
  client.send({ type: 'cancel' });
  expect((await client.finish(cancelled.run)).failed?.message).toContain('Withdrawn by the user');
  const approved = await held();
  const answer = await administrator.patch(`tickets/tickets/${approved.ticket}/`, {
    action: 'approve',
  });
  expect(answer.status, answer.text).toBe(200);
  expect((await client.finish(approved.run)).answered).toMatchObject([{ rows: 1 }]);
  client.close();
  await ended();
  const session = await postgres.lastSession();
  const { rows } =
    await sql`select verdict, is_denied from command where session = ${session.id} order by sequence`.execute(
      world.test.db,
    );
  expect(rows).toEqual([
    { verdict: 'withdrawn', is_denied: false },
    { verdict: 'approved', is_denied: false },
  ]);
  await administrator.delete(`assets/cmd-filters/${body.id}/`);
});

it('rejects and logs statements while the session is locked', async () => {
  const client = await postgres.connect();
  const { session } = await client.message('open');
  const path = `terminal/sessions/${session}/interventions/`;
  await world.administrator.post(path, { action: 'lock', text: 'Please wait.' });
  await client.message('notice');
  const { failed } = await client.finish(client.begin('select 1'));
  expect(failed).toMatchObject({
    is_refused: true,
    message: expect.stringMatching(/Administrator\(admin\) locked this session.*Please wait\./),
  });
  const unlocked = client.messages.length;
  await world.administrator.post(path, { action: 'unlock' });
  await client.message('notice', unlocked);
  expect(await client.rows('select 2')).toEqual([['2']]);
  await client.close();
  await ended();
  expect(await postgres.commands()).toMatchObject([
    { input: 'select 1', is_denied: true },
    { input: 'select 2', is_denied: false },
  ]);
});
