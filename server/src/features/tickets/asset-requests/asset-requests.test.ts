import {
  type AssetRequest,
  parseDatetime,
  type RequestAssignees,
  type RequestableTarget,
  type TicketRequest,
} from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import {
  type BuiltUser,
  buildAsset,
  buildOrganization,
  buildSystemUser,
  buildUser,
  unique,
} from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { runHousekeeping } from '../../../testing/jobs.ts';
import { startMailbox, useMailbox } from '../../../testing/services/mailbox.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

const URL = 'tickets/request-asset-perm/';
const HOUR = 3_600_000;

let test: TestProgram;
let organization: string;
let li: BuiltUser;
let boss: BuiltUser;
let second: BuiltUser;
let user: Client;
let approver: Client;
let other: Client;
let asset: string;
let elsewhere: string;
let account: string;
beforeAll(async () => {
  test = await startTestProgram();
  organization = await buildOrganization(test.db);
  const there = await buildOrganization(test.db);
  const member = (role: 'User' | 'Admin') =>
    buildUser(test.db, { memberOf: [{ organization, role }] });
  [li, boss, second] = [await member('User'), await member('Admin'), await member('Admin')];
  user = await bearer(test, li);
  approver = (await bearer(test, boss)).inOrganization(organization);
  other = (await bearer(test, second)).inOrganization(organization);
  asset = await buildAsset(test.db, { organization, hostname: 'web-1' });
  elsewhere = await buildAsset(test.db, { organization: there });
  account = await buildSystemUser(test.db, { organization });
});
afterAll(() => test.stop());

const requestBody = (more: Json = {}) => ({
  org_id: organization,
  hostname: 'web-1',
  system_user: 'root',
  body: 'The import failed',
  ...more,
});
const ask = async (more: Json = {}, client = user) => {
  const created = await client.post<AssetRequest & Json>(URL, requestBody(more));
  expect([created.status, created.text]).toEqual([201, expect.any(String)]);
  return created.body;
};
const confirmed = (more: Json = {}) => ({
  confirmed_assets: [asset],
  confirmed_system_user: [account],
  ...more,
});
const approve = (id: string, body: Json = confirmed(), client = approver) =>
  client.post<Json>(`${URL}${id}/approve/`, body);
const read = async (id: string, client = user) =>
  (await client.get<AssetRequest>(`${URL}${id}/`)).body;
const permissionsOf = async (id: string) =>
  (
    await sql<{ id: string; name: string; actions: number; date_expired: Date }>`
    select p.id, p.name, p.actions, p.date_expired from asset_permission p
      where p.comment like ${`%${id}`}`.execute(test.db)
  ).rows;

