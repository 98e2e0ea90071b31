import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createVault, directKey } from '../../platform/crypto/vault.ts';
import { openDatabase } from '../../platform/db/database.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { createAuditChains } from './chain.ts';

const role = `ordinary_${randomBytes(6).toString('hex')}`;
const password = randomBytes(12).toString('hex');

let place: TestDatabase;
let superuser: pg.Pool;
let pool: pg.Pool;

beforeAll(async () => {
  place = await createTestDatabase('empty');
  superuser = new pg.Pool({ connectionString: place.setupUrl, max: 1 });
  await superuser.query(`create role ${role} login password '${password}'`);
  await superuser.query(`alter database ${new URL(place.url).pathname.slice(1)} owner to ${role}`);
  await superuser.query(`alter schema public owner to ${role}`);
  pool = new pg.Pool({ connectionString: urlOf(role), max: 2 });
});
afterAll(async () => {
  await pool.end();
  await superuser.query(`reassign owned by ${role} to current_user`);
  await superuser.query(`drop owned by ${role}`);
  await superuser.query(`drop role ${role}`);
  await superuser.end();
  await place.drop();
});

function urlOf(username: string): string {
  const url = new URL(place.url);
  url.username = username;
  url.password = password;
  return url.href;
}

const add = () =>
  pool.query(
    `insert into login_log (username, type, ip, status, datetime) values ('somebody', 'W', '127.0.0.1', true, now() - interval '40 days')`,
  );

it('migrates the database of an ordinary account, whose logs accept inserts only', async () => {
  await migrate(pool);
  await add();
  for (const statement of [
    "update login_log set username = 'nobody'",
    'delete from login_log',
    'truncate login_log',
  ]) {
    await expect(pool.query(statement), statement).rejects.toMatchObject({
      code: '42501',
      message: expect.stringContaining('permission denied'),
    });
  }
  expect((await pool.query('select username from login_log')).rows).toEqual([
    { username: 'somebody' },
  ]);
});

it('applies retention with an ordinary account, and revokes the right afterwards', async () => {
  await add();
  const database = openDatabase(urlOf(role), 2);
  const chains = createAuditChains({
    db: database.db,
    vault: createVault(directKey(randomBytes(32))),
    directory: await mkdtemp(join(tmpdir(), 'sallyport-seals-')),
  });
  expect(await chains.forget('login_log', 30)).toBe(2);
  await add();
  expect(await chains.verify(['login_log'])).toMatchObject([
    { rows: 1, removed: 2, first_break: null },
  ]);
  await database.close();
  await expect(pool.query('delete from login_log')).rejects.toMatchObject({ code: '42501' });
});
