import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AttentionItem, SiteInstall } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { unique } from '../../testing/builders.ts';
import type { Json } from '../../testing/client.ts';
import { freePort } from '../../testing/free-port.ts';
import { until } from '../../testing/poll.ts';
import { errorsOf, SiteMachine } from '../../testing/ssh/site.ts';
import { sshClient } from '../../testing/ssh/ssh-client.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let world: SshWorld;
let other: TestProgram;
let otherPort: number;
let machine: SiteMachine;
let domain: string;
let site: string;
const secretKey = randomBytes(32).toString('hex');

beforeAll(async () => {
  world = await startSshWorld({ secretKey });
  otherPort = await freePort();
  other = await startTestProgram({
    secretKey,
    databaseUrl: world.test.databaseUrl,
    sshPort: otherPort,
  });
  machine = new SiteMachine();
  domain = await create('assets/domains/', { name: unique('branch') });
  site = await createSite();
  await patch(`assets/assets/${world.asset}/`, { domain });
});
afterAll(async () => {
  await machine?.stop();
  await other?.stop();
  await world?.stop();
});

async function create(path: string, body: Json): Promise<string> {
  const answer = await world.administrator.post<Json>(path, body);
  expect(answer).toMatchObject({ status: 201 });
  return String(answer.body.id);
}
const patch = async (path: string, body: Json) =>
  expect((await world.administrator.patch(path, body)).status).toBe(200);
const createSite = () =>
  create('assets/gateways/', { name: unique('site'), domain, protocol: 'site' });
const install = (id = site) =>
  world.administrator.post<SiteInstall>(`assets/gateways/${id}/install-key/`);
const row = async (id = site) =>
  (await world.administrator.get<Json>(`assets/gateways/${id}/`)).body;
const tunnels = async (count: number) =>
  until(async () => (await row()).tunnels === count, `${count} tunnels`, 60_000);
const connect = async (ports = [world.sshd.port]) => {
  machine.connect({ port: world.port, login: `site+${site}`, ports });
  await tunnels(1);
};
const disconnect = async () => {
  await machine.disconnect();
  await tunnels(0);
};
const run = (client = world.ssh) =>
  client.run({ login: world.login, password: world.member.password, command: 'echo in' });
const IN = { code: 0, stdout: Buffer.from('in\n') };
const awayItem = async () =>
  (await world.administrator.get<AttentionItem[]>('common/attention/')).body.find(
    ({ kind }) => kind === 'sites_away',
  );
const tryIt = () => world.administrator.post(`assets/gateways/${site}/test-connective/`, {});

it('opens no session before the site has connected, and never goes around it', async () => {
  expect(await run()).toMatchObject({ code: 255 });
  expect((await tryIt()).text).toContain('is not connected to this bastion');
});

// OpenSSH 9.2 of Debian 12 is the program of the site.
it('joins with the install command, and reaches a server through the tunnel of the unit', async () => {
  const { status, body } = await install();
  expect(status).toBe(201);
  expect(body.unit).toContain(`PermitRemoteOpen=*:${world.sshd.port}`);
  await machine.join(body);
  expect((await row()).date_joined).not.toBeNull();
  await connect();
  expect(await run()).toMatchObject(IN);
  expect((await tryIt()).status).toBe(200);
  expect(await row()).toMatchObject({ tunnel_from: '127.0.0.1' });
  expect(String((await row()).tunnel_software)).toMatch(/^OpenSSH_/);
  expect((await row()).date_seen).not.toBeNull();
  expect(await awayItem()).toBeUndefined();
});

it('reaches the site from another server, which holds no tunnel of it', async () => {
  const ssh = sshClient(otherPort);
  expect(await run(ssh)).toMatchObject(IN);
  await ssh.stop();
});

it('carries a megabyte in both directions unchanged, through the other server as well', async () => {
  const ssh = sshClient(otherPort);
  for (const client of [world.ssh, ssh]) {
    const input = randomBytes(1024 * 1024);
    const { login, member } = { login: world.login, member: world.member };
    const { stdout } = await client.run({
      login,
      password: member.password,
      command: 'cat',
      input,
    });
    expect(stdout.equals(input)).toBe(true);
  }
  await ssh.stop();
});

it('lets one machine join once, and no second one with the same key or another', async () => {
  const second = new SiteMachine();
  const another = await createSite();
  const { body } = await install(another);
  expect((await machine.joinWith(world.administrator, body.install_key)).status).toBe(200);
  const used = await second.joinWith(world.administrator, body.install_key);
  expect(used).toMatchObject({ status: 400 });
  expect(used.text).toContain('wrong, used or expired');
  expect((await install(another)).text).toContain('has joined as this site');
  expect((await install()).status).toBe(400);
  await expect(
    sql`update site_identity set public_key = 'ssh-ed25519 AAAA' where gateway_id = ${site}`.execute(
      world.test.db,
    ),
  ).rejects.toThrow('never replaced');
  await second.stop();
});

