import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unique } from '../../../testing/builders.ts';
import {
  type DatabaseWorld,
  type GrantedDatabase,
  startDatabaseWorld,
} from '../../../testing/databases/database-world.ts';
import { startSocketBridge } from '../../../testing/gateway/socket-bridge.ts';
import { placesWith } from '../../../testing/places-with.ts';
import { until } from '../../../testing/poll.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/test-database.ts';

const PASSWORD = 'vault-Secret-93';
const TOKEN = `ghp_${'Zq7'.repeat(12)}`;
const SECRETS = [
  'vault-Secret-93',
  'Zq7Zq7',
  'plainplain',
  'mellonmellon',
  'Gh0st-rider',
  'Cut8Cut8',
];

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
  await client.query(`create role ${role} login createrole password '${PASSWORD}'`);
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

it('masks secrets of statements, results and errors for all but the user, and offers no masked statement again', async () => {
  const client = await postgres.connect();
  await client.message('open');
  const rows = await client.rows(
    `select repeat('plain', 2) as db_password, repeat('mellon', 2) as "apiKey", '${TOKEN}' as note, '${PASSWORD}' as own, 'kept' as name`,
  );
  expect(rows).toEqual([['plainplain', 'mellonmellon', TOKEN, PASSWORD, 'kept']]);
  const wrong = await client.query(`alter role missing_role password 'Gh0st-rider'`);
  expect(wrong.failed).toBeDefined();
  // The log cuts this statement within the token.
  await client.query(`select '${'x'.repeat(4073)} ghp_${'Cut8'.repeat(9)}'`);
  await client.query('select 42');
  client.send({ type: 'history', search: '' });
  const { statements } = await client.message('history');
  expect(statements.map(({ text }) => text)).toEqual(['select 42']);
  client.close();
  await until(async () => (await postgres.lastSession()).is_finished === true, 'the session ended');
  const log = JSON.stringify(await postgres.commands());
  expect(log).toContain("alter role missing_role password '***********'");
  expect(log).toContain('**********\\t************\\tghp_*');
  expect(
    await placesWith(world.test, (text) => SECRETS.some((secret) => text.includes(secret))),
  ).toEqual([]);
});
