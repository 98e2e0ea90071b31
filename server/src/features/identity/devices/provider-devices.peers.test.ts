import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildUser, unique } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { keepDeviceKeys } from '../../../testing/device-keys.ts';
import { requirePeers } from '../../../testing/peers.ts';
import { type Machine, prepareMachine } from '../../../testing/sallyctl/sallyctl.ts';
import { codeOf, forgetUsedCodes } from '../../../testing/second-factors.ts';
import {
  type OpenidProvider,
  startOpenidProvider,
} from '../../../testing/services/openid-provider.ts';
import { signInAtProvider } from '../../../testing/services/provider-sign-in.ts';
import { type SamlProvider, startSamlProvider } from '../../../testing/services/saml-provider.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { answerTicket, waitingConnection } from '../../../testing/ssh/approvals.ts';
import { type OpenSshWorld, startOpenSshWorld } from '../../../testing/ssh/open-ssh-world.ts';

// Real providers, sallyctl, and ssh and scp of OpenSSH without a terminal: a question fails.
const QUIET = { PATH: '/usr/bin:/bin', SSH_ASKPASS: '/bin/false', SSH_ASKPASS_REQUIRE: 'force' };

let world: OpenSshWorld;
let openid: OpenidProvider;
let saml: SamlProvider;
let machine: Machine;
let reviewer: BuiltUser;
let reviews: Client;
beforeAll(async () => {
  requirePeers('openssh-client', 'xmlsec1');
  world = await startOpenSshWorld();
  const { test, organization } = world;
  await keepDeviceKeys(test.db);
  machine = await prepareMachine();
  const { url } = test.program;
  [openid, saml] = await Promise.all([startOpenidProvider(url), startSamlProvider(url)]);
  const superuser = await bearer(test);
  const { status, text } = await superuser.patch('settings/setting/', {
    AUTH_OPENID: true,
    AUTH_OPENID_NAME: 'OpenID',
    AUTH_OPENID_ISSUER: openid.issuer,
    AUTH_OPENID_CLIENT_ID: openid.clientId,
    AUTH_OPENID_CLIENT_SECRET: openid.secret,
    AUTH_SAML: true,
    AUTH_SAML_NAME: 'SAML',
    AUTH_SAML_METADATA_URL: saml.metadataUrl,
    AUTH_SAML_USER_ATTR_MAP: { username: 'uid', name: 'displayName', email: 'mail' },
    AUTH_SAML_CREATE_USERS: true,
  });
  if (status !== 200) throw new Error(text);
  reviewer = await buildUser(test.db, { memberOf: [{ organization, role: 'User' }] });
  reviews = (await bearer(test, reviewer)).inOrganization(organization);
});
afterAll(async () => {
  await machine?.stop();
  await world?.stop();
  await openid?.stop();
  await saml?.stop();
});

type Kind = 'openid' | 'saml';

/** Signs a new user in at a provider, which creates the account without a password. */
async function newVisitor(kind: Kind): Promise<{ readonly page: Client; readonly id: string }> {
  const name = unique('person');
  const email = `${name}@example.com`;
  if (kind === 'openid')
    openid.who = { sub: name, preferred_username: name, name, email, email_verified: true };
  else saml.who = { nameId: name, attributes: { uid: name, displayName: name, mail: email } };
  const page = await signInAtProvider(world.test, kind);
  const { body } = await page.get<Json>('users/profile/');
  expect(body).toMatchObject({ username: name, source: kind });
  const joined = await world.administrator.post('users/users/invite/', {
    accounts: [name],
    role: 'User',
  });
  expect(joined.status, joined.text).toBe(201);
  return { page, id: String(body.id) };
}

/** Grants the asset to a user under conditions. */
async function grant(user: string, conditions: Json = {}): Promise<void> {
  const { status, text } = await world.administrator.post('perms/asset-permissions/', {
    name: unique('rule'),
    users: [user],
    assets: [world.asset],
    system_users: [world.systemUser],
    ...conditions,
  });
  expect(status, text).toBe(201);
}

