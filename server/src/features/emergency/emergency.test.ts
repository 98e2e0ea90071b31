import type { EmergencyAsset, EmergencyFacts, EmergencyOpened } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import {
  type BuiltUser,
  buildAsset,
  buildGroup,
  buildOrganization,
  buildPermission,
  buildSystemUser,
  buildUser,
  rootNode,
  unique,
} from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { runHousekeeping } from '../../testing/jobs.ts';
import { until } from '../../testing/poll.ts';
import { codeOf, enrolTotp, forgetUsedCodes } from '../../testing/second-factors.ts';
import { startMailbox, useMailbox } from '../../testing/services/mailbox.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';

const MINE = 'perms/users/emergency-access/';
const RULES = 'perms/emergency-access/';

let world: SshWorld;
let li: BuiltUser;
let boss: BuiltUser;
let auditor: BuiltUser;
let user: Client;
let reviewer: Client;
let rule: string;
beforeAll(async () => {
  world = await startSshWorld();
  const { db } = world.test;
  const member = (role: 'User' | 'Admin' | 'Auditor') =>
    buildUser(db, { memberOf: [{ organization: world.organization, role }] });
  [li, boss, auditor] = [await member('User'), await member('Admin'), await member('Auditor')];
  user = await bearer(world.test, li);
  reviewer = (await bearer(world.test, boss)).inOrganization(world.organization);
  rule = await makeRule({ users: [li.id], assets: [world.asset] });
});
afterAll(() => world.stop());

const ruleBody = (more: Json = {}) => ({
  name: unique('emergency'),
  system_users: [world.systemUser],
  reviewers: [boss.id, auditor.id],
  max_minutes: 60,
  ...more,
});
async function makeRule(more: Json): Promise<string> {
  const created = await world.administrator.post<Json>(RULES, ruleBody(more));
  expect([created.status, created.text]).toEqual([201, expect.any(String)]);
  return String(created.body.id);
}
const requestBody = (more: Json = {}) => ({
  rule,
  asset: world.asset,
  minutes: 30,
  reason: 'The database does not answer',
  ...more,
});
const open = async (client = user, more: Json = {}) => {
  const created = await client.post<EmergencyOpened & Json>(MINE, requestBody(more));
  expect([created.status, created.text]).toEqual([201, expect.any(String)]);
  return created.body.ticket;
};
const end = (ticket: string, client = reviewer) =>
  client.post<Json>(`tickets/emergency/${ticket}/end/`);
const facts = async (ticket: string, client = reviewer) =>
  (await client.get<EmergencyFacts>(`tickets/emergency/${ticket}/`)).body;
const review = (ticket: string, client = reviewer, action = 'approve') =>
  client.patch<Json>(`tickets/tickets/${ticket}/`, { action });
const mine = async (client = user, query = '') =>
  (await client.get<Page<EmergencyAsset>>(`${MINE}${query}`)).body.results;
const traces = async () =>
  (
    await sql<{ tickets: number; permissions: number; activations: number }>`select
      (select count(*)::int from ticket where type = 'emergency') as tickets,
        (select count(*)::int from emergency_activation) as activations,
      (select count(*)::int from asset_permission where name like 'Emergency access%')
        as permissions`.execute(world.test.db)
  ).rows[0];

describe('a rule', () => {
  it('accepts rules from administrators only, with reviewers of the organization who may watch and sign in', async () => {
    const { db } = world.test;
    const stranger = await buildUser(db, {
      memberOf: [{ organization: await buildOrganization(db), role: 'Admin' }],
    });
    const gone = await buildUser(db, {
      isActive: false,
      memberOf: [{ organization: world.organization, role: 'Auditor' }],
    });
    for (const id of [li.id, stranger.id, gone.id])
      expect(
        Object.keys(
          (await world.administrator.post<Json>(RULES, ruleBody({ reviewers: [id] }))).body,
        ),
      ).toEqual(['reviewers']);
    expect((await world.administrator.post<Json>(RULES, ruleBody({ reviewers: [] }))).body).toEqual(
      { reviewers: ['This list may not be empty.'] },
    );
    for (const max_minutes of [4, 1441])
      expect(
        Object.keys((await world.administrator.post<Json>(RULES, ruleBody({ max_minutes }))).body),
      ).toEqual(['max_minutes']);
    const watcher = (await bearer(world.test, auditor)).inOrganization(world.organization);
    for (const client of [user, watcher])
      expect((await client.post(RULES, ruleBody())).status).toBe(403);
    expect((await world.test.visitor.get(RULES)).status).toBe(401);
  });
});

