import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { sshClient } from '../../testing/ssh/ssh-client.ts';
import { startSshServer } from '../../testing/ssh/ssh-server.ts';
import { type SshWorld, startWorld } from '../../testing/ssh/ssh-world.ts';

const PATH = 'assets/ssh-authorities/';

interface Authority {
  readonly id: string;
  readonly name: string;
  readonly public_key: string;
  readonly fingerprint: string;
}

let world: SshWorld;
let member: Client;
let trusted: string[] = [];
let clockAhead = 0;
beforeAll(async () => {
  const target = startSshServer({
    trustedAuthorities: () => trusted,
    clockAhead: () => clockAhead,
  });
  world = await startWorld({}, target, sshClient);
  member = (await bearer(world.test, world.member)).inOrganization(world.organization);
});
afterAll(() => world.stop());

let authority: Authority;
beforeEach(async () => {
  await change({ login_mode: 'certificate', certificate_principals: '', certificate_minutes: 5 });
  authority = await createAuthority();
  trusted = [authority.public_key];
});
afterEach(async () => {
  clockAhead = 0;
  await change({ login_mode: 'manual' });
  const { body } = await world.administrator.get<Authority[]>(PATH);
  for (const { id } of body) await world.administrator.delete(`${PATH}${id}/`);
});

const change = async (values: Json) => {
  const answer = await world.administrator.patch(
    `assets/system-users/${world.systemUser}/`,
    values,
  );
  expect(answer.status, answer.text).toBe(200);
};

async function createAuthority(): Promise<Authority> {
  const { status, body, text } = await world.administrator.post<Authority>(PATH, {
    name: unique('authority'),
  });
  expect(status, text).toBe(201);
  return body;
}

const echo = () =>
  world.ssh.run({ login: world.login, password: world.member.password, command: 'echo signed-in' });
const works = async () => (await echo()).stdout.toString() === 'signed-in\n';

it('signs in with a certificate, and shows it in the session and in the operate log', async () => {
  const before = Date.now();
  expect((await echo()).stdout.toString()).toBe('signed-in\n');
  const row = await world.lastSession();
  const { body: session } = await world.administrator.get<Json>(`terminal/sessions/${row.id}/`);
  expect(session).toMatchObject({
    certificate_serial: expect.stringMatching(/^\d+$/),
    certificate_key_id: `sallyport user=${session.user} session=${row.id} account=${world.sshd.username}@${world.hostname}`,
    certificate_principals: world.sshd.username,
  });
  const minutes = (new Date(String(row.date_certificate_expires)).getTime() - before) / 60_000;
  expect(minutes).toBeGreaterThan(4.9);
  expect(minutes).toBeLessThan(6);
  const { rows } = await sql<Json>`select "user", changes from operate_log
    where resource_type = 'ssh_certificate' and resource_id = ${row.id}`.execute(world.test.db);
  expect(rows).toEqual([
    {
      user: session.user,
      changes: expect.objectContaining({ certificate_serial: [null, session.certificate_serial] }),
    },
  ]);
  await echo();
  expect((await world.lastSession()).certificate_serial).not.toBe(session.certificate_serial);
});

it('transfers files and tests the account with certificates', async () => {
  await change({ sftp_root: 'home' });
  await writeFile(join(world.sshd.home, 'note'), 'text\n');
  const base = `files/${world.asset}/${world.systemUser}/entries/?path=%2F`;
  expect((await member.get(base)).text).toContain('note');
  const started = await world.administrator.post<{ task: string }>(
    `assets/system-users/${world.systemUser}/tasks/`,
    { action: 'test' },
  );
  let job: Json = {};
  await until(async () => {
    job = (await world.administrator.get<Json>(`common/jobs/${started.body.task}/`)).body;
    return job.date_finished !== null;
  }, 'the test of the account ends');
  expect(job).toMatchObject({ outcome: 'succeeded', skipped: 0, failed: 0 });
});

it('signs for the principals of the system user', async () => {
  await change({ certificate_principals: `web\n${world.sshd.username}\n` });
  expect(await works()).toBe(true);
  expect(await world.lastSession()).toMatchObject({
    certificate_principals: `web, ${world.sshd.username}`,
  });
  await change({ certificate_principals: 'web' });
  expect((await echo()).stderr).toContain('did not accept the credentials');
});

it('fails at a target that has stopped trusting the authority', async () => {
  trusted = [];
  expect((await echo()).stderr).toContain('did not accept the credentials');
});

it('allows a clock that is a little late, and none that makes the certificate expire', async () => {
  for (const [seconds, isAccepted] of [
    [-50, true],
    [-90, false],
    [240, true],
    [310, false],
  ] as const) {
    clockAhead = seconds;
    expect([seconds, await works()]).toEqual([seconds, isAccepted]);
  }
});

it('signs with the newest authority, and with the other once that is removed', async () => {
  const newer = await createAuthority();
  expect(newer.fingerprint).not.toBe(authority.fingerprint);
  expect(await works()).toBe(false);
  trusted = [authority.public_key, newer.public_key];
  expect(await works()).toBe(true);
  trusted = [newer.public_key];
  expect(await works()).toBe(true);
  expect((await world.administrator.delete(`${PATH}${newer.id}/`)).status).toBe(204);
  expect(await works()).toBe(false);
  trusted = [authority.public_key];
  expect(await works()).toBe(true);
});

it('keeps the last authority while a system user needs it', async () => {
  const refused = await world.administrator.delete(`${PATH}${authority.id}/`);
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('system users')]);
  await change({ login_mode: 'manual' });
  expect((await world.administrator.delete(`${PATH}${authority.id}/`)).status).toBe(204);
  await change({ login_mode: 'certificate' });
  expect((await echo()).stderr).toContain('No SSH authority can sign a certificate');
});

it('shows no private key, and stores it sealed', async () => {
  const { text } = await world.administrator.get(`${PATH}${authority.id}/`);
  expect(text).toContain('ssh-ed25519');
  expect(text).not.toMatch(/private/i);
  const { rows } = await sql<{ private_key: string }>`
    select private_key from ssh_authority where id = ${authority.id}`.execute(world.test.db);
  expect(rows[0]?.private_key).toMatch(/^v2\$/);
});

it('rejects certificates without SSH, and principals that OpenSSH would split', async () => {
  const patch = (values: Json) =>
    world.administrator.patch(`assets/system-users/${world.systemUser}/`, values);
  const vnc = await patch({ protocol: 'vnc' });
  expect([vnc.status, Object.keys(vnc.body)]).toEqual([400, ['login_mode']]);
  for (const name of ['a,b', 'a b', 'x'.repeat(65)]) {
    const answer = await patch({ certificate_principals: name });
    expect([name, answer.status]).toEqual([name, 400]);
  }
});
