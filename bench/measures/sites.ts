import { join } from 'node:path';
import type { SiteInstall } from '../../contract/src/index.ts';
import { SiteMachine } from '../../server/src/testing/ssh/site.ts';
import { startSshd } from '../../server/src/testing/ssh/sshd.ts';
import { atLeast, type Figure, percentile } from '../lib/figure.ts';
import { seconds, startSftpRoutes } from '../lib/sftp-routes.ts';
import type { World } from '../lib/world.ts';
import { fillBig } from './files.ts';

const MEBIBYTES = 1024;
const RUNS = 3;
const WAIT_MS = 100;
const ATTEMPTS = 300;

/** Files over SFTP to a server behind a site, next to the same server behind an SSH gateway. */
export async function sites(world: World): Promise<Figure[]> {
  const routes = await startSftpRoutes(world);
  const { server, sshd, client, ids, bastion } = routes;
  const middle = await startSshd();
  const machine = new SiteMachine();
  const make = async (path: string, body: unknown) =>
    (await client.post<{ id: string }>(path, body)).id;
  try {
    const folder = world.folder();
    await fillBig(sshd.home, folder);
    const [plain, reaching] = [
      await make('assets/domains/', { name: 'gateway' }),
      await make('assets/domains/', { name: 'site' }),
    ];
    await make('assets/gateways/', {
      name: 'gateway',
      domain: plain,
      ip: middle.host,
      port: middle.port,
      username: middle.username,
      private_key: middle.privateKey,
    });
    const site = await make('assets/gateways/', {
      name: 'site',
      domain: reaching,
      protocol: 'site',
    });
    await machine.join(await client.post<SiteInstall>(`assets/gateways/${site}/install-key/`, {}));
    machine.connect({ port: server.sshPort, login: `site+${site}`, ports: [sshd.port] });
    const isOpen = async () =>
      (await client.get<{ tunnels: number }>(`assets/gateways/${site}/`)).tunnels > 0;
    for (let attempt = 0; !(await isOpen()); attempt++) {
      if (attempt === ATTEMPTS) throw new Error('the site did not connect');
      await new Promise((done) => setTimeout(done, WAIT_MS));
    }
    const rates: Record<string, number[]> = {};
    for (let run = 0; run < RUNS; run++)
      for (const [way, batch] of [
        ['down', `get big ${join(folder, 'back')}`],
        ['up', `put ${folder}/big incoming/big`],
      ] as const)
        for (const [name, domain] of [
          ['gateway', plain],
          ['site', reaching],
        ] as const) {
          await client.patch(`assets/assets/${ids.asset}/`, { domain });
          rates[`${way} ${name}`] ??= [];
          rates[`${way} ${name}`]?.push(MEBIBYTES / (await seconds(() => bastion(batch))));
        }
    const median = (name: string) => percentile(rates[name] ?? [], 0.5);
    const note = `1 GiB, median of ${RUNS}, with connecting`;
    return (['down', 'up'] as const).flatMap((way) => {
      const name = way === 'down' ? 'Download' : 'Upload';
      return [
        {
          name: `${name} behind an SSH gateway`,
          value: median(`${way} gateway`),
          unit: 'MiB/s',
          note,
        },
        { name: `${name} behind a site`, value: median(`${way} site`), unit: 'MiB/s', note },
        {
          name: `${name}, site to gateway`,
          value: (median(`${way} site`) / median(`${way} gateway`)) * 100,
          unit: '%',
          budget: atLeast(80),
        },
      ];
    });
  } finally {
    await machine.stop();
    await middle.stop();
    await routes.stop();
  }
}
