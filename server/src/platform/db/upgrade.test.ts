import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { startMailbox } from '../../testing/mailbox.ts';
import { until } from '../../testing/poll.ts';
import { createTestDatabase } from '../../testing/test-database.ts';
import { startTestProgram } from '../../testing/test-program.ts';

const FOLDER = join(import.meta.dirname, '../../migrations');
const SECRET_KEY = 'a1'.repeat(32);

/** Brings an empty database to the schema of an older version. */
async function migrateTo(last: string, pool: pg.Pool): Promise<void> {
  await pool.query(
    'create table schema_migration (name text primary key, digest text not null, date_applied timestamptz not null default now())',
  );
  for (const file of readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql') && name.slice(0, 4) <= last)
    .sort()) {
    const text = readFileSync(join(FOLDER, file), 'utf8');
    await pool.query(text);
    await pool.query('insert into schema_migration (name, digest) values ($1, $2)', [
      file.slice(0, -4),
      createHash('sha256').update(text).digest('hex'),
    ]);
  }
}

it('mail that waited is sent once, and what ran last under the old tables is known, when servers of this version start', async () => {
  const place = await createTestDatabase('empty');
  const mailbox = await startMailbox();
  const pool = new pg.Pool({ connectionString: place.url, max: 2 });
  const stops: (() => Promise<unknown>)[] = [() => pool.end(), () => mailbox.stop()];
  try {
    await migrateTo('0055', pool);
    const settings = {
      EMAIL_HOST: '127.0.0.1',
      EMAIL_PORT: String(mailbox.port),
      EMAIL_FROM: 'sallyport@example.com',
    };
    for (const [name, value] of Object.entries(settings))
      await pool.query('insert into setting (name, value) values ($1, $2)', [
        name,
        JSON.stringify(value),
      ]);
    const { rows } = await pool.query<{ id: string }>(
      `insert into account (name, username, email, password, role) values ('Li Wei', 'li.wei', 'li.wei@example.com', '', 'User'), ('Mei', 'mei', 'mei@example.com', '', 'User') returning id`,
    );
    const [li, mei] = rows.map(({ id }) => id);
    // One is due, one waits for its next try, and one is too old to be of use.
    await pool.query(
      `insert into mail_job (kind, user_id, language, attempts, date_next, date_created) values
        ('public_key_reset', $1, 'en', 0, now(), now() - interval '1 minute'),
        ('public_key_reset', $2, 'en', 3, now() + interval '3 hours', now() - interval '2 hours'),
        ('public_key_reset', $1, 'en', 9, now(), now() - interval '3 days')`,
      [li, mei],
    );
    await pool.query(
      `insert into housekeeping (name, date_run) values ('retention', now() - interval '1 hour')`,
    );
    await pool.query(`insert into daily_job (name, day) values ('expiry reminders', current_date)`);
    const refused = JSON.stringify([{ username: 'zhang', reason: 'email_invalid' }]);
    await pool.query(
      `update ldap_periodic set date_begun = now() - interval '2 hours', date_done = now() - interval '119 minutes', created = 3, updated = 2, unchanged = 1, refused = $1`,
      [refused],
    );
    await pool.query(
      `insert into ldap_person (dn, username, fields) values ('cn=zhang', 'zhang', '{}')`,
    );

    const one = await startTestProgram({ databaseUrl: place.url, secretKey: SECRET_KEY });
    stops.push(() => one.stop());
    const other = await startTestProgram({ databaseUrl: place.url, secretKey: SECRET_KEY });
    stops.push(() => other.stop());
    await until(() => mailbox.mails.length > 0, 'the mail arrives');
    const waiting = async () =>
      (
        await pool.query(`select j.state, q.data -> 'input' ->> 'userId' as person, q.start_after > now() + interval '2 hours' as later
          from job j join jobs.job q on q.id = j.id where j.name = 'mail'`)
      ).rows;
    // The job of a mail ends a moment after the mail was taken.
    await until(
      async () => (await waiting()).every(({ state }) => state === 'queued'),
      'the job of the mail is over',
    );
    expect(await waiting()).toEqual([{ state: 'queued', person: mei, later: true }]);
    expect(mailbox.mails.map(({ to }) => to)).toEqual(['li.wei@example.com']);

    const jobs = await pool.query(
      `select name, state, result from job where name in ('retention', 'expiry-reminders', 'ldap-import') order by name, date_created`,
    );
    expect(jobs.rows).toEqual([
      { name: 'expiry-reminders', state: 'succeeded', result: null },
      {
        name: 'ldap-import',
        state: 'succeeded',
        result: { created: 3, updated: 2, unchanged: 1, refused: JSON.parse(refused) },
      },
      { name: 'retention', state: 'succeeded', result: null },
    ]);
    const old = await pool.query(
      `select tablename from pg_tables where tablename in ('mail_job', 'housekeeping', 'daily_job', 'ldap_periodic', 'ldap_sync')`,
    );
    expect([old.rows, (await pool.query('select 1 from job_request')).rows]).toEqual([[], []]);
  } finally {
    for (const stop of stops.reverse()) await stop();
    await place.drop();
  }
});
