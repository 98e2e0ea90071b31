import { generateKeyPairSync } from 'node:crypto';
import { ssh2 } from '@sallyport/ssh';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { createSettings } from '../../../platform/settings/service.ts';
import { type BuiltUser, buildUser } from '../../../testing/builders.ts';
import { codeOf, enrolTotp } from '../../../testing/second-factors.ts';
import { bearer, browser } from '../../../testing/sign-in.ts';
import { whileRefused } from '../../../testing/sign-in-rule.ts';
import { createSecurityDevice } from '../../../testing/ssh/security-device.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';
import { writeOperateLog } from '../../audits/operate-log.ts';
import { createSecondFactors } from '../mfa/second-factors.ts';
import { createLockout } from './lockout.ts';
import { SignIns } from './service.ts';
import type { SignInService } from './types.ts';

/** The request of an SSH listener, which has no HTTP. */
const beginning = {
  kind: 'ssh',
  visitor: { remoteAddress: '192.0.2.9', userAgent: 'OpenSSH_9.9', type: 'T' },
} as const;

function makeKey(): { readonly line: string; readonly blob: Buffer } {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  const blob = parsed.getPublicSSH();
  return { blob, line: `ssh-rsa ${blob.toString('base64')} somebody` };
}

let test: TestProgram;
let signIns: SignInService;
let user: BuiltUser;
const key = makeKey();
beforeAll(async () => {
  test = await startTestProgram();
  const settings = createSettings(test.db, test.program.vault);
  await settings.reload();
  const lockout = createLockout(test.db, settings);
  signIns = new SignIns({
    db: test.db,
    settings,
    lockout,
    factors: createSecondFactors(test.db, test.program.vault, settings, lockout),
    audit: writeOperateLog,
  });
});
afterAll(() => test.stop());
beforeEach(async () => {
  user = await buildUser(test.db);
  await sql`update account set public_key = ${key.line} where id = ${user.id}`.execute(test.db);
});

const lastLog = async () =>
  (
    await sql<Record<string, unknown>>`
      select type, reason, status, mfa from login_log
      where username = ${user.username} order by datetime desc limit 1`.execute(test.db)
  ).rows[0];

it('signs the owner of a profile key in over SSH', async () => {
  const outcome = await signIns.withPublicKey(user.username, key.blob, beginning);
  expect(outcome).toMatchObject({ step: 'in', userId: user.id });
  const { rows } = await sql<
    Record<string, unknown>
  >`select kind, remote_addr from web_session where user_id = ${user.id}`.execute(test.db);
  expect(rows).toEqual([{ kind: 'ssh', remote_addr: '192.0.2.9' }]);
  expect(await lastLog()).toEqual({ type: 'T', reason: '', status: true, mfa: 0 });
  // Its token is not valid over HTTP.
  const token = outcome.step === 'in' ? outcome.token : '';
  expect(
    (await test.visitor.with({ authorization: `Bearer ${token}` }).get('users/profile/')).status,
  ).toBe(401);
  const own = await bearer(test, user);
  expect(
    (await own.get<{ kind: string }[]>('users/profile/sign-ins/')).body
      .map(({ kind }) => kind)
      .sort(),
  ).toEqual(['bearer', 'ssh']);
});

it('gives the same error for another key and an unknown username', async () => {
  const other = makeKey();
  for (const [username, blob] of [
    [user.username, other.blob],
    ['nobody-of-this-name', key.blob],
    [user.username, Buffer.alloc(0)],
  ] as const)
    await expect(signIns.withPublicKey(username, blob, beginning)).rejects.toMatchObject({
      kind: 'rejected',
      code: 'public_key_failed',
    });
  expect(await lastLog()).toMatchObject({ reason: 'public_key_failed', status: false });
});

it('takes the key and a second factor at an address that other names locked', async () => {
  await sql`insert into login_attempt (username, remote_addr, failures)
    select 'guess-' || n, '192.0.2.9', 5 from generate_series(1, 50) n`.execute(test.db);
  try {
    const signIn = () => signIns.withPublicKey(user.username, key.blob, beginning);
    expect(await signIn()).toMatchObject({ step: 'in' });
    const { secret } = await enrolTotp(await browser(test, user), user.password);
    await sql`delete from known_place where user_id = ${user.id}`.execute(test.db);
    const waiting = await signIn();
    const ticket = waiting.step === 'in' ? '' : waiting.ticket;
    const proof = {
      type: 'totp',
      code: codeOf(secret),
      response: undefined,
      site: undefined,
    } as const;
    const pending = { ticket, visitor: beginning.visitor, kind: 'ssh' } as const;
    expect(await signIns.prove(proof, pending)).toMatchObject({ step: 'in' });
    await sql`insert into login_attempt (username, remote_addr, failures)
      values (${user.username}, '192.0.2.9', 50)`.execute(test.db);
    await expect(signIn()).rejects.toMatchObject({ code: 'block_login' });
  } finally {
    await sql`delete from login_attempt`.execute(test.db);
  }
});

