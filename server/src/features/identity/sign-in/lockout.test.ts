import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { createSettings } from '../../../platform/settings/service.ts';
import { type BuiltUser, buildUser } from '../../../testing/builders.ts';
import { until } from '../../../testing/poll.ts';
import { bearer, tryToSignIn } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';
import { createLockout } from './lockout.ts';
import { allowanceOfAll } from './rate-limit.ts';

const LIMIT = 3;
const NEW = 'chosen by the user 1';

let test: TestProgram;
let user: BuiltUser;
beforeAll(async () => {
  // A trusted proxy sends the client addresses.
  test = await startTestProgram({ trustedProxies: ['127.0.0.1'] });
  await sql`
    insert into setting (name, value)
    values ('SECURITY_LOGIN_LIMIT_COUNT', ${String(LIMIT)}::jsonb)`.execute(test.db);
  await sql`notify settings`.execute(test.db);
  const setting = async () =>
    /\b2 more attempts/.test((await tryFrom('192.0.2.250', crypto.randomUUID(), 'wrong')).body.msg);
  await until(setting, 'the new limit is in force');
});
afterAll(() => test.stop());
beforeEach(async () => {
  await sql`truncate login_attempt`.execute(test.db);
  user = await buildUser(test.db);
});

const tryFrom = (address: string, username: string, password: string) =>
  test.visitor
    .with({ 'x-forwarded-for': address })
    .post<{ code: string; error: string; msg: string }>('authentication/auth/', {
      username,
      password,
    });
/** Fails with different names until the address is locked. */
const fill = async (address: string) => {
  for (let attempt = 0; attempt < LIMIT * 10; attempt++)
    await tryFrom(address, `guess-${attempt}`, 'wrong');
};
const code = async (address: string, password = 'wrong') =>
  (await tryFrom(address, user.username, password)).body.code;