describe('asking for access', () => {
  it('names users who can grant access, in the organizations of the caller only', async () => {
    const places = (await user.get<RequestAssignees[]>(`${URL}assignees/`)).body;
    expect(places.map(({ org_id, org_name }) => [org_id, org_name])).toEqual([
      ['', 'Superuser'],
      [organization, expect.any(String)],
    ]);
    expect(places[1]?.org_admins.map(({ id }) => id).toSorted()).toEqual(
      [boss.id, second.id].toSorted(),
    );
    expect(JSON.stringify(places)).not.toContain('@');
    // The own request cannot be answered.
    const own = (await approver.get<RequestAssignees[]>(`${URL}assignees/`)).body;
    expect(own[1]?.org_admins.map(({ id }) => id)).toEqual([second.id]);
    expect((await test.visitor.get(`${URL}assignees/`)).status).toBe(401);
  });

  it('finds targets of own organizations by two characters, unless the setting is off', async () => {
    const hostname = unique('Find-me');
    await buildAsset(test.db, { organization, hostname });
    const namesFor = async (search: string, client = user) => {
      const query = new URLSearchParams({ search });
      const { body } = await client.get<RequestableTarget[]>(`${URL}targets/?${query}`);
      return body.map(({ name }) => name);
    };
    expect(await namesFor(hostname.slice(2).toLowerCase())).toEqual([hostname]);
    expect(await namesFor('f')).toEqual([]);
    expect(await namesFor('%%')).toEqual([]);
    const stranger = await bearer(test, await buildUser(test.db));
    expect(await namesFor(hostname, stranger)).toEqual([]);
    expect((await test.visitor.get(`${URL}targets/?search=web`)).status).toBe(401);
    const boss = await bearer(test);
    await boss.patch('settings/setting/', { security: { REQUEST_ACCESS_SEARCH: false } });
    expect(await namesFor(hostname)).toEqual([]);
    await boss.patch('settings/setting/', { security: { REQUEST_ACCESS_SEARCH: true } });
    expect(await namesFor(hostname)).toEqual([hostname]);
  });

  it('returns the median time of recent answers per organization', async () => {
    const there = await buildOrganization(test.db);
    const asking = await buildUser(test.db, { memberOf: [{ organization: there, role: 'User' }] });
    await buildUser(test.db, { memberOf: [{ organization: there, role: 'Admin' }] });
    const client = await bearer(test, asking);
    const usual = async () =>
      (await client.get<RequestAssignees[]>(`${URL}assignees/`)).body.find(
        ({ org_id }) => org_id === there,
      )?.usual_minutes;
    expect(await usual()).toBeNull();
    for (const minutes of [4, 10, 90]) {
      const { id } = await ask({ org_id: there }, client);
      await sql`update ticket set status = 'closed', action = 'approve', date_closed = now(),
        date_created = now() - ${`${minutes} minutes`}::interval where id = ${id}`.execute(test.db);
    }
    expect(await usual()).toBe(10);
  });

  it('assigns a request to every administrator of the organization, for a week by default', async () => {
    const request = await ask();
    expect(request).toMatchObject({
      type: 'request_asset',
      status: 'open',
      user: li.id,
      title: 'web-1',
      actions: ['connect'],
      hostname: 'web-1',
      ips: [],
    });
    expect(request.assignees.toSorted()).toEqual([boss.id, second.id].toSorted());
    const days =
      (Date.parse(request.date_expired.replace(' ', 'T').replace(' ', '')) -
        Date.parse(request.date_start.replace(' ', 'T').replace(' ', ''))) /
      (24 * HOUR);
    expect(days).toBe(7);
    expect([
      request.assets_waitlist_url,
      (await read(request.id, approver)).assets_waitlist_url,
    ]).toEqual([null, '/api/v1/assets/assets/']);
    const listed = async (assign: number, client: Client) =>
      (await client.get<AssetRequest[]>(`${URL}?assign=${assign}`)).body.map(({ id }) => id);
    expect([await listed(0, user), await listed(1, approver)]).toEqual([
      expect.arrayContaining([request.id]),
      expect.arrayContaining([request.id]),
    ]);
    expect([await listed(1, user), await listed(0, approver)]).toEqual([[], []]);
  });

  it('rejects a request in another organization, to users who cannot grant it, too long, without a target, or without a reason', async () => {
    const strange = await buildOrganization(test.db);
    const refusals: readonly (readonly [Json, string])[] = [
      [{ org_id: strange }, 'org_id'],
      [{ assignees: [li.id] }, 'assignees'],
      [{ hostname: '', ips: [] }, 'hostname'],
      [{ body: '' }, 'body'],
      [{ date_expired: '2000-01-01 00:00:00 +0000' }, 'date_expired'],
      [{ date_expired: new Date(Date.now() + 400 * 24 * HOUR).toISOString() }, 'date_expired'],
    ];
    for (const [more, field] of refusals)
      expect([field, Object.keys((await user.post<Json>(URL, requestBody(more))).body)]).toEqual([
        field,
        [field],
      ]);
  });
});

