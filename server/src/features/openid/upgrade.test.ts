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

async function upgrade(isOn: boolean, expected: readonly string[]): Promise<void> {
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
}

it('keeps the secret in the body of an installation that uses OpenID, also while duties are separated', () =>
  upgrade(true, ['"body"']));

it('leaves the place of the secret to the provider when OpenID is off', () => upgrade(false, []));
