import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { migrate } from '../../platform/db/migrate.ts';
import { createTestDatabase } from '../../testing/test-database.ts';

const MIGRATION = join(
  import.meta.dirname,
  '../../migrations/1495_openid_client_authentication.sql',
);

it.each([
  ['keeps the secret in the body of an installation that uses OpenID', true, ['"body"']],
  ['leaves the choice to the provider when OpenID is off', false, []],
])('%s', async (_title, isOn, expected) => {
  const place = await createTestDatabase('empty');
  const pool = new pg.Pool({ connectionString: place.url, max: 1 });
  try {
    await migrate(pool);
    await pool.query('insert into setting (name, value) values ($1, $2)', [
      'AUTH_OPENID',
      String(isOn),
    ]);
    await pool.query(
      "insert into setting (name, value) values ('SECURITY_SEPARATE_DUTIES', 'true')",
    );
    await pool.query(await readFile(MIGRATION, 'utf8'));
    const { rows } = await pool.query<{ value: string }>(
      "select value::text from setting where name = 'AUTH_OPENID_CLIENT_AUTH'",
    );
    expect(rows.map(({ value }) => value)).toEqual(expected);
    // The rule of the duties holds again.
    await expect(
      pool.query("insert into setting (name, value) values ('AUTH_OPENID_NAME', '\"x\"')"),
    ).rejects.toMatchObject({ code: 'SP001' });
  } finally {
    await pool.end();
    await place.drop();
  }
});
