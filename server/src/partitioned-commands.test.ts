import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from './config.ts';
import {
  countImportedCommands,
  createSessionRows,
  storeImportedCommands,
} from './features/sessions/index.ts';
import { openDatabase } from './platform/db/database.ts';
import { applyMigrations } from './platform/db/migrate.ts';
import { sql } from './platform/db/sql.ts';
import { countRows } from './resources/read/count.ts';
import { makeBackup } from './start/backup/backup.ts';
import { readManifest } from './start/backup/manifest.ts';
import { fillTables } from './start/backup/restore.ts';
import { copyIn, fillFromFile } from './start/backup/tables.ts';
import { changeSettings } from './testing/change-settings.ts';
import type { Client, Json, Page } from './testing/client.ts';
import { partitionCommands } from './testing/commands/partition-commands.ts';
import { runJob } from './testing/jobs.ts';
import { bearer } from './testing/sign-in.ts';
import { createTestDatabase } from './testing/test-database.ts';
import { startTestProgram, type TestProgram } from './testing/test-program.ts';

// This version partitions nothing. Its servers run while a later version partitions the table.

const DAY = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY);
const BOUNDS = [daysAgo(310), daysAgo(300), daysAgo(-1)];
const typed = (sequence: number, days = 0) => ({
  ...{ sequence, input: `command ${sequence}`, output: '', at: days * DAY },
});

let test: TestProgram;
let admin: Client;
/** A session of 320 days with one command, from before the partitions. */
let old: string;
/** A session with 30,000 commands. */
let many: string;

async function session(days: number, importedFrom: string | null = null): Promise<string> {
  const id = randomUUID();
  await sql`
    insert into session (id, "user", asset, "system_user", is_finished, date_start, imported_from)
    values (${id}, 'Li', 'web', 'deploy', true, ${daysAgo(days)}, ${importedFrom})`.execute(
    test.db,
  );
  return id;
}

const write = (id: string, commands: ReturnType<typeof typed>[]) =>
  createSessionRows(test.db, 'test').addCommands(id, commands);

async function storedOf(id: string): Promise<readonly [string, number][]> {
  const { rows } = await sql<{ place: string; sequence: number }>`
    select tableoid::regclass::text as place, sequence from command
    where session = ${id} order by sequence`.execute(test.db);
  return rows.map(({ place, sequence }) => [place, sequence]);
}

async function amountOf(id: string): Promise<unknown> {
  const { rows } = await sql<Json>`
    select command_amount from session where id = ${id}`.execute(test.db);
  return rows[0]?.command_amount;
}

beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  old = await session(320);
  await write(old, [typed(1)]);
  await partitionCommands(test.db, BOUNDS);
});
afterAll(() => test.stop());

it('stores each command once when a journal is drained again', async () => {
  const ahead = await session(-2);
  const all = [typed(1), typed(2, 15), typed(3, 22)];
  for (const commands of [all.slice(0, 2), all, all]) {
    await write(old, commands);
    await write(ahead, [typed(1)]);
  }
  expect(await storedOf(old)).toEqual([
    ['command_past', 1],
    ['command_0', 2],
    ['command_1', 3],
  ]);
  expect(await amountOf(old)).toBe(3);
  expect([await storedOf(ahead), await amountOf(ahead)]).toEqual([[['command_other', 1]], 1]);
});

it('stores commands of an import once, whatever their date', async () => {
  const id = await session(40, 'jumpserver');
  const commands = [900, 305, 2, -100].map((days, sequence) => ({
    ...{ id: randomUUID(), session: id, sequence, input: 'ls', output: '', risk_level: 0 },
    ...{ offset_ms: 0, date: daysAgo(days).toISOString() },
  }));
  for (const _ of ['first', 'again'])
    await test.db.transaction(async (tx) => {
      await storeImportedCommands(commands, tx);
      await countImportedCommands([id], tx);
    });
  expect((await storedOf(id)).map(([place]) => place)).toEqual([
    'command_past',
    'command_0',
    'command_1',
    'command_other',
  ]);
  expect(await amountOf(id)).toBe(4);
});

