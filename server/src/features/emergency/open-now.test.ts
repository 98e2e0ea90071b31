import type { EmergencyOpened, OpenEmergency } from '@sallyport/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  buildAsset,
  buildOrganization,
  buildSystemUser,
  buildUser,
  unique,
} from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const OPEN = 'tickets/emergency/';

let test: TestProgram;
let ticket: string;
let administrator: Client;
let auditor: Client;
let user: Client;
let stranger: Client;
beforeAll(async () => {
  test = await startTestProgram();
  const { db } = test;
  const [organization, elsewhere] = [await buildOrganization(db), await buildOrganization(db)];
  const sign = async (role: 'User' | 'Admin' | 'Auditor', place = organization) => {
    const built = await buildUser(db, { memberOf: [{ organization: place, role }] });
    return { id: built.id, client: (await bearer(test, built)).inOrganization(place) };
  };
  const [opener, boss, watcher] = [await sign('User'), await sign('Admin'), await sign('Auditor')];
  [user, administrator, auditor] = [opener.client, boss.client, watcher.client];
  stranger = (await sign('Admin', elsewhere)).client;
  const asset = await buildAsset(db, { organization });
  const rule = await administrator.post<Json>('perms/emergency-access/', {
    name: unique('emergency'),
    users: [opener.id],
    assets: [asset],
    system_users: [await buildSystemUser(db, { organization })],
    reviewers: [watcher.id],
    max_minutes: 60,
  });
  expect([rule.status, rule.text]).toEqual([201, expect.any(String)]);
  const opened = await user.post<EmergencyOpened>('perms/users/emergency-access/', {
    rule: rule.body.id,
    asset,
    minutes: 30,
    reason: 'It is down',
  });
  expect(opened.status).toBe(201);
  ticket = opened.body.ticket;
});
afterAll(() => test.stop());

it('shows open emergency access to administrators and auditors of its organization only, until it ends', async () => {
  for (const client of [administrator, auditor])
    expect((await client.get<OpenEmergency[]>(OPEN)).body).toEqual([
      {
        ticket,
        user_display: expect.any(String),
        asset_display: expect.any(String),
        date_expired: expect.any(String),
        session: null,
      },
    ]);
  expect((await stranger.get<OpenEmergency[]>(OPEN)).body).toEqual([]);
  expect((await user.get(OPEN)).status).toBe(403);
  expect((await test.visitor.get(OPEN)).status).toBe(401);
  expect((await administrator.get<Json>(`tickets/tickets/${ticket}/`)).status).toBe(200);
  await user.post(`tickets/emergency/${ticket}/end/`);
  expect((await administrator.get<OpenEmergency[]>(OPEN)).body).toEqual([]);
  const { rows } =
    await sql`select 1 from emergency_activation where ticket_id = ${ticket}`.execute(test.db);
  expect(rows).toHaveLength(1);
});
