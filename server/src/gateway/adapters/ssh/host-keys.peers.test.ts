import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildAsset, buildUser, unique } from '../../../testing/builders.ts';
import { makeCertificates } from '../../../testing/certificates.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { DesktopClient } from '../../../testing/desktops/desktop-client.ts';
import { socketsOf } from '../../../testing/desktops/desktop-world.ts';
import { startXvnc } from '../../../testing/desktops/xvnc.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startSshServer } from '../../../testing/ssh/ssh-server.ts';
import type { SshTarget } from '../../../testing/ssh/ssh-target.ts';
import { TerminalClient } from '../../../testing/terminals/terminal-client.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

let test: TestProgram;
let sshd: SshTarget;
let other: SshTarget;
let admin: Client;
let person: Client;
let asset: string;
let systemUser: string;
beforeAll(async () => {
  [test, sshd, other] = await Promise.all([startTestProgram(), startSshServer(), startSshServer()]);
  admin = await bearer(test);
  const user = await buildUser(test.db);
  person = await bearer(test, user);
  asset = await buildAsset(test.db, { port: sshd.port });
  const account = {
    name: unique('account'),
    username: sshd.username,
    login_mode: 'auto',
    protocol: 'ssh',
    private_key: sshd.privateKey,
  };
  systemUser = String((await admin.post('assets/system-users/', account)).body.id);
  await admin.post('perms/asset-permissions/', {
    name: unique('rule'),
    users: [user.id],
    assets: [asset],
    system_users: [systemUser],
  });
});
afterAll(async () => {
  await test.stop();
  await Promise.all([sshd.stop(), other.stop()]);
});

interface Pin {
  readonly id: string;
  readonly port: number;
  readonly fingerprint: string;
  readonly offered: { readonly fingerprint: string } | null;
}

const pinAt = async (port: number) =>
  (await admin.get<Pin[]>(`assets/assets/${asset}/host-keys/`)).body.find(
    (pin) => pin.port === port,
  );
const accept = (id: string, body: unknown) => admin.post(`assets/host-keys/${id}/accept/`, body);

/** Returns `open`, or the error code with which the connection closed. */
async function connect(to = asset): Promise<string> {
  const base = test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');
  const client = await TerminalClient.connect(
    base,
    { asset: to, system_user: systemUser },
    person.headers,
  );
  const code = await client.until('an answer', () => {
    const last = client.messages.findLast(({ type }) => type === 'open' || type === 'closed');
    return last?.type === 'closed' ? last.code : last?.type;
  });
  await client.close();
  return code;
}

it('accepts a changed host key by the reviewed fingerprint only', async () => {
  expect(await connect()).toBe('open');
  await sshd.restartWithNewHostKey();
  expect(await connect()).toBe('connect_host_key');
  const reviewed = await pinAt(sshd.port);
  // The server offers another key between the review and the click.
  await sshd.restartWithNewHostKey();
  expect(await connect()).toBe('connect_host_key');
  const id = reviewed?.id ?? '';
  const late = await accept(id, { fingerprint: reviewed?.offered?.fingerprint });
  expect([late.status, late.body.code]).toEqual([409, 'host_key_other']);
  expect((await accept(id, {})).body).toMatchObject({ fingerprint: [expect.anything()] });
  expect((await pinAt(sshd.port))?.fingerprint).toBe(reviewed?.fingerprint);
  expect(
    (await accept(id, { fingerprint: (await pinAt(sshd.port))?.offered?.fingerprint })).status,
  ).toBe(200);
  expect(await connect()).toBe('open');
});

it('requires a review of a moved asset before its new server receives a secret', async () => {
  const moved = await admin.patch(`assets/assets/${asset}/`, { protocols: [`ssh/${other.port}`] });
  expect(moved.status).toBe(200);
  expect(await connect()).toBe('connect_host_key');
  const pin = await pinAt(other.port);
  expect(pin?.fingerprint).toBe((await pinAt(sshd.port))?.fingerprint);
  expect((await accept(pin?.id ?? '', { fingerprint: pin?.offered?.fingerprint })).status).toBe(
    200,
  );
  // The host key was accepted; the account does not exist on this server.
  expect(await connect()).toBe('connect_credentials');
  await admin.patch(`assets/assets/${asset}/`, { protocols: [`ssh/${sshd.port}`] });
  expect(await connect()).toBe('open');
});

