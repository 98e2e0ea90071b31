import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { useCommands } from '../../testing/command.ts';
import { expectRoundTrip, moveTo, whileServing } from '../../testing/moves.ts';
import { executeOperatorCommandIn, runOperatorCommandIn } from '../../testing/operator-command.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';

const commands = useCommands();
const { folder, start } = commands;
let target: TestDatabase;

beforeEach(async () => {
  target = await createTestDatabase('empty');
});
afterEach(() => target.drop());

/** Runs a statement on the target. */
async function onTarget<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: target.url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
const move = (to: string, variables: Readonly<Record<string, string>> = {}) =>
  runOperatorCommandIn(folder(), ['database', 'move', to], variables);

it('moves an installation to another server of PostgreSQL and back', async () => {
  await expectRoundTrip(commands, target.url);
});

it('lets no server start on the first database until the operator reopens it', async () => {
  await whileServing(commands, {}, async () => undefined);
  const moved = await executeOperatorCommandIn(folder(), ['database', 'move', target.url]);
  expect(moved).toMatchObject({ code: 0, stderr: '' });
  expect(moved.stdout).not.toContain(new URL(target.url).password);
  const refused = start();
  expect(await refused.ended).toBe(78);
  expect(refused.output()).toContain('This database was moved to');
  expect(refused.output()).not.toContain(new URL(target.url).password);
  const verified = await runOperatorCommandIn(folder(), ['audit', 'verify']);
  expect(verified.code).toBe(1);
  expect(verified.stderr).toContain('This database was moved to');
  const reopened = await runOperatorCommandIn(folder(), ['database', 'reopen']);
  expect(reopened.stdout).toContain('Servers start on this database again.');
  await whileServing(commands, {}, async (admin) => {
    expect((await admin.get('assets/assets/')).status).toBe(200);
  });
  const again = await runOperatorCommandIn(folder(), ['database', 'reopen']);
  expect(again.stdout).toContain('was not moved away');
});

it('rejects a target with tables, and leaves both databases as they were', async () => {
  await whileServing(commands, {}, async () => undefined);
  await onTarget('create table theirs (id int)');
  const refused = await move(target.url);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('The database is not empty (it has the table theirs)');
  expect(await onTarget("select tablename from pg_tables where schemaname = 'public'")).toEqual([
    { tablename: 'theirs' },
  ]);
  await whileServing(commands, {}, async () => undefined);
});

it('rejects a running server, an address of another kind, and a target without an answer', async () => {
  const running = start();
  await running.ready();
  expect((await move(target.url)).stderr).toMatch(/Another Sallyport .* is using/);
  running.child.kill('SIGTERM');
  await running.ended;
  for (const wrong of ['mysql://db.example.com/x', 'somewhere'])
    expect((await move(wrong)).stderr).toContain('Name the address of the new database');
  expect((await move('embedded')).stderr).toContain('The database is the embedded one.');
  expect((await move('postgresql://sallyport@127.0.0.1:1/none')).stderr).toContain(
    'The database does not answer',
  );
  await whileServing(commands, {}, async () => undefined);
});

it('rejects a database that another program uses', async () => {
  await whileServing(commands, {}, async () => undefined);
  await moveTo(commands, target.url);
  const other = new pg.Client({ connectionString: target.url, application_name: 'reports' });
  await other.connect();
  try {
    const refused = await move('embedded', { SALLYPORT_DATABASE_URL: target.url });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('A program is connected to the database (reports)');
  } finally {
    await other.end();
  }
  // The folder is as before: the same command succeeds now.
  await moveTo(commands, 'embedded', { SALLYPORT_DATABASE_URL: target.url });
});

it('keeps a moved embedded database aside when another one takes its place', async () => {
  await whileServing(commands, {}, async () => undefined);
  await moveTo(commands, target.url);
  await moveTo(commands, 'embedded', { SALLYPORT_DATABASE_URL: target.url });
  expect(existsSync(join(folder(), 'postgres.moved', 'PG_VERSION'))).toBe(true);
  const refused = await move('embedded', { SALLYPORT_DATABASE_URL: target.url });
  expect(refused.stderr).toContain('This database was moved to the data folder');
});