describe('opening', () => {
  it('offers access to the users and groups of a rule, for its assets and the assets of its nodes', async () => {
    const { db } = world.test;
    const friend = await buildUser(db, {
      memberOf: [{ organization: world.organization, role: 'User' }],
    });
    const client = await bearer(world.test, friend);
    expect(await mine(client)).toEqual([]);
    const other = await buildAsset(db, {
      organization: world.organization,
      hostname: unique('by-node'),
    });
    const byGroup = await makeRule({
      user_groups: [await buildGroup(db, [friend.id], world.organization)],
      nodes: [await rootNode(db, world.organization)],
      max_minutes: 15,
    });
    expect(
      (await mine(client))
        .map(({ asset, rule: by, max_minutes }) => [asset, by, max_minutes])
        .toSorted(),
    ).toEqual(
      [
        [world.asset, byGroup, 15],
        [other, byGroup, 15],
      ].toSorted(),
    );
    expect((await mine(client, '?search=BY-NODE')).map(({ asset }) => asset)).toEqual([other]);
    expect((await client.get<Page<unknown>>(`${MINE}?limit=1`)).body).toMatchObject({
      count: 2,
      results: [expect.anything()],
    });
    expect((await mine()).map((row) => [row.asset, row.rule, row.active_until])).toEqual([
      [world.asset, rule, null],
    ]);
    // Disabled rules, and assets without a usable system user, are not offered.
    await sql`update asset set is_active = false where id = ${other}`.execute(db);
    expect((await mine(client)).map(({ asset }) => asset)).toEqual([world.asset]);
    await world.administrator.patch(`${RULES}${byGroup}/`, {
      system_users: [
        await buildSystemUser(db, { organization: world.organization, protocol: 'telnet' }),
      ],
    });
    expect(await mine(client)).toEqual([]);
  });

  it('rejects other users and assets, too long access and a missing reason, and stores nothing', async () => {
    const { db } = world.test;
    const before = await traces();
    const off = await makeRule({ users: [li.id], assets: [world.asset], is_active: false });
    const there = await buildOrganization(db);
    const assetThere = await buildAsset(db, { organization: there });
    // A rule of an organization to which the user does not belong.
    const foreign = await sql<{
      id: string;
    }>`insert into emergency_access (org_id, name) values (${there}, 'there') returning id`.execute(
      db,
    );
    const ruleThere = foreign.rows[0]?.id ?? '';
    const account = await buildSystemUser(db, { organization: there });
    await sql`insert into emergency_access_users values (${ruleThere}, ${li.id})`.execute(db);
    await sql`insert into emergency_access_assets values (${ruleThere}, ${assetThere})`.execute(db);
    await sql`insert into emergency_access_system_users values (${ruleThere}, ${account})`.execute(
      db,
    );
    const unnamed = await buildAsset(db, { organization: world.organization });
    const refused: readonly (readonly [Json, string])[] = [
      [{ minutes: 61 }, 'minutes'],
      [{ minutes: 0 }, 'minutes'],
      [{ reason: '' }, 'reason'],
      [{ reason: '   ' }, 'reason'],
      [{ rule: off }, 'asset'],
      [{ rule: crypto.randomUUID() }, 'asset'],
      [{ rule: ruleThere, asset: assetThere }, 'asset'],
      [{ asset: assetThere }, 'asset'],
      [{ asset: unnamed }, 'asset'],
    ];
    for (const [more, field] of refused)
      expect([more, Object.keys((await user.post<Json>(MINE, requestBody(more))).body)]).toEqual([
        more,
        [field],
      ]);
    const stranger = await bearer(
      world.test,
      await buildUser(db, { memberOf: [{ organization: world.organization, role: 'User' }] }),
    );
    expect((await stranger.post<Json>(MINE, requestBody())).body).toEqual({
      asset: [`Invalid pk "${world.asset}" - object does not exist.`],
    });
    expect((await world.test.visitor.post(MINE, requestBody())).status).toBe(401);
    expect((await mine()).map(({ rule: by }) => by)).toEqual([rule]);
    expect(await traces()).toEqual(before);
  });

  it('rejects opening while no other user can review it', async () => {
    const alone = await makeRule({ users: [boss.id], assets: [world.asset], reviewers: [boss.id] });
    expect((await reviewer.post<Json>(MINE, requestBody({ rule: alone }))).body.code).toBe(
      'emergency_no_reviewer',
    );
    const late = await buildUser(world.test.db, {
      memberOf: [{ organization: world.organization, role: 'Admin' }],
    });
    const left = await makeRule({ users: [li.id], assets: [world.asset], reviewers: [late.id] });
    await sql`update account set is_active = false where id = ${late.id}`.execute(world.test.db);
    expect((await user.post<Json>(MINE, requestBody({ rule: left }))).body.code).toBe(
      'emergency_no_reviewer',
    );
    await world.administrator.delete(`${RULES}${left}/`);
  });

  it('creates a permission with an end, a ticket and mail for all reviewers, and log entries', async () => {
    const mailbox = await startMailbox();
    try {
      await useMailbox(await bearer(world.test), mailbox);
      const ticket = await open(user, { minutes: 20 });
      for (const { username } of [boss, auditor]) {
        const mail = await mailbox.next(`${username}@example.com`);
        expect(mail.subject).toContain('Emergency access opened');
        expect(mail.text).toContain(`/core/console/tickets/tickets/${ticket}`);
      }
      const row = (await user.get<Json>(`tickets/tickets/${ticket}/`)).body;
      expect(row).toMatchObject({
        type: 'emergency',
        status: 'open',
        user: li.id,
        body: 'The database does not answer',
      });
      expect((row.assignees as string[]).toSorted()).toEqual([boss.id, auditor.id].toSorted());
      const { permission } = await facts(ticket);
      const granted = (
        await world.administrator.get<Json>(`perms/asset-permissions/${permission}/`)
      ).body;
      expect(granted).toMatchObject({
        users: [li.id],
        assets: [world.asset],
        system_users: [world.systemUser],
        comment: `/ui/tickets/tickets/${ticket}`,
      });
      const length = await sql<{ minutes: number }>`
        select extract(epoch from date_expired - date_start)::int / 60 as minutes
          from asset_permission where id = ${permission}`.execute(world.test.db);
      expect(length.rows[0]?.minutes).toBe(20);
      expect((await user.get<Json[]>('perms/users/assets/')).body.map(({ id }) => id)).toEqual([
        world.asset,
      ]);
      const log = await sql<{ user: string; resource_type: string }>`
        select "user", resource_type from operate_log
          where resource_id in (${ticket}, ${permission}) and action = 'create'
          order by resource_type`.execute(world.test.db);
      expect(
        log.rows.map(({ resource_type, user: who }) => [resource_type, who.includes(li.username)]),
      ).toEqual([
        ['asset_permission', true],
        ['ticket', true],
      ]);
      // It is already open, and the error contains its end.
      const again = await user.post<Json>(MINE, requestBody());
      expect([again.status, again.body.code]).toEqual([409, 'emergency_active']);
      expect((await mine())[0]).toMatchObject({ ticket, active_until: expect.any(String) });
      await end(ticket, user);
      expect((await user.get<Json[]>('perms/users/assets/')).body).toEqual([]);
      expect((await mine())[0]).toMatchObject({ ticket: null, active_until: null });
      expect((await review(ticket)).status).toBe(200);
    } finally {
      await mailbox.stop();
    }
  });

  it('opens once when several windows open at the same time', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => user.post<Json>(MINE, requestBody())));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    const [ticket] = (await mine()).map((row) => row.ticket);
    await end(String(ticket));
  });

  it('asks a user with a second factor for it again', async () => {
    const { test, organization } = world;
    const careful = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
    const client = await bearer(test, careful);
    const own = await makeRule({ users: [careful.id], assets: [world.asset] });
    const { secret } = await enrolTotp(client, careful.password);
    await sql`update web_session set mfa_verified = now() - interval '6 minutes'
      where user_id = ${careful.id}`.execute(test.db);
    const before = await traces();
    const refused = await client.post<Json>(MINE, requestBody({ rule: own }));
    expect([refused.status, refused.body.code]).toEqual([403, 'mfa_verify_required']);
    expect(await traces()).toEqual(before);
    await forgetUsedCodes(test.db, careful.id);
    expect((await client.post('authentication/otp/verify/', { code: codeOf(secret) })).status).toBe(
      200,
    );
    await end(await open(client, { rule: own }));
  });
});

