import type {
  EmergencyAsset,
  EmergencyOpened,
  OpenEmergency,
  OwnEmergency,
} from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import {
  buildAsset,
  buildOrganization,
  buildPermission,
  buildSystemUser,
  buildUser,
  unique,
} from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const OPEN = 'tickets/emergency/';

let test: TestProgram;
let ticket: string;
let administrator: Client;
let auditor: Client;
let user: Client;
let stranger: Client;
let openerId: string;
let organization: string;
let asset: string;
let accounts: readonly string[];
beforeAll(async () => {
  test = await startTestProgram();
  const { db } = test;
  const elsewhere = await buildOrganization(db);
  organization = await buildOrganization(db);
  const sign = async (role: 'User' | 'Admin' | 'Auditor', place = organization) => {
    const built = await buildUser(db, { memberOf: [{ organization: place, role }] });
    return { id: built.id, client: (await bearer(test, built)).inOrganization(place) };
  };
  const [opener, boss, watcher] = [await sign('User'), await sign('Admin'), await sign('Auditor')];
  [user, administrator, auditor] = [opener.client, boss.client, watcher.client];
  stranger = (await sign('Admin', elsewhere)).client;
  openerId = opener.id;
  asset = await buildAsset(db, { organization });
  const [low, high] = [
    await buildSystemUser(db, { organization }),
    await buildSystemUser(db, { organization }),
  ];
  await sql`update system_account set priority = 90 where id = ${high}`.execute(db);
  accounts = [high, low];
  const rule = await administrator.post<Json>('perms/emergency-access/', {
    name: unique('emergency'),
    users: [opener.id],
    assets: [asset],
    system_users: [low, high],
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

it('offers the accounts of emergency access, the highest priority first', async () => {
  const { results } = (await user.get<Page<EmergencyAsset>>('perms/users/emergency-access/')).body;
  expect(results.map((row) => row.accounts.map(({ id }) => id))).toEqual([accounts]);
  expect(results[0]?.system_users).toEqual(results[0]?.accounts.map(({ name }) => name));
});

it('shows its user the time left and the running sessions of open emergency access, and nothing to others', async () => {
  const { rows } = await sql<{ id: string }>`
    insert into session
      ("user", user_id, asset, asset_id, "system_user", system_user_id, is_finished, date_start)
    values ('li', ${openerId}, 'db', ${asset}, 'ops', ${accounts[0]}, false, now())
    returning id`.execute(test.db);
  const [own, ...others] = (await user.get<OwnEmergency[]>(`${OPEN}own/`)).body;
  expect(own).toEqual({
    ticket,
    asset_display: expect.any(String),
    date_expired: expect.any(String),
    seconds_left: expect.any(Number),
    sessions: [rows[0]?.id],
    staying: [],
  });
  expect(own?.seconds_left).toBeGreaterThan(20 * 60);
  expect(own?.seconds_left).toBeLessThanOrEqual(30 * 60);
  expect(others).toEqual([]);
  for (const client of [administrator, auditor, stranger])
    expect((await client.get<OwnEmergency[]>(`${OPEN}own/`)).body).toEqual([]);
  expect((await test.visitor.get(`${OPEN}own/`)).status).toBe(401);
  await sql`update session set is_finished = true where id = ${rows[0]?.id}`.execute(test.db);
  expect((await user.get<OwnEmergency[]>(`${OPEN}own/`)).body[0]?.sessions).toEqual([]);
});

it('lists the accounts first that the user does not have already, and says which sessions stay', async () => {
  const { db } = test;
  const [high = '', low = ''] = accounts;
  const { rows } = await sql<{ id: string; account: string }>`
    insert into session
      ("user", user_id, asset, asset_id, "system_user", system_user_id, is_finished, date_start)
    select 'li', ${openerId}, 'db', ${asset}, 'ops', one, false, now()
    from unnest(${[high, low]}::uuid[]) one
    returning id, system_user_id as account`.execute(db);
  const sessionOf = (account: string) => rows.find((row) => row.account === account)?.id;
  const read = async () => {
    const { results } = (await user.get<Page<EmergencyAsset>>('perms/users/emergency-access/'))
      .body;
    const [own] = (await user.get<OwnEmergency[]>(`${OPEN}own/`)).body;
    return {
      accounts: results[0]?.accounts.map(({ id, is_new: isNew }) => [id, isNew]),
      staying: own?.staying,
    };
  };
  const bothNew = {
    accounts: [
      [high, true],
      [low, true],
    ],
    staying: [],
  };
  expect(await read()).toEqual(bothNew);
  const permission = await buildPermission(db, {
    organization,
    users: [openerId],
    assets: [asset],
    systemUsers: [high],
  });
  const known = [
    [low, true],
    [high, false],
  ];
  expect(await read()).toEqual({ accounts: known, staying: [sessionOf(high)] });

  // A permission that ends before the emergency access keeps no session.
  await sql`update asset_permission set date_expired = now() + interval '10 minutes'
    where id = ${permission}`.execute(db);
  expect(await read()).toEqual({ accounts: known, staying: [] });
  // A permission to transfer files does not connect.
  await sql`update asset_permission set date_expired = now() + interval '1 day', actions = 2
    where id = ${permission}`.execute(db);
  expect(await read()).toEqual(bothNew);
  await sql`delete from asset_permission where id = ${permission}`.execute(db);
  expect(await read()).toEqual(bothNew);
  await sql`update session set is_finished = true where user_id = ${openerId}`.execute(db);
});

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
  expect((await user.get<OwnEmergency[]>(`${OPEN}own/`)).body).toEqual([]);
});
