import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { isBaseline, readBridge, readFormerMigrations, readMigrations } from './bridge.ts';
import { applyMigrations, migrate, unknownMigration } from './migrate.ts';

let place: TestDatabase;
let pool: pg.Pool;
beforeEach(async () => {
  place = await createTestDatabase('empty');
  pool = new pg.Pool({ connectionString: place.url, max: 2 });
  await applyMigrations(pool, FORMER);
});
afterEach(async () => {
  await pool.end();
  await place.drop();
});

const FORMER = readFormerMigrations();

/** Makes the database remember former migrations, as one from before the baseline does. */
async function remember(migrations: readonly { name: string; digest: string }[]): Promise<void> {
  await pool.query('delete from schema_migration');
  for (const { name, digest } of migrations)
    await pool.query('insert into schema_migration (name, digest) values ($1, $2)', [name, digest]);
}
const remembered = async () =>
  (await pool.query<{ name: string }>('select name from schema_migration order by name')).rows.map(
    ({ name }) => name,
  );

it('remembers the baseline in place of all former migrations, once, and applies later ones', async () => {
  await remember(FORMER);
  const later = readMigrations().filter((migration) => !isBaseline(migration));
  expect(await migrate(pool)).toEqual(later.map(({ name }) => name));
  expect(await remembered()).toEqual(readMigrations().map(({ name }) => name));
  expect(await migrate(pool)).toEqual([]);
});

it('refuses a database that is older than the bridge reaches, and changes nothing', async () => {
  const old = FORMER.slice(0, 3);
  await remember(old);
  await expect(migrate(pool)).rejects.toThrow(`it lacks ${FORMER[3]?.name}`);
  expect(await remembered()).toEqual(old.map(({ name }) => name));
});

it('refuses a database whose former migrations were edited', async () => {
  const [first, ...others] = FORMER;
  await remember([{ name: first?.name ?? '', digest: 'edited' }, ...others]);
  await expect(migrate(pool)).rejects.toThrow(`The migration ${first?.name} is not the one`);
});

it('rolls everything back when a step of the bridge fails', async () => {
  // Its tables exist, so that the last step cannot make them again.
  const last = readBridge().at(-1)?.name;
  const old = FORMER.filter(({ name }) => name !== last);
  await remember(old);
  await expect(migrate(pool)).rejects.toThrow(/already exists/);
  expect(await remembered()).toEqual(old.map(({ name }) => name));
});

it('restores backups with the baseline or with all former migrations, and no others', () => {
  expect(unknownMigration(readMigrations())).toBeUndefined();
  expect(unknownMigration(FORMER)).toBeUndefined();
  expect(unknownMigration([...FORMER, { name: '9999_future', digest: 'x' }])).toBe('9999_future');
  expect(() => unknownMigration(FORMER.slice(0, -1))).toThrow(`it lacks ${FORMER.at(-1)?.name}`);
});