describe('a session with it', () => {
  const base = () => world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');
  const connect = () =>
    TerminalClient.connect(
      base(),
      { asset: world.asset, system_user: world.systemUser },
      user.headers,
    );
  const sessions = async (query: string) =>
    (
      await reviewer.get<Page<Json>>(
        `terminal/sessions/?limit=20&order=-is_emergency,-date_start&${query}`,
      )
    ).body.results;

  it('marks a session in the browser, lists it first, ends it with the access, and accepts a review after its recording was opened', async () => {
    const ticket = await open();
    const live = await connect();
    const { session } = await live.message('open');
    const ordinary = await TerminalClient.connect(
      base(),
      { asset: world.asset, system_user: world.systemUser },
      (await bearer(world.test, world.member)).headers,
    );
    const later = (await ordinary.message('open')).session;
    expect(
      (await sessions('is_finished=0')).map(({ id, is_emergency: mark }) => [id, mark]),
    ).toEqual([
      [session, true],
      [later, false],
    ]);
    expect((await sessions('is_finished=0&is_emergency=1')).map(({ id }) => id)).toEqual([session]);
    expect((await reviewer.get<Json>(`terminal/sessions/${session}/`)).body).toMatchObject({
      is_emergency: true,
      requests: [{ id: ticket }],
    });
    expect((await facts(ticket)).sessions).toEqual([
      expect.objectContaining({ id: session, can_join: true, opened: false }),
    ]);

    expect((await review(ticket)).body.code).toBe('emergency_not_over');
    expect((await end(ticket)).status).toBe(200);
    expect((await live.message('closed')).code).toBe('session_emergency_ended');
    await until(
      async () => (await facts(ticket)).review === 'unopened',
      'the session is over and its recording is there',
    );
    expect((await reviewer.get<Json>(`terminal/sessions/${later}/`)).body.is_finished).toBe(false);
    await ordinary.close();

    const unopened = await review(ticket);
    expect([unopened.status, unopened.body.code]).toEqual([409, 'emergency_unopened']);
    // Neither the thumbnail of a page nor a replay by another user counts as opening.
    await reviewer.get(`terminal/sessions/${session}/replay/file/`);
    const second = (await bearer(world.test, auditor)).inOrganization(world.organization);
    expect((await second.get(`terminal/sessions/${session}/replay/`)).status).toBe(200);
    expect((await review(ticket)).body.code).toBe('emergency_unopened');
    expect((await review(ticket, user)).body).toEqual({
      action: ['Only assignees can answer this ticket.'],
    });
    expect(
      (await user.patch<Json>(`tickets/tickets/${ticket}/`, { status: 'closed' })).body.code,
    ).toBe('emergency_needs_review');
    expect(
      (await reviewer.patch<Json>(`tickets/tickets/${ticket}/`, { status: 'closed' })).body.code,
    ).toBe('emergency_needs_review');
    expect((await user.delete<Json>(`tickets/tickets/${ticket}/`)).body.code).toBe(
      'ticket_made_by_server',
    );
    expect((await user.get<Json>(`tickets/tickets/${ticket}/`)).body.status).toBe('open');

    expect((await review(ticket, second)).status).toBe(200);
    expect((await user.get<Json>(`tickets/tickets/${ticket}/`)).body).toMatchObject({
      status: 'closed',
      action: 'approve',
      assignee: auditor.id,
    });
    expect((await review(ticket)).status).toBe(409);
  });

  it('tells a session of the end that another permission keeps open', async () => {
    const { db } = world.test;
    const standing = await buildPermission(db, {
      organization: world.organization,
      users: [li.id],
      assets: [world.asset],
      systemUsers: [world.systemUser],
    });
    try {
      const ticket = await open();
      const live = await connect();
      const { session } = await live.message('open');
      expect((await end(ticket)).status).toBe(200);
      await live.until(
        'the line about the end',
        () => /紧急访问已结束。|The emergency access has ended\./.test(live.output) || undefined,
      );
      const { body } = await reviewer.get<Json>(`terminal/sessions/${session}/`);
      expect(body.is_finished).toBe(false);
      await live.close();
    } finally {
      await sql`delete from asset_permission where id = ${standing}`.execute(db);
    }
  });

  it('marks a session over SSH, and closes it when the access ends', async () => {
    const ticket = await open();
    const login = `${li.username}@${world.accountName}@${world.hostname}`;
    const running = world.ssh.run({
      login,
      password: li.password,
      options: ['-tt'],
      until: /never printed/,
      input: 'echo ready\n',
    });
    await until(async () => (await facts(ticket)).sessions.length === 1, 'the session begins');
    const [session] = (await facts(ticket)).sessions;
    expect((await reviewer.get<Json>(`terminal/sessions/${session?.id}/`)).body).toMatchObject({
      is_emergency: true,
      login_from: 'ST',
    });
    const { permission } = await facts(ticket);
    await sql`update asset_permission set date_start = now() - interval '1 hour',
      date_expired = now() - interval '1 second' where id = ${permission}`.execute(world.test.db);
    expect((await running).code).not.toBe(0);
    await until(async () => (await facts(ticket)).review === 'unopened', 'the session is over');
    const again = await world.ssh.run({
      login,
      password: li.password,
      command: 'echo in',
      options: [],
    });
    expect(again.stdout).not.toContain('in\n');
    await reviewer.get(`terminal/sessions/${session?.id}/replay/download/`);
    expect((await review(ticket, reviewer, 'reject')).status).toBe(200);
    expect((await user.get<Json>(`tickets/tickets/${ticket}/`)).body).toMatchObject({
      status: 'closed',
      action: 'reject',
    });
  });

  it('lets an administrator of the organization take over from missing reviewers, and logs it', async () => {
    const { db } = world.test;
    const late = await buildUser(db, {
      memberOf: [{ organization: world.organization, role: 'Auditor' }],
    });
    const orphan = await makeRule({
      users: [li.id, boss.id],
      assets: [world.asset],
      reviewers: [late.id],
    });
    const ticket = await open(user, { rule: orphan });
    const takeOver = (client: Client) =>
      client.post<Json>(`tickets/emergency/${ticket}/take-over/`, {});
    await end(ticket, user);
    expect((await facts(ticket)).can_take_over).toBe(false);
    expect([(await takeOver(reviewer)).status, (await takeOver(reviewer)).body.code]).toEqual([
      409,
      'emergency_reviewer_left',
    ]);
    await sql`update account set is_active = false where id = ${late.id}`.execute(db);
    expect((await facts(ticket)).can_take_over).toBe(true);
    const watcher = (await bearer(world.test, auditor)).inOrganization(world.organization);
    const outside = await bearer(
      world.test,
      await buildUser(db, {
        memberOf: [{ organization: await buildOrganization(db), role: 'Admin' }],
      }),
    );
    expect([
      (await takeOver(user)).status,
      (await takeOver(watcher)).status,
      (await takeOver(outside)).status,
    ]).toEqual([403, 403, 403]);
    expect((await facts(ticket, watcher)).can_take_over).toBe(false);
    expect((await takeOver(reviewer)).status).toBe(200);
    expect((await takeOver(reviewer)).status).toBe(409);
    const comments = (await reviewer.get<Page<Json>>(`tickets/tickets/${ticket}/comments/?limit=5`))
      .body.results;
    expect(comments.map(({ body }) => body)).toEqual([
      expect.stringContaining('became the reviewer'),
    ]);
    const { rows: entries } = await sql<{ user: string }>`
      select l."user" from operate_log l where l.resource_id = ${ticket} and l.action = 'update'
        order by l.datetime desc limit 1`.execute(db);
    expect(entries).toEqual([{ user: expect.stringContaining(boss.username) }]);
    expect((await review(ticket)).status).toBe(200);
    // Users cannot review the access that they opened.
    const own = await open(reviewer, {
      rule: await makeRule({ users: [boss.id], assets: [world.asset], reviewers: [auditor.id] }),
    });
    await end(own);
    await sql`update account set is_active = false where id = ${auditor.id}`.execute(db);
    expect([
      (await facts(own)).can_take_over,
      (await reviewer.post(`tickets/emergency/${own}/take-over/`, {})).status,
    ]).toEqual([false, 403]);
    await sql`update account set is_active = true where id = ${auditor.id}`.execute(db);
  });

  it('tells reviewers of the opening and once of the end, by hand or by time', async () => {
    const newsOf = async (ticket: string) => {
      const { results } = (
        await reviewer.get<{ results: { resource_id: string; kind: string }[] }>(
          'users/notifications/?limit=100',
        )
      ).body;
      return results.filter(({ resource_id: id }) => id === ticket).map(({ kind }) => kind);
    };
    const ticket = await open();
    expect(await newsOf(ticket)).toEqual(['emergency_opened']);
    await runHousekeeping(world.test, 'emergency-ended');
    expect(await newsOf(ticket)).toEqual(['emergency_opened']);
    await end(ticket);
    await runHousekeeping(world.test, 'emergency-ended');
    expect(await newsOf(ticket)).toEqual(['emergency_ended', 'emergency_opened']);
    await review(ticket);
    const expiring = await open();
    await sql`update asset_permission p set date_expired = now() - interval '1 second',
      date_start = now() - interval '1 hour' from emergency_activation act
      where act.ticket_id = ${expiring} and act.permission_id = p.id`.execute(world.test.db);
    for (let run = 0; run < 2; run += 1) await runHousekeeping(world.test, 'emergency-ended');
    expect(await newsOf(expiring)).toEqual(['emergency_ended', 'emergency_opened']);
    await review(expiring);
  });

  it('rejects reading, ending and reviewing from other organizations', async () => {
    const ticket = await open();
    const { db } = world.test;
    const outside = await buildOrganization(db);
    for (const role of ['Admin', 'Auditor'] as const) {
      const client = await bearer(
        world.test,
        await buildUser(db, { memberOf: [{ organization: outside, role }] }),
      );
      for (const there of [
        client.inOrganization(outside),
        client.inOrganization(world.organization),
        client,
      ]) {
        expect((await there.get(`tickets/emergency/${ticket}/`)).status).toBe(404);
        expect((await end(ticket, there)).status).toBe(404);
        expect((await review(ticket, there)).status).toBe(404);
      }
    }
    // An auditor of the organization who is not a reviewer can only read it.
    const watcher = (
      await bearer(
        world.test,
        await buildUser(db, { memberOf: [{ organization: world.organization, role: 'Auditor' }] }),
      )
    ).inOrganization(world.organization);
    expect((await facts(ticket, watcher)).is_active).toBe(true);
    expect((await end(ticket, watcher)).status).toBe(403);
    expect((await facts(ticket)).is_active).toBe(true);
    await end(ticket);
    expect((await review(ticket)).status).toBe(200);
  });
});

it('requires a license', async () => {
  await sql`update license set content = '{}'`.execute(world.test.db);
  await sql`select pg_notify('settings', '')`.execute(world.test.db);
  await expect
    .poll(async () => (await user.post<Json>(MINE, requestBody())).body.code)
    .toBe('license_required');
  expect((await user.get<Json>(MINE)).body.code).toBe('license_required');
});