it('rejects the key while a sign-in rule of the account refuses it', async () => {
  const signIn = () => signIns.withPublicKey(user.username, key.blob, beginning);
  const administrator = await bearer(test);
  await whileRefused(administrator, user.id, () =>
    expect(signIn()).rejects.toMatchObject({ code: 'sign_in_condition' }),
  );
  expect(await lastLog()).toMatchObject({ reason: 'sign_in_condition', status: false });
  expect(await signIn()).toMatchObject({ step: 'in' });
});

it('accepts a key despite an expired password and rejects a disabled account', async () => {
  await sql`
    update account set date_password_last_updated = now() - interval '20000 days'
    where id = ${user.id}`.execute(test.db);
  expect(await signIns.withPublicKey(user.username, key.blob, beginning)).toMatchObject({
    step: 'in',
  });
  await sql`update account set is_active = false where id = ${user.id}`.execute(test.db);
  await expect(signIns.withPublicKey(user.username, key.blob, beginning)).rejects.toMatchObject({
    code: 'user_inactive',
  });
});

it('requires a second factor after the key, and rejects the sign-in if a mandatory one is missing', async () => {
  const { secret } = await enrolTotp(await browser(test, user), user.password);
  const waiting = await signIns.withPublicKey(user.username, key.blob, beginning);
  expect(waiting).toMatchObject({ step: 'mfa_required', factors: ['totp', 'recovery'] });
  const ticket = waiting.step === 'in' ? '' : waiting.ticket;
  const pending = { ticket, visitor: beginning.visitor };
  const proof = {
    type: 'totp',
    code: codeOf(secret),
    response: undefined,
    site: undefined,
  } as const;
  await expect(signIns.prove(proof, { ...pending, kind: 'browser' })).rejects.toMatchObject({
    code: 'session_empty',
  });
  expect(await signIns.prove(proof, { ...pending, kind: 'ssh' })).toMatchObject({
    step: 'in',
  });
  const fresh = await buildUser(test.db);
  await sql`
    update account set public_key = ${key.line}, mfa_level = 2
    where id = ${fresh.id}`.execute(test.db);
  await expect(signIns.withPublicKey(fresh.username, key.blob, beginning)).rejects.toMatchObject({
    code: 'mfa_unset',
  });
});

it('accepts a password over SSH', async () => {
  expect(await signIns.withPassword(user.username, user.password, beginning)).toMatchObject({
    step: 'in',
  });
  await expect(signIns.withPassword(user.username, 'wrong', beginning)).rejects.toMatchObject({
    code: 'password_failed',
  });
});

const addKey = (line: string, end: string | null = null) =>
  sql`insert into ssh_key (user_id, name, public_key, date_expired)
    values (${user.id}, 'another', ${line}, ${end})`.execute(test.db);
const storedKeys = async () =>
  (
    await sql<{ name: string; remote_addr: string; isUsed: boolean }>`
      select name, remote_addr, date_last_used is not null as "isUsed" from ssh_key
      where user_id = ${user.id} order by name`.execute(test.db)
  ).rows;

it('accepts each key of a user, also of a security device, and stores its last use', async () => {
  const device = createSecurityDevice('ed25519');
  await addKey(device.line);
  expect(await signIns.mayUsePublicKey(user.username, device.wire)).toBe(true);
  expect(await storedKeys()).toMatchObject([{ isUsed: false }, { isUsed: false }]);
  expect(await signIns.withPublicKey(user.username, device.wire, beginning)).toMatchObject({
    step: 'in',
  });
  expect(await storedKeys()).toEqual([
    { name: 'another', remote_addr: '192.0.2.9', isUsed: true },
    { name: 'somebody', remote_addr: '', isUsed: false },
  ]);
  expect(await signIns.withPublicKey(user.username, key.blob, beginning)).toMatchObject({
    step: 'in',
  });
});

it('rejects an expired key with the answer of an unknown one, and logs the reason', async () => {
  const other = makeKey();
  await addKey(other.line, '2020-01-01');
  expect(await signIns.mayUsePublicKey(user.username, other.blob)).toBe(false);
  await expect(signIns.withPublicKey(user.username, other.blob, beginning)).rejects.toMatchObject({
    code: 'public_key_failed',
  });
  expect(await lastLog()).toMatchObject({ reason: 'public_key_expired', status: false });
  expect(await storedKeys()).toMatchObject([{ isUsed: false }, { isUsed: false }]);
});

it('rejects a key from its end and from its deletion on, although it was used before', async () => {
  const other = makeKey();
  await addKey(other.line);
  await signIns.withPublicKey(user.username, other.blob, beginning);
  await sql`update ssh_key set date_expired = now() where user_id = ${user.id}`.execute(test.db);
  await expect(signIns.withPublicKey(user.username, other.blob, beginning)).rejects.toMatchObject({
    code: 'public_key_failed',
  });
  await sql`delete from ssh_key where user_id = ${user.id}`.execute(test.db);
  await expect(signIns.withPublicKey(user.username, other.blob, beginning)).rejects.toMatchObject({
    code: 'public_key_failed',
  });
  expect(await signIns.mayUsePublicKey(user.username, other.blob)).toBe(false);
});
