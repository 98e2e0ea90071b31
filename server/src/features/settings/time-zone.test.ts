import { formatDatetime, parseDatetime } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram } from '../../testing/test-program.ts';

it('moves crontabs and daily jobs to the time zone of the settings, and to UTC without one', async () => {
  const test = await startTestProgram();
  try {
    const admin = await bearer(test);
    for (const [zone, name] of [
      ['Europe/Lisbon', 'Europe/Lisbon'],
      ['Asia/Kathmandu', 'Asia/Kathmandu'],
      ['', 'UTC'],
    ] as const) {
      expect((await admin.patch('settings/setting/', { SERVER_TIME_ZONE: zone })).status).toBe(200);
      await until(async () => {
        const { rows } = await sql<{ timezone: string }>`
          select distinct timezone from jobs.schedule where cron = '30 4 * * *'`.execute(test.db);
        return rows.length === 1 && rows[0]?.timezone === name;
      }, `daily jobs go by ${name}`);
      const preview = await admin.get<{ times: string[] }>(
        'common/periods/?crontab=30%204%20*%20*%20*',
      );
      const next = parseDatetime(preview.body.times[0] ?? '');
      expect(next && formatDatetime(next, name)).toContain(' 04:30:00 ');
    }
  } finally {
    await test.stop();
  }
});
