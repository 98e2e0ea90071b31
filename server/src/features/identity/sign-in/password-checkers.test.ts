import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { createSettings } from '../../../platform/settings/service.ts';
import { type BuiltUser, buildUser, unique } from '../../../testing/builders.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';
import { writeOperateLog } from '../../audits/operate-log.ts';
import { createSecondFactors } from '../mfa/second-factors.ts';
import { createLockout } from './lockout.ts';
import { createSourceLimit, type PasswordChecker } from './password-checkers.ts';
import { SignIns } from './service.ts';
import type { SignInService } from './types.ts';

/**
 * A simulated directory. The feature of the real one has its own tests; these check which source is
 * used.
 */
const directory = new Map<string, string>();
const calls: string[] = [];

let test: TestProgram;
let user: BuiltUser;
let signIns: SignInService;
beforeAll(async () => {
  test = await startTestProgram();
  const { db, program } = test;
  const settings = createSettings(db, program.vault);
  await settings.reload();
  const lockout = createLockout(db, settings);
  const ldap: PasswordChecker = {
    source: 'ldap',
    check: async ({ username }, password) => {
      calls.push(username);
      return directory.get(username) === password;
    },
    async provision(username, password) {
      calls.push(`new ${username}`);
      if (directory.get(username) !== password) return undefined;
      const created = await buildUser(db, { username });
      await sql`update account set source = 'ldap', password = null where id = ${created.id}`.execute(
        db,
      );
      return created.id;
    },
  };
  signIns = new SignIns({
    db,
    settings,
    lockout,
    factors: createSecondFactors(db, program.vault, settings, lockout),
    audit: writeOperateLog,
    checkers: [ldap],
  });
});
afterAll(() => test.stop());
beforeEach(async () => {
  calls.length = 0;
  directory.clear();
  user = await buildUser(test.db);
});

const VISITOR = { remoteAddress: '192.0.2.1', userAgent: '', type: 'W' } as const;
const type = (username: string, password: string) =>
  signIns.withPassword(username, password, { kind: 'browser', visitor: VISITOR });

describe('the password of an account', () => {
  it("checks a password at the account's source only", async () => {
    directory.set(user.username, 'in the directory 1');
    await expect(type(user.username, 'in the directory 1')).rejects.toMatchObject({
      code: 'password_failed',
    });
    expect(calls).toEqual([]);
    await sql`update account set source = 'ldap' where id = ${user.id}`.execute(test.db);
    await expect(type(user.username, user.password)).rejects.toMatchObject({
      code: 'password_failed',
    });
    expect(await type(user.username, 'in the directory 1')).toMatchObject({
      step: 'in',
      userId: user.id,
    });
    expect(calls).toEqual([user.username, user.username]);
  });

  it('rejects the password of a source without a checker', async () => {
    await sql`update account set source = 'radius' where id = ${user.id}`.execute(test.db);
    await expect(type(user.username, user.password)).rejects.toMatchObject({
      code: 'password_failed',
    });
  });

  it('ignores the age of an external password', async () => {
    directory.set(user.username, 'old 1');
    await sql`
      update account
      set source = 'ldap', date_password_last_updated = now() - interval '10001 days'
      where id = ${user.id}`.execute(test.db);
    expect(await type(user.username, 'old 1')).toMatchObject({ step: 'in' });
  });
});

describe('a name without an account', () => {
  it('creates an account when the directory confirms name and password', async () => {
    const username = unique('newcomer');
    directory.set(username, 'known there 1');
    await expect(type(username, 'wrong')).rejects.toMatchObject({ code: 'password_failed' });
    expect(await type(username, 'known there 1')).toMatchObject({ step: 'in' });
    expect(await type(username, 'known there 1')).toMatchObject({ step: 'in' });
    expect(calls).toEqual([`new ${username}`, `new ${username}`, username]);
  });

  it('creates no account when the directory rejects the name', async () => {
    await expect(type(unique('stranger'), 'x')).rejects.toMatchObject({ code: 'password_failed' });
  });
});

it('limits the total time of sources that do not answer', async () => {
  const inTime = createSourceLimit(50);
  expect(await inTime(Promise.resolve('yes'))).toBe('yes');
  await expect(inTime(new Promise(() => undefined))).rejects.toMatchObject({
    code: 'directory_unavailable',
  });
  await expect(inTime(new Promise(() => undefined))).rejects.toMatchObject({
    code: 'directory_unavailable',
  });
});
