import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import type { SiteInstall } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unique } from '../../testing/builders.ts';
import type { Json } from '../../testing/client.ts';
import {
  createNetwork,
  type Network,
  type NetworkPlace,
} from '../../testing/databases/network-places.ts';
import { freePort } from '../../testing/free-port.ts';
import { until } from '../../testing/poll.ts';
import { SiteMachine } from '../../testing/ssh/site.ts';
import { sshClient } from '../../testing/ssh/ssh-client.ts';
import { type SshWorld, startWorld } from '../../testing/ssh/ssh-world.ts';
import { startSshd } from '../../testing/ssh/sshd.ts';

// A branch in a network namespace: its server listens on an address that only the branch has, and
// its name is known there only. One machine of it runs OpenSSH 9.2 (Debian 12) as a site.
const NAME = 'db.branch.internal';

let network: Network;
let branch: NetworkPlace;
let hosts: string;
let relay: Server;
let relayPort: number;
let machine: SiteMachine;
let world: SshWorld;
let domain: string;
let site: string;

beforeAll(async () => {
  network = createNetwork();
  branch = network.addPlace('branch', 5);
  hosts = `/etc/netns/${branch.run.at(-1)}`;
  mkdirSync(hosts, { recursive: true });
  writeFileSync(`${hosts}/hosts`, `127.0.0.1 localhost ${NAME}\n`);
  world = await startWorld({}, startSshd({ within: branch.run }), sshClient);
  // The way out of the branch to the listener, and nothing else.
  relay = createServer((socket) => {
    const inner = connect(world.port, '127.0.0.1');
    for (const one of [socket, inner]) one.on('error', () => undefined);
    socket.pipe(inner).pipe(socket);
    socket.once('close', () => inner.destroy());
    inner.once('close', () => socket.destroy());
  });
  relayPort = await freePort();
  await new Promise<void>((done) => relay.listen(relayPort, network.etcd, done));
  machine = new SiteMachine(branch.run);
  const create = async (path: string, body: Json) =>
    String((await world.administrator.post<Json>(path, body)).body.id);
  domain = await create('assets/domains/', { name: unique('branch') });
  site = await create('assets/gateways/', { name: unique('site'), domain, protocol: 'site' });
  await world.administrator.patch(`assets/assets/${world.asset}/`, { domain, ip: NAME });
  const { body } = await world.administrator.post<SiteInstall>(
    `assets/gateways/${site}/install-key/`,
  );
  await machine.join(body);
}, 120_000);
afterAll(async () => {
  await machine?.stop();
  relay?.close();
  await world?.stop();
  network?.remove();
  if (hosts) rmSync(hosts, { recursive: true });
});

const run = () =>
  world.ssh.run({ login: world.login, password: world.member.password, command: 'hostname' });
const tunnels = async (count: number) =>
  until(
    async () =>
      (await world.administrator.get<Json>(`assets/gateways/${site}/`)).body.tunnels === count,
    `${count} tunnels`,
    120_000,
  );
const open = async () => {
  machine.connect(
    {
      host: network.etcd,
      port: relayPort,
      login: `site+${site}`,
      ports: [world.sshd.port],
    },
    ['-o', `HostKeyAlias=[127.0.0.1]:${world.port}`],
  );
  await tunnels(1);
};

it('reaches a server of a network without any way in, by a name that only the network knows', async () => {
  expect((await run()).code).toBe(255);
  await open();
  expect((await run()).code).toBe(0);
});

it('finds a tunnel that was cut without a sign, and takes the next one of the same machine', async () => {
  const restore = branch.cut();
  // Neither side has closed the connection: the channel stays without an answer.
  expect((await run()).code).toBe(255);
  await tunnels(0);
  await restore();
  await machine.disconnect();
  await open();
  expect((await run()).code).toBe(0);
}, 300_000);
