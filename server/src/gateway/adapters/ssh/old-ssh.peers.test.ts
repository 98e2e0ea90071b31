import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildAsset, buildUser, unique } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { startSshd, type TestSshd } from '../../../testing/ssh/sshd.ts';
import { TerminalClient } from '../../../testing/terminals/terminal-client.ts';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';

const RSA = ['diffie-hellman-group14-sha1', 'ssh-rsa', 'aes128-cbc', 'hmac-sha1'];
const GROUP_EXCHANGE = 'diffie-hellman-group-exchange-sha256';
const DSA = ['diffie-hellman-group1-sha1', 'ssh-dss', '3des-cbc', 'hmac-md5'];

/** Configuration of a server that offers only these algorithms. */
const only = ([kex, key, cipher, mac]: readonly string[]) => [
  `KexAlgorithms ${kex}`,
  `HostKeyAlgorithms ${key}`,
  `Ciphers ${cipher}`,
  `MACs ${mac}`,
];

interface Place {
  readonly asset: string;
  readonly account: string;
}

let test: TestProgram;
let servers: readonly TestSshd[];
let admin: Client;
let person: Client;
let old: Place;
let older: Place;
/** Host key and ciphers are current; the account's key is outdated. */
let half: Place;
let current: Place;
/** Offers a key exchange in which the server chooses the prime. */
let group: Place;
let platform: string;
let platformPath: string;
beforeAll(async () => {
  [test, ...servers] = await Promise.all([
    startTestProgram(),
    startSshd({ hostKeyType: 'rsa', config: only(RSA) }),
    startSshd({ hostKeyType: 'dsa', config: only(DSA) }),
    startSshd({ clientKeyType: 'dsa', config: ['PubkeyAcceptedAlgorithms +ssh-dss'] }),
    startSshd(),
    startSshd({ config: [`KexAlgorithms ${GROUP_EXCHANGE}`] }),
  ]);
  admin = await bearer(test);
  const user = await buildUser(test.db);
  person = await bearer(test, user);
  const placeOf = async (
    sshd: TestSshd | undefined,
    secret: 'key' | 'password',
  ): Promise<Place> => {
    if (!sshd) throw new Error('a server is missing');
    const asset = await buildAsset(test.db, { port: sshd.port });
    const credentials =
      secret === 'key' ? { private_key: sshd.privateKey } : { password: sshd.password };
    const created = await admin.post('assets/system-users/', {
      name: unique('account'),
      username: sshd.username,
      login_mode: 'auto',
      protocol: 'ssh',
      ...credentials,
    });
    const account = String(created.body.id);
    await admin.post('perms/asset-permissions/', {
      name: unique('rule'),
      users: [user.id],
      assets: [asset],
      system_users: [account],
    });
    return { asset, account };
  };
  old = await placeOf(servers[0], 'key');
  older = await placeOf(servers[1], 'password');
  half = await placeOf(servers[2], 'key');
  current = await placeOf(servers[3], 'key');
  group = await placeOf(servers[4], 'key');
  platform = unique('old-device');
  const created = await admin.post('assets/platforms/', {
    name: platform,
    base: 'Other',
    old_ssh: true,
  });
  expect([created.status, created.body.old_ssh]).toEqual([201, true]);
  platformPath = `assets/platforms/${created.body.id}/`;
});
afterAll(async () => {
  await test.stop();
  await Promise.all(servers.map((sshd) => sshd.stop()));
});

const place = async ({ asset }: Place, name: string) =>
  expect((await admin.patch(`assets/assets/${asset}/`, { platform: name })).status).toBe(200);

/** Returns `open` with the outdated algorithms in use, or the error message. */
async function connect({ asset, account }: Place): Promise<string> {
  const base = test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');
  const client = await TerminalClient.connect(
    base,
    { asset, system_user: account },
    person.headers,
  );
  const outcome = await client.until('an answer', () => {
    const last = client.messages.findLast(({ type }) => type === 'open' || type === 'closed');
    if (last?.type === 'closed') return last.message;
    return last?.type === 'open' ? `open ${last.old}` : undefined;
  });
  await client.close();
  return outcome;
}

const newest = async ({ asset }: Place) =>
  (await admin.get<Json[]>(`terminal/sessions/?asset_id=${asset}&order=-date_start`)).body[0];

/** Returns the newest session of the asset, once it has ended. */
async function lastSession(at: Place): Promise<Json | undefined> {
  await expect.poll(async () => (await newest(at))?.is_finished).toBe(true);
  return newest(at);
}

it('refuses a server with outdated algorithms only, with advice, before sending a secret', async () => {
  const advice =
    'offers only outdated SSH algorithms. Update its SSH server, or give the asset a platform that allows old SSH algorithms.';
  for (const at of [old, older, half]) {
    expect(await connect(at)).toContain(advice);
    expect(await lastSession(at)).toMatchObject({
      is_success: false,
      end_reason: 'connect_outdated',
      old_algorithms: null,
    });
  }
});

it('connects when the platform allows outdated algorithms, marks terminal and session, and stops when it no longer does', async () => {
  for (const at of [old, older, half]) await place(at, platform);
  expect(await connect(old)).toBe(`open ${RSA.join(', ')}`);
  expect(await lastSession(old)).toMatchObject({
    is_success: true,
    old_algorithms: RSA.join(', '),
  });
  expect(await connect(older)).toBe(`open ${DSA.join(', ')}`);
  expect(await lastSession(older)).toMatchObject({ old_algorithms: DSA.join(', ') });
  expect(await connect(half)).toBe('open ssh-dss');
  await admin.patch(platformPath, { old_ssh: false });
  expect(await connect(old)).toContain('outdated');
  await admin.patch(platformPath, { old_ssh: true });
});

it('uses current algorithms with a server that offers them, even if the platform allows outdated ones', async () => {
  await place(current, platform);
  expect(await connect(current)).toBe('open ');
  expect(await lastSession(current)).toMatchObject({ is_success: true, old_algorithms: null });
});

it('refuses outdated algorithms of a gateway, even if the platform of the asset allows them', async () => {
  const [sshd] = servers;
  const domain = String((await admin.post('assets/domains/', { name: unique('domain') })).body.id);
  const hop = {
    name: unique('hop'),
    domain,
    ip: '127.0.0.1',
    port: sshd?.port,
    username: sshd?.username,
    private_key: sshd?.privateKey,
    protocol: 'ssh',
  };
  expect((await admin.post('assets/gateways/', hop)).status).toBe(201);
  expect((await admin.patch(`assets/assets/${current.asset}/`, { domain })).status).toBe(200);
  expect(await connect(current)).toContain('which gateways may not use');
  await admin.patch(`assets/assets/${current.asset}/`, { domain: null });
});

it('connects when the server chooses the prime of the key exchange', async () => {
  expect(await connect(group)).toBe('open ');
  expect(await lastSession(group)).toMatchObject({ is_success: true, old_algorithms: null });
});