it('pins SSH and desktop of an asset separately, and opens a desktop without a password only if the account allows it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-pins-'));
  const { certificate, key } = await makeCertificates(folder);
  const xvnc = await startXvnc({
    securityTypes: 'X509None',
    more: ['-X509Cert', certificate, '-X509Key', key],
  });
  try {
    await xvnc.fill('#117733');
    const both = await buildAsset(test.db, { protocols: [`ssh/${sshd.port}`, `vnc/${xvnc.port}`] });
    const { body } = await admin.post<Json>('assets/system-users/', {
      name: unique('open'),
      protocol: 'vnc',
      password: 'x',
      auto_push: false,
    });
    const screen = String(body.id);
    const { id: me } = (await person.get<Json>('users/profile/')).body;
    await admin.post('perms/asset-permissions/', {
      name: unique('rule'),
      users: [me],
      assets: [both],
      system_users: [systemUser, screen],
    });
    expect(await connect(both)).toBe('open');
    const desktop = () =>
      DesktopClient.connect(
        socketsOf(test.program.url),
        { asset: both, system_user: screen },
        person.headers,
      );
    expect((await (await desktop()).wire.message('closed')).code).toBe('connect_desktop_sign_in');
    expect(
      (await admin.patch<Json>(`assets/system-users/${screen}/`, { no_password: true })).body
        .no_password,
    ).toBe(true);
    const opened = await desktop();
    await opened.wire.message('open');
    opened.start();
    await opened.shows('#117733');
    await opened.wire.close();
    expect(await connect(both)).toBe('open');
    const pins = (await admin.get<Pin[]>(`assets/assets/${both}/host-keys/`)).body;
    expect(pins.map(({ port, offered }) => [port, offered]).toSorted()).toEqual(
      [sshd.port, xvnc.port].map((port) => [port, null]).toSorted(),
    );
    // Deleting the desktop's pin leaves the SSH pin, and the next connection pins the certificate
    // again.
    const certificatePin = pins.find(({ port }) => port === xvnc.port)?.id ?? '';
    expect((await person.delete(`assets/host-keys/${certificatePin}/`)).status).toBe(403);
    expect((await admin.delete(`assets/host-keys/${certificatePin}/`)).status).toBe(204);
    expect((await admin.delete(`assets/host-keys/${certificatePin}/`)).status).toBe(404);
    expect((await admin.delete('assets/host-keys/none/')).status).toBe(404);
    expect(
      (await admin.get<Pin[]>(`assets/assets/${both}/host-keys/`)).body.map(({ port }) => port),
    ).toEqual([sshd.port]);
    const again = await desktop();
    await again.wire.message('open');
    await again.wire.close();
    const now = (await admin.get<Pin[]>(`assets/assets/${both}/host-keys/`)).body;
    expect(now.find(({ port }) => port === xvnc.port)?.fingerprint).toBe(
      pins.find(({ port }) => port === xvnc.port)?.fingerprint,
    );
    const { body: log } = await admin.get<Json[]>('audits/operate-logs/?resource_type=host_key');
    expect(log).toContainEqual(
      expect.objectContaining({
        action: 'delete',
        resource: expect.stringContaining(`:${xvnc.port}`),
      }),
    );
    expect(
      (await admin.patch<Json>(`assets/system-users/${screen}/`, { login_mode: 'manual' })).body
        .no_password,
    ).toBe(false);
  } finally {
    await xvnc.stop();
    await rm(folder, { recursive: true, force: true });
  }
});

it('rejects malformed ids like assets without a grant, without logging an error', async () => {
  const base = test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');
  const client = await TerminalClient.connect(
    base,
    { asset: "x' or true --", system_user: '1' },
    person.headers,
  );
  expect(await client.message('closed')).toMatchObject({ code: 'connect_denied' });
  expect(test.log()).not.toContain('could not be opened');
});

it("rejects assets at link-local addresses and at the console's own address", async () => {
  const { port } = new URL(test.program.url);
  await admin.patch(`assets/assets/${asset}/`, { protocols: [`ssh/${port}`] });
  expect(await connect()).toBe('connect_address');
  for (const ip of ['169.254.169.254', '0.0.0.0']) {
    expect(
      (await admin.patch(`assets/assets/${asset}/`, { ip, protocols: ['ssh/22'] })).status,
    ).toBe(200);
    expect([ip, await connect()]).toEqual([ip, 'connect_address']);
  }
});
