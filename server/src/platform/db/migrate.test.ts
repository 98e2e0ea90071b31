import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { migrate } from './migrate.ts';

const NAMES = readdirSync(join(import.meta.dirname, '../../migrations'))
  .filter((file) => file.endsWith('.sql'))
  .map((file) => file.slice(0, -4))
  .sort();

let place: TestDatabase;
let pool: pg.Pool;
beforeEach(async () => {
  place = await createTestDatabase('empty');
  pool = new pg.Pool({ connectionString: place.url, max: 4 });
});
afterEach(async () => {
  await pool.end();
  await place.drop();
});

it('applies all migrations in order to an empty database, and none the second time', async () => {
  expect(NAMES.length).toBeGreaterThan(4);
  expect(await migrate(pool)).toEqual(NAMES);
  expect(await migrate(pool)).toEqual([]);
  expect(
    (await pool.query('select name from schema_migration order by name')).rows.map(
      (row) => row.name,
    ),
  ).toEqual(NAMES);
});

it('runs on one of several servers that start at once', async () => {
  const applied = await Promise.all([migrate(pool), migrate(pool), migrate(pool)]);
  expect(applied.map((names) => names.length).sort((a, b) => a - b)).toEqual([0, 0, NAMES.length]);
});

it('rejects a migration that was edited after it was applied', async () => {
  await migrate(pool);
  await pool.query("update schema_migration set digest = 'edited' where name = $1", [NAMES[1]]);
  await expect(migrate(pool)).rejects.toThrow(
    `The migration ${NAMES[1]} is not the one that was applied`,
  );
});

it('rejects a database of a newer version, and says what going back would lose', async () => {
  await migrate(pool);
  await pool.query(
    `insert into schema_migration (name, digest, date_applied) values
       ('9998_future', 'x', '2026-11-20 08:30:00Z'), ('9999_future', 'x', '2026-11-21 08:30:00Z')`,
  );
  await expect(migrate(pool)).rejects.toThrow(
    'The database was made by a newer Sallyport ' +
      '(it has 9998_future and 1 more, since 2026-11-20T08:30:00Z). Nothing was changed. ' +
      'Start that version. To go back, restore a backup from before 2026-11-20T08:30:00Z: ' +
      'all sessions, logs and changes since that backup are lost.',
  );
  await pool.query("delete from schema_migration where name like '999_%'");
  expect(await migrate(pool)).toEqual([]);
});

it('continues an interrupted migration', async () => {
  await migrate(pool);
  const [last = ''] = NAMES.slice(-1);
  await pool.query('delete from schema_migration where name = $1', [last]);
  // The objects of the last migration still exist: applied again it fails completely and leaves no
  // record.
  const outcome = await migrate(pool).catch((error: unknown) => error);
  const { rows } = await pool.query('select 1 from schema_migration where name = $1', [last]);
  expect(rows.length).toBe(outcome instanceof Error ? 0 : 1);
});
