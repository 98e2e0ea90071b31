import { createHmac, generateKeyPairSync } from 'node:crypto';
import { ERRORS } from '@sallyport/contract';
import { ssh2 } from '@sallyport/ssh';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { createSettings, type SettingsService } from '../../../platform/settings/service.ts';
import { type BuiltUser, buildUser } from '../../../testing/builders.ts';
import type { Client, Json, Page } from '../../../testing/client.ts';
import { bearer, browser } from '../../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';
import { writeOperateLog } from '../../audits/operate-log.ts';
import { createSecondFactors } from '../mfa/second-factors.ts';
import { createLockout } from '../sign-in/lockout.ts';
import { SignIns } from '../sign-in/service.ts';

const PROFILE = 'users/profile/';
const visitor = { remoteAddress: '192.0.2.9', userAgent: 'OpenSSH_9.9', type: 'T' } as const;
const publicKey = (() => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  return parsed.getPublicSSH();
})();

let test: TestProgram;
let admin: Client;
let settings: SettingsService;
let signIns: SignIns;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
  settings = createSettings(test.db, test.program.vault);
  const lockout = createLockout(test.db, settings);
  const factors = createSecondFactors(test.db, test.program.vault, settings, lockout);
  signIns = new SignIns({ db: test.db, settings, lockout, factors, audit: writeOperateLog });
});
afterAll(() => test.stop());

let user: BuiltUser;
let token: Client;
let page: Client;
let key: { readonly id: string; readonly secret: string };
beforeEach(async () => {
  user = await buildUser(test.db);
  [token, page] = [await bearer(test, user), await browser(test, user)];
  const wish = { name: 'script', password: user.password };
  key = (await token.post<typeof key>('authentication/access-keys/', wish)).body;
  const line = `ssh-rsa ${publicKey.toString('base64')} laptop`;
  await sql`update account set public_key = ${line} where id = ${user.id}`.execute(test.db);
  await allow(30);
});

async function allow(days: number): Promise<void> {
  const change = { SECURITY_SOURCE_PROOF_MAX_DAYS: days };
  expect((await admin.patch('settings/setting/', change)).status).toBe(200);
  await settings.reload();
}
/** Gives the account a source that last confirmed the user some days ago. */
async function confirmed(source: string, days: number): Promise<void> {
  await sql`update account set source = ${source} where id = ${user.id}`.execute(test.db);
  await sql`
    insert into source_proof (user_id, date_proved)
    values (${user.id}, now() - make_interval(days => ${days}, mins => 1))
    on conflict (user_id) do update set date_proved = excluded.date_proved`.execute(test.db);
}
/** Returns the errors of a token, an API key and an SSH key; blank where they work. */
async function errors(): Promise<readonly string[]> {
  const date = new Date().toUTCString();
  const text = `(request-target): get /api/v1/${PROFILE}\naccept: application/json\ndate: ${date}`;
  const signature = createHmac('sha256', key.secret).update(text).digest('base64');
  const authorization = `Signature keyId="${key.id}",algorithm="hmac-sha256",headers="(request-target) accept date",signature="${signature}"`;
  const signed = test.visitor.with({ accept: 'application/json', date, authorization });
  const codeOf = async (client: Client) => {
    const { status, body } = await client.get<Json>(PROFILE);
    return status === 200 ? '' : `${status} ${body.code}`;
  };
  const ssh = await signIns
    .withPublicKey(user.username, publicKey, { kind: 'ssh', visitor })
    .then(({ step }) => (step === 'in' ? '' : step))
    .catch(({ code }) => String(code));
  return [await codeOf(token), await codeOf(signed), ssh];
}
const WORK = ['', '', ''];
const REFUSED = ['401 source_proof_old', '401 source_proof_old', 'source_proof_old'];

describe('a confirmation by the source that is too old', () => {
  it.each(['ldap', 'radius', 'openid', 'saml', 'cas'])(
    'stops tokens, API keys and SSH keys, and no browser: %s',
    async (source) => {
      await confirmed(source, 29);
      expect(await errors()).toEqual(WORK);
      await confirmed(source, 30);
      expect(await errors()).toEqual(REFUSED);
      expect((await page.get(PROFILE)).status).toBe(200);
      const { body } = await admin.get<Page>(
        `audits/login-logs/?search=${user.username}&order=-datetime&limit=1`,
      );
      expect(body.results).toMatchObject([{ status: false, reason: 'source_proof_old' }]);
    },
  );

  it('ends with a sign-in that the source confirms, not with a passkey', async () => {
    await confirmed('openid', 90);
    await expect(
      signIns.withProof(user.id, 'passkey', { kind: 'browser', visitor }),
    ).rejects.toMatchObject({ code: 'source_proof_old' });
    expect(await errors()).toEqual(REFUSED);
    const outcome = await signIns.withProof(user.id, 'external', { kind: 'browser', visitor });
    expect(outcome.step).toBe('in');
    expect(await errors()).toEqual(WORK);
  });

  it('says so in both languages, and lets a token sign out', async () => {
    await confirmed('saml', 90);
    for (const language of ['en', 'zh'] as const) {
      const answer = await token.with({ 'accept-language': language }).get(PROFILE);
      expect(answer.text).toContain(ERRORS.source_proof_old[language]);
    }
    expect((await token.post('/core/auth/logout/')).status).toBe(200);
  });

  it('leaves local accounts alone', async () => {
    await confirmed('local', 10_000);
    expect(await errors()).toEqual(WORK);
  });

  it('starts again when an administrator changes the source', async () => {
    await confirmed('openid', 90);
    const { status } = await admin.patch(`users/users/${user.id}/`, { source: 'saml' });
    expect(status).toBe(200);
    expect(await errors()).toEqual(WORK);
  });
});

describe('the setting', () => {
  it('applies at once in both directions', async () => {
    await confirmed('cas', 2);
    await allow(1);
    expect(await errors()).toEqual(REFUSED);
    await allow(3);
    expect(await errors()).toEqual(WORK);
  });

  it.each([0, -1, 3_651, 1.5, 'never'])('rejects %s', async (days) => {
    const change = { SECURITY_SOURCE_PROOF_MAX_DAYS: days };
    const { status, body } = await admin.patch<Json>('settings/setting/', change);
    expect([status, Object.keys(body.security as Json)]).toEqual([
      400,
      ['SECURITY_SOURCE_PROOF_MAX_DAYS'],
    ]);
  });
});
