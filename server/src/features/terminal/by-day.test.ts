import type { DayOfSessions } from '@sallyport/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildOrganization, buildUser } from '../../testing/builders.ts';
import type { Client } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const PATH = 'terminal/sessions/by-day/';
const worked = (start: Date, who: string, organization = '') =>
  sql`insert into session (org_id, user_id, "user", asset, "system_user", is_finished, date_start)
    values (${organization}, ${who}, ${who}, 'host', 'root', true, ${start})`.execute(test.db);
const days = async (client: Client, zone: string) => (await client.with({ 'x-tz': zone }).get<DayOfSessions[]>(PATH)).body;
const dateIn = (zone: string, moment: Date) => new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(moment);

it('counts sessions and users of fourteen days, in the reader’s time zone and organization only', async () => {
  const [one, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const now = new Date();
  const threeDaysAgo = new Date(now.getTime() - 3 * 86_400_000);
  await worked(threeDaysAgo, one);
  await worked(threeDaysAgo, one);
  await worked(threeDaysAgo, other);
  await worked(new Date(now.getTime() - 20 * 86_400_000), one);
  const elsewhere = await buildOrganization(test.db);
  await worked(threeDaysAgo, other, elsewhere);

  for (const zone of ['UTC', 'Asia/Shanghai', 'Pacific/Kiritimati', 'America/New_York']) {
    const answered = await days(admin, zone);
    expect(answered).toHaveLength(14);
    expect(answered.at(-1)?.date).toBe(dateIn(zone, now));
    expect(answered.map(({ date }) => date)).toEqual(answered.map(({ date }) => date).toSorted());
    expect(answered.filter(({ count }) => count > 0)).toEqual([{ date: dateIn(zone, threeDaysAgo), count: 3, users: 2 }]);
  }
  expect((await days(admin.inOrganization(elsewhere), 'UTC')).reduce((sum, { count }) => sum + count, 0)).toBe(1);
});

it('is for auditors and administrators', async () => {
  const person = await bearer(test, await buildUser(test.db));
  expect((await person.get(PATH)).status).toBe(403);
  expect((await test.visitor.get(PATH)).status).toBe(401);
});