describe('failing again and again', () => {
  it('reports the remaining attempts, then locks the name from that address', async () => {
    const answers = [
      await tryFrom('192.0.2.1', user.username, 'wrong'),
      await tryFrom('192.0.2.1', user.username, 'wrong'),
    ];
    expect(answers.map(({ body }) => body.msg.match(/(\d+) more/)?.[1])).toEqual(['2', '1']);
    expect(await code('192.0.2.1')).toBe('password_failed');
    expect(await code('192.0.2.1', user.password)).toBe('block_login');
  });

  it('keeps other addresses and other names unlocked', async () => {
    for (let attempt = 0; attempt < LIMIT; attempt++) await code('192.0.2.1');
    expect((await tryFrom('192.0.2.2', user.username, user.password)).status).toBe(201);
    const other = await buildUser(test.db);
    expect((await tryFrom('192.0.2.1', other.username, other.password)).status).toBe(201);
  });

  it('counts a name in any case', async () => {
    for (const username of [user.username, user.username.toUpperCase(), user.username])
      await tryFrom('192.0.2.1', username, 'wrong');
    expect(await code('192.0.2.1', user.password)).toBe('block_login');
  });

  it('resets the count after a sign-in and after a while', async () => {
    for (let attempt = 1; attempt < LIMIT; attempt++) await code('192.0.2.1');
    expect((await tryFrom('192.0.2.1', user.username, user.password)).status).toBe(201);
    for (let attempt = 0; attempt < LIMIT; attempt++) await code('192.0.2.1');
    expect(await code('192.0.2.1', user.password)).toBe('block_login');
    await sql`update login_attempt set date_last = now() - interval '31 minutes'`.execute(test.db);
    expect((await tryFrom('192.0.2.1', user.username, user.password)).status).toBe(201);
  });

  it('unlocks a user by an administrator and logs it', async () => {
    for (let attempt = 0; attempt < LIMIT; attempt++) await code('192.0.2.1');
    const admin = await bearer(test);
    expect((await admin.get(`users/users/${user.id}/`)).body.login_blocked).toBe(true);
    expect((await admin.patch(`users/users/${user.id}/unblock/`)).body.login_blocked).toBe(false);
    expect((await tryFrom('192.0.2.1', user.username, user.password)).status).toBe(201);
    expect((await admin.get('audits/operate-logs/?limit=1')).text).toContain('login_blocked');
  });

  it('locks an address after failures of many names', async () => {
    await fill('192.0.2.3');
    const locked = await tryFrom('192.0.2.3', user.username, user.password);
    expect([locked.body.code, locked.body.error]).toEqual(['block_address', 'block_login']);
    expect(locked.body.msg).toContain('from your address');
    expect((await tryFrom('192.0.2.4', user.username, user.password)).status).toBe(201);
  });

  it('lets an account in where it has signed in before, whatever names others try there', async () => {
    expect((await tryFrom('192.0.2.6', user.username, user.password)).status).toBe(201);
    await fill('192.0.2.6');
    expect(await code('192.0.2.6')).toBe('password_failed');
    expect((await tryFrom('192.0.2.6', user.username, user.password)).status).toBe(201);
    for (let attempt = 0; attempt < LIMIT; attempt++) await code('192.0.2.6');
    expect(await code('192.0.2.6', user.password)).toBe('block_login');
    const stranger = await buildUser(test.db);
    expect((await tryFrom('192.0.2.6', stranger.username, stranger.password)).body.code).toBe(
      'block_address',
    );
  });

  it('lets a signed-in user at a locked address confirm the password, until own failures', async () => {
    const address = '192.0.2.12';
    const own = (await bearer(test, user)).with({ 'x-forwarded-for': address });
    const change = (password: string) => {
      const renewed = { new_password: `${NEW}2`, new_password_again: `${NEW}2` };
      return own.put('users/profile/password/', { old_password: password, ...renewed });
    };
    await fill(address);
    expect(await code(address, user.password)).toBe('block_address');
    expect((await change(user.password)).status).toBe(200);
    for (let attempt = 0; attempt < LIMIT; attempt++) await code(address);
    expect((await change(`${NEW}2`)).text).toContain('block_login');
  });

  it('lists locked addresses to administrators of the installation, who reset one', async () => {
    const admin = await bearer(test);
    const url = 'users/locked-addresses/';
    expect((await admin.get(url)).body).toEqual([]);
    await fill('192.0.2.9');
    await fill('2001:db8:1:2::9');
    expect((await admin.get<readonly object[]>(url)).body).toMatchObject([
      { address: '2001:db8:1:2::/64', failures: LIMIT * 10, names: LIMIT * 10 },
      { address: '192.0.2.9', failures: LIMIT * 10 },
    ]);
    for (const other of ['192.0.2.10', '*', 'x'])
      expect((await admin.post(`${url}reset/`, { address: other })).status).toBe(204);
    expect((await admin.post(`${url}reset/`, { address: '' })).status).toBe(400);
    expect((await admin.get<readonly object[]>(url)).body).toHaveLength(2);
    expect((await admin.post(`${url}reset/`, { address: '192.0.2.9' })).status).toBe(204);
    expect((await admin.post(`${url}reset/`, { address: '2001:db8:1:2::77' })).status).toBe(204);
    expect((await admin.get(url)).body).toEqual([]);
    expect((await tryFrom('192.0.2.9', user.username, user.password)).status).toBe(201);
    const log = await admin.get('audits/operate-logs/?limit=2');
    expect(log.text).toContain('192.0.2.9');
    const other = await bearer(test, user);
    expect((await other.get(url)).status).toBe(403);
  });

  it('limits parallel attempts like sequential ones', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => code('192.0.2.5')));
    expect(answers.filter((answer) => answer === 'password_failed').length).toBeLessThanOrEqual(
      LIMIT,
    );
  });
});

