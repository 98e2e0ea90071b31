import type { Newcomers } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import {
  buildAsset,
  buildGroup,
  buildOrganization,
  buildSystemUser,
  buildUser,
  unique,
} from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { buildCast, signInMember } from '../../../testing/roles.ts';
import { startMailbox, tokenIn, useMailbox } from '../../../testing/services/mailbox.ts';
import { bearer, openBrowser, tryToSignIn } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let installation: Client;
beforeAll(async () => {
  test = await startTestProgram();
  installation = await bearer(test);
});
afterAll(() => test.stop());

const URL = 'users/users/newcomers/';
const PASSWORD = 'chosen by link 1';
const WEEK = 7 * 86_400_000;
const inAWeek = () => new Date(Date.now() + WEEK).toISOString();

let here: string;
let admin: Client;
let access: { assets: string[]; system_users: string[]; groups: string[] };
beforeEach(async () => {
  here = await buildOrganization(test.db);
  admin = await signInMember(test, here);
  access = await accessIn(here);
});

async function accessIn(organization: string) {
  return {
    assets: [await buildAsset(test.db, { organization })],
    system_users: [await buildSystemUser(test.db, { organization })],
    groups: [await buildGroup(test.db, [], organization)],
  };
}

/** Everything that an invitation writes. */
async function stored(): Promise<Json | undefined> {
  const { rows } = await sql<Json>`
    select (select count(*)::integer from account) as accounts,
      (select count(*)::integer from asset_permission) as permissions,
      (select count(*)::integer from password_reset) as links,
      (select count(*)::integer from operate_log) as entries`.execute(test.db);
  return rows[0];
}

async function choosePassword(token: string) {
  const page = await openBrowser(test);
  return page.post('/core/auth/password/reset/', { token, new_password: PASSWORD });
}

const tokenOf = (link = '') => /#token=([\w-]+)$/.exec(link)?.[1] ?? '';

describe('inviting new users', () => {
  it('creates accounts, membership, groups and one permission, and a link for each user', async () => {
    const [ana, ben] = [unique('ana'), unique('ben')];
    const { status, body } = await admin.post<Newcomers>(URL, {
      people: `Ana Cole <${ana}@example.com>\n\n ${ben}@example.com `,
      ...access,
      actions: ['connect'],
      date_expired: inAWeek(),
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      mailed: false,
      users: [
        { username: ana, name: 'Ana Cole', email: `${ana}@example.com` },
        { username: ben, name: ben, email: `${ben}@example.com` },
      ],
    });
    const ids = body.users.map(({ id }) => id);
    for (const id of ids) {
      const { body: account } = await admin.get<Json>(`users/users/${id}/`);
      expect(account).toMatchObject({ groups: access.groups, role: 'User', source: 'local' });
      const end = new Date(String(account.date_expired)).getTime();
      expect(Math.abs(end - Date.now() - WEEK)).toBeLessThan(60_000);
    }
    const { body: rule } = await admin.get<Json>(`perms/asset-permissions/${body.permission}/`);
    expect(rule).toMatchObject({
      assets: access.assets,
      system_users: access.system_users,
      actions: ['connect'],
      name: expect.stringContaining('Ana Cole'),
    });
    expect([...(rule.users as string[])].sort()).toEqual([...ids].sort());
    const end = new Date(String(rule.date_expired)).getTime();
    expect(Math.abs(end - Date.now() - WEEK)).toBeLessThan(60_000);

    const token = tokenOf(body.users[0]?.link);
    expect((await choosePassword(token)).status).toBe(200);
    expect((await tryToSignIn(test, { username: ana, password: PASSWORD })).status).toBe(201);
    expect((await choosePassword(token)).status).toBe(400);

    const { rows } = await sql<{ resource_type: string; changes: string }>`
      select resource_type, changes::text from operate_log where org_id = ${here}`.execute(test.db);
    const kinds = rows.map((row) => row.resource_type).sort();
    expect(kinds).toHaveLength(5);
    for (const { changes } of rows) expect(changes).not.toContain(token);
  });

  it('creates accounts without a permission when no asset is chosen', async () => {
    const before = await stored();
    const { status, body } = await installation.post<Newcomers>(URL, {
      people: `${unique('guest')}@example.com`,
    });
    expect([status, body.permission]).toEqual([201, null]);
    expect(await stored()).toMatchObject({
      accounts: Number(before?.accounts) + 1,
      permissions: before?.permissions,
    });
  });

  it('lets a link expire after three days', async () => {
    const { body } = await admin.post<Newcomers>(URL, { people: `${unique('late')}@example.com` });
    const { rows } = await sql<{ hours: number }>`
      select round(extract(epoch from date_expired - now()) / 3600)::integer as hours
      from password_reset where user_id = ${body.users[0]?.id}`.execute(test.db);
    expect(rows).toEqual([{ hours: 72 }]);
  });
});