it('lists, searches and counts the commands of all partitions', async () => {
  const [far, near] = [await session(312), await session(3)];
  await write(far, [{ ...typed(1), input: 'needle far' }]);
  await write(near, [{ ...typed(1), input: 'needle near' }]);
  const { body } = await admin.get<Page>('terminal/commands/?search=needle&limit=1');
  expect([body.count, body.results.map(({ input }) => input)]).toEqual([2, ['needle near']]);
  const { body: page } = await admin.get<Page>('terminal/commands/?input=needle&limit=5&offset=1');
  expect([page.count, page.results.map(({ input }) => input)]).toEqual([2, ['needle far']]);
  // Larger than a small table, so that the totals are projected.
  many = await session(200);
  await sql`insert into command (session, sequence, "user", asset, "system_user", input, date)
    select ${many}, n, 'Li', 'web', 'deploy', 'x', ${daysAgo(200)}::timestamptz
      + make_interval(mins => n * 8)
    from generate_series(1, 30000) n`.execute(test.db);
  await sql`analyze command`.execute(test.db);
  const { count } = await countRows(test.db, 'command', sql`true`, {
    isExact: false,
    isFew: false,
  });
  expect(count).toBeGreaterThan(29_000);
  expect(count).toBeLessThan(31_000);
  for (const _ of ['learns the size', 'uses it']) {
    const { body: first } = await admin.get<Page>('terminal/commands/?limit=3');
    expect([first.count > 29_000, first.count < 31_000, first.results.length]).toEqual([
      true,
      true,
      3,
    ]);
  }
});

it('restores a backup of partitions into one table, and a backup of one table into partitions', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'sallyport-partitions-'));
  await chmod(parent, 0o700);
  const { rows: before } = await sql<Json>`select * from command order by id`.execute(test.db);
  const [whole, parted] = [await createTestDatabase('empty'), await createTestDatabase('empty')];
  const targets = [whole, parted];
  try {
    const config = readConfig({
      SALLYPORT_DATA_DIR: test.dataDirectory,
      SALLYPORT_DATABASE_URL: test.databaseUrl,
    });
    const folder = join(parent, 'backup');
    await makeBackup(config, { folder, recordings: false, keys: undefined, say: () => undefined });
    const { manifest } = await readManifest(folder);
    const parts = manifest.tables.filter(({ name }) => /^command(_(past|other|\d))?$/.test(name));
    expect(parts).toMatchObject([{ name: 'command', rows: before.length }]);
    for (const target of targets) {
      const client = new pg.Client({ connectionString: target.url });
      await client.connect();
      try {
        if (target === whole) await fillTables(client, folder, manifest);
        else {
          await applyMigrations(client, manifest.migrations);
          const { db, close } = openDatabase(target.url, 1);
          await partitionCommands(db, BOUNDS);
          await close();
          await copyIn(client, manifest, (table) => fillFromFile(client, folder, table));
        }
        const { rows } = await client.query('select * from command order by id');
        expect(rows.length).toBe(before.length);
        expect(rows[0]).toMatchObject({ id: before[0]?.id, search_text: before[0]?.search_text });
      } finally {
        await client.end();
      }
    }
  } finally {
    for (const target of targets) await target.drop();
    await rm(parent, { recursive: true, force: true });
  }
});

it('deletes exactly the commands of due sessions, although rows of partitions share their places', async () => {
  await sql`delete from session where id = ${many}`.execute(test.db);
  const [due, young] = [await session(320), await session(10)];
  await write(due, [typed(1), typed(2, 12), typed(3, 22)]);
  await write(young, [typed(1), typed(2, 1)]);
  const { rows: kept } = await sql<{ id: string }>`
    select c.id from command c join session s on s.id = c.session
    where s.date_start > ${daysAgo(315)} order by c.id`.execute(test.db);
  const { rows: shared } = await sql`
    select from command a join command b on a.ctid = b.ctid and a.tableoid <> b.tableoid
    where a.session = ${due}`.execute(test.db);
  expect(shared.length).toBeGreaterThan(0);
  await changeSettings([admin], 'terminal', { TERMINAL_SESSION_KEEP_DURATION: 315 });
  expect(await runJob(test, 'retention')).toMatchObject({ state: 'succeeded' });
  const { rows } = await sql<{ id: string }>`select id from command order by id`.execute(test.db);
  expect(rows).toEqual(kept);
});