describe('what a request could mean', () => {
  const about = async (id: string, client: Client) =>
    (await client.get<TicketRequest>(`tickets/tickets/${id}/request/`)).body;

  it('suggests matching objects with the access of the requester, to users who can grant it only', async () => {
    const name = unique('root');
    const secondAccount = await buildSystemUser(test.db, { organization, name });
    const { id } = await ask({ ips: ['10.9.9.9'], system_user: name });
    const { request, suggestion } = await about(id, approver);
    expect(request).toMatchObject({ id, hostname: 'web-1', org_id: organization });
    expect(suggestion?.accounts).toEqual([secondAccount]);
    expect(suggestion?.things).toEqual([
      {
        id: asset,
        name: expect.stringMatching(/^web-1\(.+\)$/),
        check: expect.objectContaining({ granted: false }),
      },
    ]);
    // The requester, an assignee in another organization, and a stranger.
    expect(await about(id, user)).toMatchObject({ request: { id }, suggestion: null });
    expect(await about(id, approver.inOrganization(''))).toMatchObject({
      request: { id },
      suggestion: null,
    });
    const stranger = await bearer(
      test,
      await buildUser(test.db, { memberOf: [{ organization, role: 'Admin' }] }),
    );
    expect(await about(id, stranger.inOrganization(organization))).toEqual({
      request: null,
      suggestion: null,
      granted: null,
      facts: null,
      waits: null,
    });
    await approve(id);
    expect(await about(id, approver)).toMatchObject({
      request: { id, status: 'closed' },
      suggestion: null,
      granted: { things: ['web-1'], is_active: true, can_end: true },
    });
    const again = await ask({ hostname: '', ips: ['10.9.9.9'] });
    expect((await about(again.id, approver)).suggestion).toEqual({ things: [], accounts: [] });
    expect((await test.visitor.get(`tickets/tickets/${id}/request/`)).status).toBe(401);
    expect((await approver.get('tickets/tickets/nothing/request/')).status).toBe(404);
  });

  it('suggests a system user by its username when none has the name', async () => {
    const username = unique('login');
    const { body } = await approver.post<{ id: string }>('assets/system-users/', {
      name: unique('readers'),
      username,
      protocol: 'ssh',
      login_mode: 'manual',
    });
    const { id } = await ask({ system_user: username });
    expect((await about(id, approver)).suggestion?.accounts).toEqual([body.id]);
  });

  it('suggests no assets of other organizations', async () => {
    const { rows } = await sql<{
      hostname: string;
    }>`select hostname from asset where id = ${elsewhere}`.execute(test.db);
    const { id } = await ask({ hostname: rows[0]?.hostname ?? '' });
    expect((await about(id, approver)).suggestion?.things).toEqual([]);
  });
});