describe('a refused invitation', () => {
  const refuse = async (client: Client, body: Json): Promise<Json> => {
    const before = await stored();
    const answer = await client.post<Json>(URL, body);
    expect([answer.status, await stored()]).toEqual([400, before]);
    return answer.body;
  };
  const person = () => `${unique('new')}@example.com`;

  it('names line and field of each mistake, and changes nothing', async () => {
    const english = admin.with({ 'accept-language': 'en' });
    const { people } = await refuse(english, {
      people: `${person()}\n\nAna Cole\n${'long'.repeat(40)}@example.com`,
      ...access,
    });
    const texts = (people as string[]).join('\n');
    expect(texts).toContain('Line 3 (Ana Cole), Email: Enter a valid email address.');
    expect(texts).toMatch(/Line 4 \(.*\), Username: .*128/);
    expect(texts).not.toContain('Line 1');
  });

  it('refuses usernames and addresses of other users, and of another line', async () => {
    const english = admin.with({ 'accept-language': 'en' });
    const { username } = await buildUser(test.db);
    const twice = unique('twice');
    const { people } = await refuse(english, {
      people: `${person()}\n${username}@elsewhere.example\nBen <${username}@EXAMPLE.com>`,
    });
    const texts = (people as string[]).join('\n');
    expect(texts).toContain(`Line 2 (${username}), Username: A user with this value exists`);
    expect(texts).toContain(`Line 3 (${username}@EXAMPLE.com), Email: A user with this value`);
    const again = await refuse(english, { people: `${twice}@a.example\n${twice}@b.example` });
    expect((again.people as string[]).join()).toContain(`Line 2 (${twice}), Username`);
  });

  it.each([
    ['no people', { people: ' \n ' }, 'people'],
    ['no text', { people: ['ana@example.com'] }, 'people'],
    ['a date in the past', { date_expired: '2020-01-01 00:00:00 +0000' }, 'date_expired'],
    ['an unknown action', { actions: ['fly'] }, 'actions'],
    ['an unknown field', { role: 'Admin' }, 'role'],
  ])('refuses %s', async (_what, wrong, field) => {
    expect(await refuse(admin, { people: person(), ...access, ...wrong })).toHaveProperty(field);
  });

  it('refuses more than 50 people, assets without system user, and the reverse', async () => {
    const people = Array.from({ length: 51 }, person).join('\n');
    expect(await refuse(admin, { people })).toHaveProperty('people');
    const { assets, system_users } = access;
    expect(await refuse(admin, { people: person(), assets })).toHaveProperty('system_users');
    expect(await refuse(admin, { people: person(), system_users })).toHaveProperty('assets');
  });

  it('refuses groups, assets and system users of another organization', async () => {
    const theirs = await accessIn(await buildOrganization(test.db));
    for (const field of ['groups', 'assets', 'system_users'] as const)
      expect(
        await refuse(admin, { people: person(), ...access, [field]: theirs[field] }),
      ).toHaveProperty(field);
  });

  it('refuses users, auditors and administrators of another organization', async () => {
    const { clients } = await buildCast(test);
    const before = await stored();
    for (const role of ['user', 'auditor', 'orgAuditor', 'otherOrgAdmin'] as const) {
      const { status } = await clients[role].post(URL, { people: person() });
      expect([role, status]).toEqual([role, 403]);
    }
    expect((await clients.nobody.post(URL, { people: person() })).status).toBe(401);
    expect(await stored()).toEqual(before);
  });
});