it('refuses a machine that names the site of another, and everything but the tunnel', async () => {
  const thief = new SiteMachine();
  const another = await createSite();
  const { body } = await install(another);
  await thief.joinWith(world.administrator, body.install_key);
  const place = (id: string) => ({ port: world.port, login: `site+${id}`, ports: [22] });
  // The keys of the bastion are those of the first machine.
  const known = ['-o', `UserKnownHostsFile=${machine.folder}/known_hosts`];
  expect(await errorsOf(thief.ssh(place(site), known))).toContain('Permission denied');
  expect(await errorsOf(thief.ssh(place(crypto.randomUUID()), known))).toContain(
    'Permission denied',
  );
  for (const [options, command] of [
    [[], ['id']],
    [['-s'], ['sftp']],
    [['-W', `127.0.0.1:${world.sshd.port}`], []],
    [['-N', '-o', 'StreamLocalBindUnlink=yes', '-R', '/tmp/x:127.0.0.1:22'], []],
  ] as const) {
    const errors = await errorsOf(thief.misuse(place(another), [...known, ...options], command));
    expect(errors).toMatch(/refused|failed|prohibited|Could not|closed/i);
  }
  await thief.stop();
});

it('passes by a site of the domain that is away', async () => {
  await createSite();
  // The order is random.
  for (let time = 0; time < 4; time++) expect(await run()).toMatchObject(IN);
});

it('says that the site refuses a host which its own side does not permit', async () => {
  await disconnect();
  await connect([9]);
  const { stderr } = await run();
  expect(String(stderr)).toContain('does not connect to');
  expect((await tryIt()).status).toBe(200);
});

it('ends with the tunnel, and says that the site is away', async () => {
  await disconnect();
  const { code, stderr } = await run();
  expect(code).toBe(255);
  expect(String(stderr)).toContain('is not connected to this bastion');
  const { count, examples } = (await awayItem()) ?? {};
  expect([count, examples?.[0]?.id]).toEqual([1, domain]);
  expect(examples?.[0]?.date).not.toBeNull();
  const list = await world.administrator.get<Json[]>('assets/domains/?attention=sites_away');
  expect(list.body.map(({ id }) => id)).toEqual([domain]);
});

it('refuses a site that has joined, and the assets behind it, on a server without the feature', async () => {
  const port = await freePort();
  const without = await startTestProgram({
    secretKey,
    databaseUrl: world.test.databaseUrl,
    sshPort: port,
    without: ['sites'],
  });
  const ssh = sshClient(port);
  try {
    const known = readFileSync(`${machine.folder}/known_hosts`, 'utf8');
    const [, alias] = /^\s*(\S+) (?=ssh-)/m.exec(known) ?? [];
    expect(alias).toBeDefined();
    const place = { port, login: `site+${site}`, ports: [world.sshd.port] };
    const tunnel = machine.ssh(place, ['-o', `HostKeyAlias=${alias}`]);
    expect(await errorsOf(tunnel)).toContain('Permission denied');
    const { code, stderr } = await run(ssh);
    expect(code).toBe(255);
    expect(String(stderr)).toContain('is not connected to this bastion');
  } finally {
    await ssh.stop();
    await without.stop();
  }
});

it('accepts no site in a domain behind another, and no inactive one', async () => {
  const behind = await create('assets/domains/', { name: unique('behind'), through: domain }).catch(
    () => '',
  );
  const through = await world.administrator.post('assets/gateways/', {
    name: unique('site'),
    domain: behind,
    protocol: 'site',
  });
  expect(through.status).toBe(400);
  await patch(`assets/gateways/${site}/`, { is_active: false });
  const place = { port: world.port, login: `site+${site}`, ports: [22] };
  expect(await errorsOf(machine.ssh(place))).toContain('Permission denied');
});

it('refuses keys that are none, and requests without an install key', async () => {
  const join = (body: Json) => world.administrator.post('assets/sites/join/', body);
  const another = await createSite();
  const { body } = await install(another);
  for (const key of ['ssh-ed25519 AAAA', 'ssh-rsa AAAAB3NzaC1yc2E=', '-oProxyCommand=x', 'x\ny'])
    expect((await join({ install_key: body.install_key, public_key: key })).status).toBe(400);
  expect((await join({ public_key: 'ssh-ed25519 AAAA' })).status).toBe(400);
  const plain = await create('assets/gateways/', {
    name: unique('gateway'),
    domain,
    ip: '192.0.2.1',
  });
  expect((await install(plain)).text).toContain('is no site');
});
