import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildSystemUser, unique } from '../../testing/builders.ts';
import type { Client } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
let systemUser: string;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  systemUser = await buildSystemUser(test.db);
});
afterAll(() => test.stop());

const rule = (dates: Record<string, unknown>) =>
  admin.post('perms/asset-permissions/', {
    name: unique('rule'),
    system_users: [systemUser],
    ...dates,
  });

it.each([
  ['UTC', '2030-01-31 00:30:00 +0000'],
  ['Asia/Shanghai', '2030-01-31 08:30:00 +0800'],
  ['America/New_York', '2030-01-30 19:30:00 -0500'],
  ['Asia/Kolkata', '2030-01-31 06:00:00 +0530'],
  ['nonsense/zone', '2030-01-31 08:30:00 +0800'],
  ['', '2030-01-31 08:30:00 +0800'],
])('writes dates in the zone that X-TZ names: %s', async (zone, written) => {
  const { body } = await rule({ date_start: '2030-01-31T00:30:00Z' });
  expect(
    (await admin.with({ 'x-tz': zone }).get(`perms/asset-permissions/${body.id}/`)).body.date_start,
  ).toBe(written);
});

it('takes the time zone of a link from its address', async () => {
  const { body } = await rule({ date_start: '2030-01-31T00:30:00Z' });
  const { text } = await admin.get(
    `perms/asset-permissions/?format=csv&id=${body.id}&tz=America/New_York`,
  );
  expect(text).toContain('2030-01-30 19:30:00 -0500');
});

it('respects daylight saving time', async () => {
  const { body } = await rule({ date_start: '2030-07-31T00:30:00Z' });
  expect(
    (await admin.with({ 'x-tz': 'America/New_York' }).get(`perms/asset-permissions/${body.id}/`))
      .body.date_start,
  ).toBe('2030-07-30 20:30:00 -0400');
});

it.each([
  '2030-01-31 08:30:00 +0800',
  '2030-01-31T08:30:00+08:00',
  '2030-01-31T00:30:00.000Z',
  '2030-01-31 08:30:00',
])('reads %s', async (text) => {
  const { status, body } = await rule({ date_start: text });
  expect([status, body.date_start]).toEqual([201, '2030-01-31 08:30:00 +0800']);
});

it.each([
  ['Asia/Shanghai', '2030-01-31 08:30:00', '2030-01-31 08:30:00 +0800'],
  ['America/New_York', '2030-01-30T19:30', '2030-01-31 08:30:00 +0800'],
  ['America/New_York', '2030-07-30 20:30:00', '2030-07-31 08:30:00 +0800'],
  ['Asia/Kolkata', '2030-01-31T06:00:00', '2030-01-31 08:30:00 +0800'],
  // Clocks skip this hour in spring and repeat the next one in fall.
  ['America/New_York', '2030-03-10 02:30:00', '2030-03-10 15:30:00 +0800'],
  ['America/New_York', '2030-11-03 01:30:00', '2030-11-03 13:30:00 +0800'],
])('reads a date without an offset as clocks show it in %s: %s', async (zone, text, meant) => {
  const caller = admin.with({ 'x-tz': zone });
  const created = await caller.post('perms/asset-permissions/', {
    name: unique('rule'),
    system_users: [systemUser],
    date_start: text,
  });
  expect([
    created.status,
    (await admin.get(`perms/asset-permissions/${created.body.id}/`)).body.date_start,
  ]).toEqual([201, meant]);
  const file = `*Name,*System users,Date start\r\n${unique('rule')},${systemUser},${text}\r\n`;
  const imported = await caller.send<{ id: string }[]>(
    'POST',
    'perms/asset-permissions/',
    file,
    'text/csv',
  );
  const [row] = imported.body;
  expect((await admin.get(`perms/asset-permissions/${row?.id}/`)).body.date_start).toBe(meant);
});

it('reads a date range in the time zone of the request', async () => {
  await sql`insert into operate_log ("user", action, resource_type, resource, remote_addr, datetime) values ('zoned', 'create', 'label', 'zoned', '10.0.0.1', '2001-02-03 04:05:06Z')`.execute(
    test.db,
  );
  const countBetween = async (from: string, to: string, zone: string) =>
    (
      await admin
        .with({ 'x-tz': zone })
        .get<unknown[]>(`audits/operate-logs/?user=zoned&date_from=${from}&date_to=${to}`)
    ).body.length;
  expect(await countBetween('2001-02-03 04:05:06', '2001-02-03 04:05:06', 'UTC')).toBe(1);
  expect(await countBetween('2001-02-03 12:05:06', '2001-02-03 12:05:06', 'Asia/Shanghai')).toBe(1);
  expect(await countBetween('2001-02-03 04:05:06', '2001-02-03 11:00:00', 'Asia/Shanghai')).toBe(0);
  expect(
    await countBetween('2001-02-02 23:05:06 -0500', '2001-02-03 04:05:06Z', 'Asia/Kolkata'),
  ).toBe(1);
});

it.each([
  '2030-02-31 08:30:00',
  '31.1.2030',
  'tomorrow',
  '',
  20300131,
  '2030-01-31T25:00:00Z',
  '275760-09-14T00:00:00Z',
  '0000-00-00 00:00:00',
])('refuses %s, which is no date', async (value) => {
  const { status, body } = await rule({ date_expired: value });
  expect([status, Object.keys(body)]).toEqual([400, ['date_expired']]);
});

it('rejects an end before the start', async () => {
  const { status, body } = await rule({
    date_start: '2030-01-31 08:30:00 +0800',
    date_expired: '2030-01-31 08:29:59 +0800',
  });
  expect([status, body]).toEqual([
    400,
    { date_expired: ['The end must be later than the start.'] },
  ]);
});

it('accepts the years 0001 and 9999', async () => {
  expect((await rule({ date_start: '0001-01-01 00:00:00 +0000' })).status).toBe(201);
  expect((await rule({ date_expired: '9999-12-31 23:59:59 +0000' })).status).toBe(201);
});