describe('the welcome page of a link', () => {
  const invite = async (more: Json = {}): Promise<Newcomers['users'][number]> => {
    const people = `Ana Cole <${unique('ana')}@example.com>`;
    const { body } = await admin
      .with({ 'accept-language': 'en' })
      .post<Newcomers>(URL, { people, ...more });
    const [newcomer] = body.users;
    if (!newcomer) throw new Error(JSON.stringify(body));
    return newcomer;
  };
  const welcome = async (token: string) =>
    (await openBrowser(test)).post<Json>('/core/auth/welcome/', { token });

  it('has the address of the console and the language of the inviter in its link', async () => {
    const { link } = await invite();
    const base = test.program.url.replace(/\/$/, '');
    expect(link.split('#')[0]).toBe(`${base}/core/auth/welcome/?lang=en`);
  });

  it('names the account, the inviter, the targets and the end, and nothing of others', async () => {
    const elsewhere = await accessIn(await buildOrganization(test.db));
    const names = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map(async (hostname) => ({
        hostname: unique(hostname),
        id: await buildAsset(test.db, { organization: here }),
      })),
    );
    for (const { id, hostname } of names)
      await sql`update asset set hostname = ${hostname} where id = ${id}`.execute(test.db);
    const { link, username } = await invite({
      ...access,
      assets: names.map(({ id }) => id),
      date_expired: inAWeek(),
    });
    const { status, body } = await welcome(tokenOf(link));
    const { rows } = await sql<{ name: string; by: string }>`
      select o.name, a.created_by as by from organization o, account a
      where o.id::text = ${here} and a.username = ${username}`.execute(test.db);
    expect([status, body]).toEqual([
      200,
      {
        username,
        name: 'Ana Cole',
        invited_by: rows[0]?.by,
        organizations: [rows[0]?.name],
        targets: names.map(({ hostname }) => hostname).slice(0, 5),
        target_count: 6,
        date_expired: expect.any(String),
      },
    ]);
    expect(rows[0]?.by).not.toBe('');
    expect(JSON.stringify(body)).not.toContain(String(elsewhere.assets[0]));
  });

  it('completes the first sign-in only if the person agreed, and shows nothing afterwards', async () => {
    const isFirst = async (username: string) =>
      (
        await sql<{ first: boolean }>`
          select is_first_login as first from account where username = ${username}`.execute(test.db)
      ).rows[0]?.first;
    for (const agreed of [undefined, false, true]) {
      const { link, username } = await invite();
      const token = tokenOf(link);
      const page = await openBrowser(test);
      const { status } = await page.post('/core/auth/password/reset/', {
        token,
        new_password: PASSWORD,
        ...(agreed !== undefined && { agreed }),
      });
      expect([status, await isFirst(username)]).toEqual([200, agreed !== true]);
      expect((await welcome(token)).body).toMatchObject({ code: 'reset_link_invalid' });
    }
  });

  it('refuses unknown, short and expired tokens, and pages of other sites', async () => {
    const { link } = await invite();
    const token = tokenOf(link);
    for (const wrong of ['x'.repeat(43), 'x', `${token}x`])
      expect((await welcome(wrong)).status).toBe(400);
    const other = (await openBrowser(test)).with({ origin: 'https://elsewhere.example' });
    expect((await other.post('/core/auth/welcome/', { token })).status).toBe(403);
    await sql`update password_reset set date_expired = now() - interval '1 second'`.execute(
      test.db,
    );
    expect((await welcome(token)).status).toBe(400);
  });
});

it('mails the link instead of showing it when mail is set up', async () => {
  const mailbox = await startMailbox();
  try {
    await useMailbox(installation, mailbox);
    const email = `${unique('mailed')}@example.com`;
    const { body } = await admin.post<Newcomers>(URL, { people: email });
    expect([body.mailed, body.users[0]?.link]).toEqual([true, '']);
    const mail = await mailbox.next(email);
    expect((await choosePassword(tokenIn(mail))).status).toBe(200);
  } finally {
    await mailbox.stop();
  }
});