/** Signs the machine in. Its user confirms in the browser, without a password. */
async function signInMachine(page: Client): Promise<void> {
  const { code, ended } = await machine.begin(world.test);
  const confirmed = await page.post('authentication/device/confirm/', { user_code: code });
  expect(confirmed.status, confirmed.text).toBe(204);
  expect(await ended).toMatchObject({ code: 0 });
}

/** Returns the name of a new file in the folder of the target that users see. */
function newName(): string {
  const name = `sallyctl-${crypto.randomUUID()}`;
  onTestFinished(() => rm(join('/tmp', name), { force: true }));
  return name;
}

/** Creates a file on the target. Returns its name. */
async function newFile(content: string): Promise<string> {
  const name = newName();
  await writeFile(join('/tmp', name), content);
  return name;
}

const target = () => `${world.hostname}@${world.accountName}`;
const run = (...words: readonly string[]) => machine.run(words, QUIET);

it.each(['openid', 'saml'] as const)(
  'opens ssh and scp without a question for an account of %s',
  async (kind) => {
    const { page, id } = await newVisitor(kind);
    await grant(id);
    await signInMachine(page);
    expect(await run('ssh', target(), 'echo in-$((40+2)); exit 3')).toMatchObject({
      code: 3,
      stdout: 'in-42\n',
    });
    const remote = await newFile(kind);
    const back = join(machine.home, 'back');
    expect(await run('scp', `${target()}:${remote}`, back)).toMatchObject({ code: 0 });
    expect(await readFile(back, 'utf8')).toBe(kind);
    const sent = newName();
    expect(await run('scp', back, `${target()}:${sent}`)).toMatchObject({ code: 0 });
    expect(await readFile(join('/tmp', sent), 'utf8')).toBe(kind);
  },
);

it.each(['openid', 'saml'] as const)(
  'says which second factor a permission demands of an account of %s, and takes that of the device',
  async (kind) => {
    const { page, id } = await newVisitor(kind);
    await grant(id, { mfa_minutes: 60 });
    await signInMachine(page);
    for (const words of [
      ['ssh', target(), 'echo in'],
      ['scp', `${target()}:${await newFile(kind)}`, join(machine.home, 'copy')],
    ]) {
      const refused = await run(...words);
      expect(refused).toMatchObject({ stdout: '' });
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toContain('requires a second factor');
      expect(refused.stderr).not.toMatch(/Permission denied|password/i);
    }

    const { body } = await page.post<Json>('authentication/mfa/totp/begin/', {});
    const secret = String(body.secret);
    const enrolled = await page.post('authentication/mfa/totp/confirm/', { code: codeOf(secret) });
    expect(enrolled.status, enrolled.text).toBe(200);
    await forgetUsedCodes(world.test.db, id);
    await signInMachine(page);
    expect(await run('ssh', target(), 'echo in')).toMatchObject({ code: 0, stdout: 'in\n' });
    await sql`
      update web_session set mfa_verified = mfa_verified - interval '2 hours'
      where user_id = ${id}`.execute(world.test.db);
    const late = await run('ssh', target(), 'echo in');
    expect(late).toMatchObject({ code: 255, stdout: '' });
    expect(late.stderr).toContain('requires a second factor');
  },
);

it.each(['openid', 'saml'] as const)(
  'waits in ssh and scp for the approval that a permission demands of an account of %s',
  async (kind) => {
    const { page, id } = await newVisitor(kind);
    await grant(id, { needs_approval: true, approval_minutes: 0, approvers: [reviewer.id] });
    await signInMachine(page);
    const shell = ['ssh', target(), 'echo in'];
    const copy = ['scp', `${target()}:${await newFile(kind)}`, join(machine.home, 'copy')];
    for (const [words, action, expected] of [
      [shell, 'approve', { code: 0, stdout: 'in\n' }],
      [shell, 'reject', { code: 255, stdout: '' }],
      [copy, 'approve', { code: 0, stdout: '' }],
    ] as const) {
      const running = run(...words);
      await answerTicket(await waitingConnection(reviews), action, reviews);
      const { stderr, ...result } = await running;
      expect(result, stderr).toEqual(expected);
      expect(stderr).toContain('Waiting for a reviewer.');
    }
  },
);
