import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BuiltUser, buildUser, unique } from '../../../testing/builders.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';
import { createSettings } from '../../settings/service.ts';
import { createSecondFactors } from '../mfa/second-factors.ts';
import { createLockout } from './lockout.ts';
import { createSourceLimit, type PasswordChecker } from './password-checkers.ts';
import { createSignInService } from './service.ts';
import type { SignInService } from './types.ts';

/** A directory that knows some names: the real one is tested with its own feature, this is about who is asked. */
const directory = new Map<string, string>();
const asked: string[] = [];

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
      asked.push(username);
      return directory.get(username) === password;
    },
    async provision(username, password) {
      asked.push(`new ${username}`);
      if (directory.get(username) !== password) return undefined;
      const made = await buildUser(db, { username });
      await sql`update account set source = 'ldap', password = null where id = ${made.id}`.execute(
        db,
      );
      return made.id;
    },
  };
  signIns = createSignInService({
    db,
    settings,
    lockout,
    factors: createSecondFactors(db, program.vault, settings, lockout),
    checkers: [ldap],
  });
});
afterAll(() => test.stop());
beforeEach(async () => {
  asked.length = 0;
  directory.clear();
  user = await buildUser(test.db);
});

const VISITOR = { remoteAddress: '192.0.2.1', userAgent: '', type: 'W' } as const;
const type = (username: string, password: string) =>
  signIns.withPassword(username, password, { kind: 'browser', visitor: VISITOR });

describe('the password of an account', () => {
  it('is asked of the place that keeps it, and of no other', async () => {
    directory.set(user.username, 'in the directory 1');
    await expect(type(user.username, 'in the directory 1')).rejects.toMatchObject({
      code: 'password_failed',
    });
    expect(asked).toEqual([]);
    await sql`update account set source = 'ldap' where id = ${user.id}`.execute(test.db);
    await expect(type(user.username, user.password)).rejects.toMatchObject({
      code: 'password_failed',
    });
    expect(await type(user.username, 'in the directory 1')).toMatchObject({
      step: 'in',
      userId: user.id,
    });
    expect(asked).toEqual([user.username, user.username]);
  });

  it('of a source without a checker is never right', async () => {
    await sql`update account set source = 'radius' where id = ${user.id}`.execute(test.db);
    await expect(type(user.username, user.password)).rejects.toMatchObject({
      code: 'password_failed',
    });
  });

  it('that is old elsewhere does not expire here', async () => {
    directory.set(user.username, 'old 1');
    await sql`update account set source = 'ldap', date_password_last_updated = now() - interval '10001 days' where id = ${user.id}`.execute(
      test.db,
    );
    expect(await type(user.username, 'old 1')).toMatchObject({ step: 'in' });
  });
});

describe('a name without an account', () => {
  it('gets one when the directory knows it with its password', async () => {
    const username = unique('newcomer');
    directory.set(username, 'known there 1');
    await expect(type(username, 'wrong')).rejects.toMatchObject({ code: 'password_failed' });
    expect(await type(username, 'known there 1')).toMatchObject({ step: 'in' });
    expect(await type(username, 'known there 1')).toMatchObject({ step: 'in' });
    expect(asked).toEqual([`new ${username}`, `new ${username}`, username]);
  });

  it('still has no account when it does not', async () => {
    await expect(type(unique('stranger'), 'x')).rejects.toMatchObject({ code: 'password_failed' });
  });
});

it('sources that do not answer hold a sign-in for one time together', async () => {
  const inTime = createSourceLimit(50);
  expect(await inTime(Promise.resolve('yes'))).toBe('yes');
  await expect(inTime(new Promise(() => undefined))).rejects.toMatchObject({
    code: 'directory_unavailable',
  });
  await expect(inTime(new Promise(() => undefined))).rejects.toMatchObject({
    code: 'directory_unavailable',
  });
});
