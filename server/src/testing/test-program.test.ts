import { expect, it } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { requirePages, startTestProgram } from './test-program.ts';

it('names the command that builds the web when the web is not built', async () => {
  await expect(requirePages('/nonexistent/index.html', 50)).rejects.toThrow(
    '/nonexistent/index.html. Build the web: npm run build',
  );
});

it('prepares the administrator that a first start creates', async () => {
  const [prepared, created] = await Promise.all(
    ([true, 'first-start'] as const).map(async (licensed) => {
      const test = await startTestProgram({}, { licensed });
      const { rows } = await sql`
        select to_jsonb(a) - '{id,password,date_joined,date_expired,date_password_last_updated}'::text[]
            as account,
          date_expired > now() + interval '69 years' as lasting,
          password like '$argon2id$%' as hashed, date_joined > now() - interval '1 hour' as joined,
          date_password_last_updated > now() - interval '1 hour' as fresh from account a`.execute(
        test.db,
      );
      await test.stop();
      return rows;
    }),
  );
  expect(prepared).toEqual(created);
});
