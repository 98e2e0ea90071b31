import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from './platform/db/database.ts';
import { sql } from './platform/db/sql.ts';
import { recordedLength } from './platform/journal/segment-file.ts';
import type { Json } from './testing/client.ts';
import { useCommands } from './testing/command.ts';
import { databasePassword, grantDatabase } from './testing/databases/grant-database.ts';
import {
  type PostgresServer,
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from './testing/databases/postgres-server.ts';
import { freePort } from './testing/free-port.ts';
import { until } from './testing/poll.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.ts';

const CLIENTS = 3;
/** Statements of each client before the kill. */
const ANSWERED = 40;

const { folder, startOn } = useCommands();
let database: TestDatabase;
let opened: Database;
let target: PostgresServer;
beforeAll(async () => {
  [database, target] = await Promise.all([createTestDatabase(), startPostgres()]);
  opened = openDatabase(database.url, 2);
});
afterAll(async () => {
  await opened.close();
  await database.drop();
  await target.stop();
});

/** Adds half of a record to each segment, after the last whole one. Returns their number. */
async function tearJournals(): Promise<number> {
  const recordings = join(folder(), 'recordings');
  const journals = (await readdir(recordings)).filter((name) => name.startsWith('.journal'));
  let segments = 0;
  for (const journal of journals)
    for (const name of await readdir(join(recordings, journal))) {
      if (!/^\d{10}-/.test(name)) continue;
      const path = join(recordings, journal, name);
      const torn = Buffer.from('0badcafe {"kind":"command","session":"');
      const file = await open(path, 'r+');
      await file.write(torn, 0, torn.length, await recordedLength(path));
      await file.close();
      segments++;
    }
  return segments;
}

it('has each answered statement in the log after kill -9, with user, time and whole text', async () => {
  const port = String(await freePort());
  const first = await startOn(database, { SALLYPORT_POSTGRESQL_PORT: port });
  const admin = await first.signIn();
  const { body: me } = await admin.get<Json>('users/profile/');
  const grant = await grantDatabase(admin, String(me.id), {
    type: 'postgresql',
    port: target.port,
    database: target.database,
    username: VAULT_ACCOUNT,
    password: VAULT_PASSWORD,
  });
  const { username: user, password } = await databasePassword(admin, grant);
  const began = Date.now();
  const answered: string[] = [];
  let isKilled = false;
  const work = async (client: pg.Client, number: number) => {
    for (let at = 0; !isKilled; at++) {
      const long = at % 10 === 0 ? 'ünïcode 语句 '.repeat(200) : '';
      const text = `select ${number}, ${at}, '${long}'`;
      try {
        // Every other statement is prepared.
        await (at % 2 === 0 ? client.query(text) : client.query({ text, name: `s${at}` }));
      } catch {
        return;
      }
      answered.push(text);
    }
  };
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const client = new pg.Client({
        host: '127.0.0.1',
        port: Number(port),
        user,
        password,
        database: target.database,
      });
      client.on('error', () => undefined);
      await client.connect();
      return client;
    }),
  );
  const working = clients.map(work);
  await until(() => answered.length >= CLIENTS * ANSWERED, 'the statements are answered');
  first.command.child.kill('SIGKILL');
  await first.command.ended;
  isKilled = true;
  await Promise.all(working);
  const ended = Date.now();
  expect(await tearJournals()).toBeGreaterThan(0);

  await startOn(database);
  const logged = async () =>
    (
      await sql<{ input: string; user: string; date: Date }>`
        select input, "user", date from command order by session, sequence`.execute(opened.db)
    ).rows;
  const missing = async () => {
    const texts = new Set((await logged()).map(({ input }) => input));
    return answered.filter((text) => !texts.has(text));
  };
  await until(async () => (await missing()).length === 0, 'all answered statements are in the log');
  const rows = (await logged()).filter(({ input }) => answered.includes(input));
  expect(rows.map(({ input }) => input).sort()).toEqual([...answered].sort());
  expect(new Set(rows.map((row) => row.user)).size).toBe(1);
  expect(rows[0]?.user).toContain('admin');
  // The clocks of two processes differ by little.
  const dates = rows.map(({ date }) => date.getTime());
  expect(Math.min(...dates)).toBeGreaterThan(began - 5000);
  expect(Math.max(...dates)).toBeLessThan(ended + 5000);
});