it('trusts client addresses only from trusted proxies', async () => {
  const direct = await startTestProgram();
  try {
    const victim = await buildUser(direct.db);
    for (let attempt = 0; attempt < 7; attempt++)
      await direct.visitor
        .with({ 'x-forwarded-for': `192.0.2.${attempt}` })
        .post('authentication/auth/', { username: victim.username, password: 'wrong' });
    expect((await tryToSignIn(direct, victim)).body.code).toBe('block_login');
  } finally {
    await direct.stop();
  }
});

describe('guessing from many addresses', () => {
  it('limits attempts per account across addresses, even parallel ones', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => code(`198.51.100.${index}`)),
    );
    const checked = answers.filter((answer) => answer === 'password_failed').length;
    expect(checked).toBeLessThanOrEqual(LIMIT * 3);
    expect(checked).toBeGreaterThan(0);
    expect(await code('198.51.100.200', user.password)).toBe('block_login');
    expect((await (await bearer(test)).get(`users/users/${user.id}/`)).body.login_blocked).toBe(
      true,
    );
  });

  it('keeps addresses of earlier sign-ins unlocked', async () => {
    expect((await tryFrom('203.0.113.7', user.username, user.password)).status).toBe(201);
    for (let index = 0; index < LIMIT * 4; index++) await code(`198.51.100.${index}`);
    expect(await code('198.51.100.200', user.password)).toBe('block_login');
    expect((await tryFrom('203.0.113.7', user.username, user.password)).status).toBe(201);
    // That address still has its own limit.
    for (let attempt = 0; attempt < LIMIT; attempt++) await code('203.0.113.7');
    expect(await code('203.0.113.7', user.password)).toBe('block_login');
  });

  it('counts an IPv6 network as one address', async () => {
    for (let index = 0; index < LIMIT; index++)
      expect(await code(`2001:db8:1:2:${index}::1`)).toBe('password_failed');
    expect(await code('2001:db8:1:2:ffff::1', user.password)).toBe('block_login');
    expect((await tryFrom('2001:db8:1:3::1', user.username, user.password)).status).toBe(201);
  });

  it('keeps the failures of a name when an account with the same name and a domain signs in', async () => {
    const other = await buildUser(test.db, { username: `${user.username}@example.com` });
    const signIn = async () => {
      const { status } = await tryFrom('192.0.2.1', other.username, other.password);
      expect(status).toBe(201);
    };
    for (let attempt = 1; attempt < LIMIT; attempt++) {
      await code('192.0.2.1');
      await signIn();
    }
    await code('192.0.2.1');
    expect(await code('192.0.2.1', user.password)).toBe('block_login');
    const settings = createSettings(test.db, test.program.vault);
    await createLockout(test.db, settings).passwordRenewed(other.username);
    expect(await code('192.0.2.1', user.password)).toBe('block_login');
  });

  it('counts every spelling of a name together', async () => {
    const [first = '', ...rest] = user.username;
    const wide = String.fromCharCode(first.charCodeAt(0) + 0xfee0) + rest.join('');
    for (const username of [wide, `${user.username}@corp`, `${user.username}\ufe0f`])
      await tryFrom('192.0.2.1', username, 'wrong');
    expect(await code('192.0.2.1', user.password)).toBe('block_login');
    const invisible = await tryFrom('192.0.2.2', `${user.username}\u00ad`, user.password);
    expect([invisible.status, Object.keys(invisible.body)]).toEqual([400, ['username']]);
  });
});

it('locks no name and no address for as long as a clock was ahead', async () => {
  for (let attempt = 0; attempt < LIMIT; attempt++) await code('192.0.2.77');
  expect(await code('192.0.2.77', user.password)).not.toBeUndefined();
  await sql`update login_attempt set date_last = date_last + interval '30 days'`.execute(test.db);
  expect((await tryFrom('192.0.2.77', user.username, user.password)).status).toBe(201);

  const take = allowanceOfAll(test.db, 3, 1);
  await take('192.0.2.78');
  await sql`update sign_in_rate set date_counted = now() + interval '30 days'
    where place = '192.0.2.78'`.execute(test.db);
  expect(await take('192.0.2.78')).toBe(0);
});
