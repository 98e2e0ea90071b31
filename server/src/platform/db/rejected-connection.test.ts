import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unique } from '../../testing/builders.ts';
import type { Client } from '../../testing/client.ts';
import { type CuttingProxy, startCuttingProxy, throughPort } from '../../testing/cutting-proxy.ts';
import { bearer } from '../../testing/sign-in.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let database: TestDatabase;
let proxy: CuttingProxy;
let test: TestProgram;
let client: Client;
beforeAll(async () => {
  database = await createTestDatabase();
  const { path, at } = throughPort(database.url);
  proxy = await startCuttingProxy({ path });
  test = await startTestProgram({ databaseUrl: at(proxy.port) });
  client = await bearer(test);
});
afterAll(async () => {
  await test?.stop();
  await proxy?.stop();
  await database?.drop();
});

/** Runs a statement of a superuser in another database. */
async function outside(statement: string): Promise<void> {
  const url = new URL(database.setupUrl);
  url.pathname = '/postgres';
  const admin = new pg.Client(url.href);
  await admin.connect();
  await admin.query(statement);
  await admin.end();
}

it.each([
  ['does not exist', 'rename to NAME_away', 'NAME_away rename to NAME'],
  ['accepts no connections', 'with allow_connections false', 'NAME with allow_connections true'],
])('answers 503 while the database %s, and works afterwards', async (_title, change, undo) => {
  const name = new URL(database.url).pathname.slice(1);
  const altered = (text: string) => outside(`alter database ${text.replaceAll('NAME', name)}`);
  proxy.cut();
  // PostgreSQL renames a database only without connections.
  await outside(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  await expect
    .poll(() =>
      altered(`NAME ${change}`).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  proxy.restore();
  const label = () => client.post('assets/labels/', { name: unique('label'), value: 'x' });
  for (const { status, body } of [await client.get('assets/labels/'), await label()])
    expect([status, body.code]).toEqual([503, 'database_away']);
  expect((await test.visitor.get('/api/health/')).status).toBe(503);
  await altered(undo);
  await expect.poll(async () => (await label()).status).toBe(201);
});
