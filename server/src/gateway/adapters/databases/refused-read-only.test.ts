import { ERRORS } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DatabaseWorld, startDatabaseWorld } from '../../../testing/databases/client-world.ts';
import { type MysqlServer, startMysqlServer } from '../../../testing/databases/mysql-server.ts';
import { QueryClient } from '../../../testing/databases/query-client.ts';

const ACCOUNT = { user: 'reader', password: 'reader hunter2' };
/** The answer of Sphinx 2.2.11 to the read-only mode. */
const SYNTAX = [1064, "sphinxql: syntax error, unexpected READ near 'READ ONLY'"] as const;

let server: MysqlServer;
let world: DatabaseWorld;
beforeAll(async () => {
  [server, world] = await Promise.all([
    startMysqlServer(ACCOUNT, { 'set session transaction read only': { error: SYNTAX } }),
    startDatabaseWorld({}),
  ]);
});
afterAll(async () => {
  await world?.test.stop();
  await server?.stop();
});

const open = async (isReadOnly: boolean) => {
  const database = await world.add(
    {
      type: 'mysql',
      port: server.port,
      database: 'sales',
      username: ACCOUNT.user,
      password: ACCOUNT.password,
    },
    { is_read_only: isReadOnly },
  );
  return QueryClient.connect(
    world.test.program.url,
    { app: database.app, system_user: database.systemUser },
    world.person.headers,
  );
};

it('refuses a read-only workspace in words when the server refuses the mode, and runs nothing', async () => {
  const browser = await open(true);
  await expect(browser.message('open')).rejects.toThrow('database_not_read_only');
  const closed = browser.messages.find(({ type }) => type === 'closed');
  expect(closed).toMatchObject({ message: expect.stringContaining('refused the read-only mode') });
  expect(browser.received).not.toContain('hunter2');
  expect(server.statements.at(-1)).toBe('set session transaction read only');
  expect(server.statements.filter((text) => !text.startsWith('set '))).toEqual([]);
});

it('opens a workspace that may write at the same server', async () => {
  const browser = await open(false);
  await browser.message('open');
  expect((await browser.query('insert into t values (1)')).failed).toBeUndefined();
  browser.close();
});

it('names the server in both languages', () => {
  for (const text of Object.values(ERRORS.database_not_read_only)) expect(text).toContain('{host}');
});
