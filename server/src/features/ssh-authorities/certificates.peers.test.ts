import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generateSshKeyPair, userCertificate } from '@sallyport/ssh';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unique } from '../../testing/builders.ts';
import { requirePeers } from '../../testing/peers.ts';
import { type OpenSsh, openSshClients } from '../../testing/ssh/open-ssh.ts';
import { type SshWorld, startWorld } from '../../testing/ssh/ssh-world.ts';
import { startSshd, type TestSshd } from '../../testing/ssh/sshd.ts';

let folder: string;
let trustedFile: string;
let world: SshWorld<TestSshd, OpenSsh>;
beforeAll(async () => {
  requirePeers('openssh-server', 'openssh-client');
  folder = await mkdtemp(join(tmpdir(), 'sallyport-ca-'));
  trustedFile = join(folder, 'trusted');
  await writeFile(trustedFile, '');
  const target = startSshd({ config: [`TrustedUserCAKeys ${trustedFile}`] });
  world = await startWorld({}, target, openSshClients);
});
afterAll(async () => {
  await world?.stop();
  await rm(folder, { recursive: true, force: true });
});

const echo = () =>
  world.ssh.run({ login: world.login, password: world.member.password, command: 'echo signed-in' });

it('signs in to sshd that trusts the authority, until it does not', async () => {
  const { administrator, systemUser } = world;
  const created = await administrator.post('assets/ssh-authorities/', { name: unique('ca') });
  expect(created.status).toBe(201);
  const certified = await administrator.patch(`assets/system-users/${systemUser}/`, {
    login_mode: 'certificate',
  });
  expect(certified.status).toBe(200);
  expect((await echo()).stderr).toContain('did not accept the credentials');
  await writeFile(trustedFile, `${created.body.public_key}\n`);
  expect((await echo()).stdout.toString()).toBe('signed-in\n');
  // Terminals need the extension permit-pty.
  const terminal = await world.ssh.run({
    login: world.login,
    password: world.member.password,
    command: 'tty',
    options: ['-tt'],
  });
  expect(terminal.stdout.toString()).toContain('/dev/pts/');
  await administrator.patch(`assets/system-users/${systemUser}/`, {
    certificate_principals: 'another',
  });
  expect((await echo()).stderr).toContain('did not accept the credentials');
  await administrator.patch(`assets/system-users/${systemUser}/`, { certificate_principals: '' });
  await writeFile(trustedFile, '');
  expect((await echo()).stderr).toContain('did not accept the credentials');
});

it('writes certificates that ssh-keygen reads', async () => {
  const [user, authority] = [generateSshKeyPair(''), generateSshKeyPair('')];
  const certificate = userCertificate(user.private, authority.private, {
    serial: 18_446_744_073_709_551_615n,
    keyId: 'user=ann session=1',
    principals: ['deploy', 'web'],
    validAfter: Date.UTC(2026, 0, 1) / 1000,
    validBefore: Date.UTC(2026, 0, 1, 0, 6) / 1000,
    extensions: ['permit-pty', 'permit-port-forwarding'],
  });
  const file = join(folder, 'user-cert.pub');
  await writeFile(file, `ssh-ed25519-cert-v01@openssh.com ${certificate.toString('base64')}\n`);
  const { stdout } = await promisify(execFile)('ssh-keygen', ['-L', '-f', file], {
    env: { ...process.env, TZ: 'UTC' },
  });
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    'Key ID: "user=ann session=1" Serial: 18446744073709551615 ' +
      'Valid: from 2026-01-01T00:00:00 to 2026-01-01T00:06:00 Principals: deploy web ' +
      'Critical Options: (none) Extensions: permit-port-forwarding permit-pty',
  );
});