describe('granting it', () => {
  it('creates a permission that ends and names the ticket, possibly with fewer rights than requested', async () => {
    const { id } = await ask({ actions: ['all'] });
    const end = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 2 * HOUR);
    const { status, body } = await approve(
      id,
      confirmed({ actions: ['connect'], date_expired: end.toISOString() }),
    );
    expect([status, body]).toEqual([200, { detail: 'Succeed', change_set: null }]);
    const [permission, ...more] = await permissionsOf(id);
    expect(more).toEqual([]);
    expect(permission).toMatchObject({
      name: `From request ticket: web-1 (${id.slice(0, 8)})`,
      actions: 1,
      date_expired: end,
    });
    expect(await read(id)).toMatchObject({
      status: 'closed',
      action: 'approve',
      assignee: boss.id,
      permission: permission?.id,
    });
    expect((await user.get<Json[]>('perms/users/assets/')).body.map((row) => row.id)).toContain(
      asset,
    );
    const { rows } = await sql`select 1 from operate_log
        where resource_id = ${permission?.id ?? ''} and action = 'create'`.execute(test.db);
    expect(rows).toHaveLength(1);
  });

  it('takes the confirmed objects when the ticket itself is approved', async () => {
    const { id } = await ask();
    const answer = () => approver.patch<Json>(`tickets/tickets/${id}/`, { action: 'approve' });
    expect((await answer()).body.code).toBe('request_no_assets');
    await approver.patch(`${URL}${id}/`, { confirmed_assets: [asset] });
    expect((await answer()).body.code).toBe('request_no_account');
    expect(await read(id)).toMatchObject({
      status: 'open',
      confirmed_assets: [asset],
      actions: ['connect'],
    });
    await approver.patch(`${URL}${id}/`, { confirmed_system_user: [account] });
    expect((await answer()).status).toBe(200);
    expect(await permissionsOf(id)).toHaveLength(1);
  });

  it('creates one permission when two administrators approve at the same time', async () => {
    const { id } = await ask();
    const answers = await Promise.all([approve(id), approve(id, confirmed(), other), approve(id)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(await permissionsOf(id)).toHaveLength(1);
  });

  it('allows approval by administrators of that organization while they act in it, except the requester', async () => {
    const { id } = await ask();
    expect((await approve(id, confirmed(), user)).status).toBe(403);
    const stranger = await bearer(
      test,
      await buildUser(test.db, {
        memberOf: [{ organization: await buildOrganization(test.db), role: 'Admin' }],
      }),
    );
    for (const client of [stranger, stranger.inOrganization(organization), await bearer(test)])
      expect((await approve(id, confirmed(), client)).status).toBe(404);
    // An assignee who is no longer an administrator.
    const defaultHere = approver.inOrganization('');
    expect((await approve(id, confirmed(), defaultHere)).body.code).toBe('request_elsewhere');
    expect((await approve(id, confirmed({ confirmed_assets: [elsewhere] }))).body).toEqual({
      confirmed_assets: [`Invalid pk "${elsewhere}" - object does not exist.`],
    });
    const own = await ask({}, approver);
    expect((await approve(own.id)).status).toBe(403);
    expect(
      (await approver.patch<Json>(`tickets/tickets/${own.id}/`, { action: 'approve' })).body,
    ).toEqual({ action: ['Only assignees can answer this ticket.'] });
    expect([await permissionsOf(id), await permissionsOf(own.id)]).toEqual([[], []]);
    expect((await read(id)).status).toBe('open');
  });

  it('creates no permission on rejection or closing, and neither can be undone', async () => {
    for (const [way, action] of [
      ['reject', 'reject'],
      ['close', ''],
    ] as const) {
      const { id } = await ask();
      expect((await approver.post(`${URL}${id}/${way}/`)).status).toBe(200);
      expect(await read(id)).toMatchObject({ status: 'closed', action, permission: null });
      expect((await approve(id)).status).toBe(409);
      expect(await permissionsOf(id)).toEqual([]);
    }
  });
});

describe('what was granted', () => {
  const grantedBy = async (id: string, client: Client) =>
    (await client.get<TicketRequest>(`tickets/tickets/${id}/request/`)).body.granted;
  const lengthOf = (granted: { date_start: string; date_expired: string } | null) =>
    [granted?.date_start, granted?.date_expired].map((date) => parseDatetime(date ?? '') ?? 0);

  it('counts the duration from the approval when minutes are given', async () => {
    const start = new Date(Date.now() - 5 * HOUR).toISOString();
    const { id } = await ask({
      date_start: start,
      date_expired: new Date(Date.now() + HOUR).toISOString(),
    });
    expect(await grantedBy(id, approver)).toBeNull();
    expect((await approve(id, confirmed({ minutes: 0 }))).status).toBe(400);
    expect((await approve(id, confirmed({ minutes: 120 }))).status).toBe(200);
    const granted = await grantedBy(id, approver);
    const [from, until] = lengthOf(granted).map(Number);
    expect(until).toBe((from ?? 0) + 2 * HOUR);
    expect(Math.abs(Date.now() - (from ?? 0))).toBeLessThan(HOUR);
  });

  it('ends the access for its requester and for assignees who can grant it', async () => {
    for (const client of [user, approver]) {
      const { id } = await ask();
      await approve(id);
      expect(await grantedBy(id, client)).toMatchObject({ is_active: true, can_end: true });
      const elsewhereNow = approver.inOrganization('');
      expect(await grantedBy(id, elsewhereNow)).toMatchObject({ can_end: false });
      expect((await elsewhereNow.post(`${URL}${id}/end/`)).status).toBe(403);
      expect((await client.post(`${URL}${id}/end/`)).status).toBe(200);
      expect(await grantedBy(id, user)).toMatchObject({ is_active: false });
      const comments = (await user.get<Json[]>(`tickets/tickets/${id}/comments/`)).body;
      expect(JSON.stringify(comments)).toMatch(/ended the access|已结束此访问/);
    }
    const stranger = await bearer(test, await buildUser(test.db));
    const { id } = await ask();
    await approve(id);
    expect((await stranger.post(`${URL}${id}/end/`)).status).toBe(404);
    expect((await test.visitor.post(`${URL}${id}/end/`)).status).toBe(401);
    expect(await grantedBy(id, user)).toMatchObject({ is_active: true });
  });

  it('links sessions to the request that granted them, and lets auditors open the ticket', async () => {
    const { id } = await ask();
    await approve(id);
    const names = { user: 'li', asset: 'web-1', system_user: 'root' };
    const { rows } = await sql<{ id: string }>`
      insert into session (org_id, "user", asset, "system_user", user_id, asset_id, system_user_id)
      values (${organization}, ${names.user}, ${names.asset}, ${names.system_user}, ${li.id},
        ${asset}, ${account}) returning id`.execute(test.db);
    const session = (await other.get<{ requests: Json[] }>(`terminal/sessions/${rows[0]?.id}/`))
      .body;
    expect(session.requests).toContainEqual({ id, name: 'web-1' });
    const auditor = await buildUser(test.db, { memberOf: [{ organization, role: 'Auditor' }] });
    const audits = (await bearer(test, auditor)).inOrganization(organization);
    expect((await audits.get(`tickets/tickets/${id}/`)).status).toBe(200);
    expect((await audits.get<Json[]>('tickets/tickets/')).body).toEqual([]);
    expect((await audits.post(`tickets/tickets/${id}/comments/`, { body: 'x' })).status).toBe(404);
    const open = await ask();
    expect(
      (await audits.patch<Json>(`tickets/tickets/${open.id}/`, { status: 'closed' })).status,
    ).toBe(403);
    const outside = (
      await bearer(
        test,
        await buildUser(test.db, {
          memberOf: [{ organization: await buildOrganization(test.db), role: 'Auditor' }],
        }),
      )
    ).inOrganization(organization);
    expect((await outside.get(`tickets/tickets/${id}/`)).status).toBe(404);
  });

  it('reminds the requester once, a day before the permission ends', async () => {
    const mailbox = await startMailbox();
    try {
      await useMailbox(await bearer(test), mailbox);
      const { id } = await ask({ title: 'Soon over' });
      await approve(id);
      await mailbox.next(`${li.username}@example.com`);
      await runHousekeeping(test, 'request-reminders');
      await sql`update asset_permission set date_expired = now() + interval '23 hours',
        date_start = now() - interval '5 days' where comment like ${`%${id}`}`.execute(test.db);
      await runHousekeeping(test, 'request-reminders');
      const mail = await mailbox.next(`${li.username}@example.com`);
      expect(mail.subject).toContain('Soon over');
      expect(mail.text).toContain(`/core/console/tickets/tickets/${id}`);
      const { rows } =
        await sql`select 1 from ticket_asset_request where ticket_id = ${id} and date_reminded
          is not null`.execute(test.db);
      expect(rows).toHaveLength(1);
    } finally {
      await mailbox.stop();
    }
  });
});
