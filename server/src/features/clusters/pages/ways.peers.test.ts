import type { ClusterObjects, SiteInstall } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unique } from '../../../testing/builders.ts';
import type { Json } from '../../../testing/client.ts';
import {
  CLUSTER_TOKEN,
  type SmallCluster,
  startSmallCluster,
} from '../../../testing/clusters/small-cluster.ts';
import { until } from '../../../testing/poll.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { SiteMachine } from '../../../testing/ssh/site.ts';
import { sshClient } from '../../../testing/ssh/ssh-client.ts';
import { type SshWorld, startWorld } from '../../../testing/ssh/ssh-world.ts';
import { startSshd, type TestSshd } from '../../../testing/ssh/sshd.ts';
import { TerminalClient } from '../../../testing/terminals/terminal-client.ts';

/** Clusters behind a gateway, and in the network of a site, with OpenSSH as both. */

let world: SshWorld<TestSshd>;
let cluster: SmallCluster;
let machine: SiteMachine;
beforeAll(async () => {
  [world, cluster] = await Promise.all([
    startWorld({}, startSshd(), sshClient),
    startSmallCluster(),
  ]);
  cluster.objects.create(
    { group: '', resource: 'pods', namespace: 'team-a' },
    { metadata: { name: 'web' } },
  );
  machine = new SiteMachine();
});
afterAll(async () => {
  await machine?.stop();
  await Promise.all([world?.stop(), cluster?.stop()]);
});

const create = async (path: string, body: Json): Promise<string> => {
  const answer = await world.administrator.post<Json>(path, { name: unique('made'), ...body });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return String(answer.body.id);
};

/** Grants a cluster of a domain. Returns its id and its account. */
async function grantIn(domain: string) {
  const account = await create('assets/system-users/', {
    protocol: 'kubernetes',
    password: CLUSTER_TOKEN,
  });
  const id = await create('applications/clusters/', {
    host: '127.0.0.1',
    port: cluster.port,
    ca_certificate: cluster.authority,
    domain,
  });
  await create('perms/cluster-permissions/', {
    users: [world.member.id],
    clusters: [id],
    system_users: [account],
    namespaces: 'team-a',
    actions: ['exec'],
  });
  return { id, account };
}

/** Lists the pods, and works in a shell of one. */
async function look({ id, account }: { readonly id: string; readonly account: string }) {
  const own = (await bearer(world.test, world.member)).inOrganization(world.organization);
  const visits = 'perms/users/clusters/visits/';
  const visit = await own.post<Json>(visits, { cluster: id });
  expect([visit.status, visit.text]).toEqual([200, expect.any(String)]);
  const { body } = await own.get<ClusterObjects>(
    `${visits}${visit.body.id}/objects/?kind=pods&namespace=team-a`,
  );
  expect(body.rows.map(({ name }) => name)).toEqual(['web']);
  const terminal = await TerminalClient.connect(
    world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, ''),
    {
      asset: id,
      system_user: account,
      pod: { namespace: 'team-a', name: 'web', container: 'main', shell: 'sh' },
    },
    own.headers,
  );
  await terminal.message('open');
  terminal.type('echo by the wa""y\r');
  await terminal.waitFor('by the way');
  await terminal.close();
}

it('reaches the cluster through a gateway, and never without it', async () => {
  const domain = await create('assets/domains/', {});
  const gateway = await create('assets/gateways/', {
    domain,
    ip: '127.0.0.1',
    port: world.sshd.port,
    username: world.sshd.username,
    private_key: world.sshd.privateKey,
    protocol: 'ssh',
  });
  const target = await grantIn(domain);
  await look(target);
  const wrong = { port: world.port };
  expect((await world.administrator.patch(`assets/gateways/${gateway}/`, wrong)).status).toBe(200);
  const tested = await world.administrator.post(`applications/clusters/${target.id}/test/`, {
    system_user: target.account,
  });
  expect(tested.status).toBe(400);
});

it('reaches the cluster in the network of a site', async () => {
  const domain = await create('assets/domains/', {});
  const site = await create('assets/gateways/', { domain, protocol: 'site' });
  const { body } = await world.administrator.post<SiteInstall>(
    `assets/gateways/${site}/install-key/`,
  );
  await machine.join(body);
  machine.connect({ port: world.port, login: `site+${site}`, ports: [cluster.port] });
  const tunnels = async () =>
    (await world.administrator.get<Json>(`assets/gateways/${site}/`)).body.tunnels;
  await until(async () => (await tunnels()) === 1, 'the tunnel', 60_000);
  await look(await grantIn(domain));
});
