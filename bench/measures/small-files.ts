import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RELAY } from '../lib/byte-relay.ts';
import { atLeast, type Figure, percentile } from '../lib/figure.ts';
import { databaseSeconds, processorSeconds } from '../lib/processor.ts';
import { fillFolder, type SftpRoutes, seconds, startSftpRoutes } from '../lib/sftp-routes.ts';
import type { World } from '../lib/world.ts';

const FILES = 1000;
const BYTES = 4096;
const TURNS = 5;
/** Time in which the journal reaches the database. */
const DRAIN_MS = 1500;

const WAYS = {
  get: (folder: string, to: string) => `get -r small ${folder}/${to}`,
  put: (folder: string, to: string) => `put -r ${folder}/small incoming/${to}`,
} as const;

/** Many small files over SFTP, read and written, next to `sftp` straight to the same sshd. */
export async function smallFiles(world: World): Promise<Figure[]> {
  const routes = await startSftpRoutes(world);
  try {
    const folder = world.folder();
    const content = Buffer.alloc(BYTES, 'sallyport ');
    for (const place of [routes.sshd.home, folder])
      await fillFolder(join(place, 'small'), FILES, content);
    await mkdir(join(routes.sshd.home, 'incoming'));
    await chmod(join(routes.sshd.home, 'incoming'), 0o777);
    const figures: Figure[] = [];
    for (const way of ['get', 'put'] as const)
      figures.push(...(await compare(routes, way, folder)));
    return figures;
  } finally {
    await routes.stop();
  }
}

async function compare(
  { server, direct, relay, bastion }: SftpRoutes,
  way: keyof typeof WAYS,
  folder: string,
): Promise<Figure[]> {
  const rates: readonly [number[], number[], number[]] = [[], [], []];
  const costs: number[] = [];
  const spent = () => processorSeconds(server.pid) + databaseSeconds(server.dataDirectory);
  // In turn, so that other load on the machine affects each.
  for (let turn = 0; turn < TURNS; turn++) {
    rates[0].push(FILES / (await seconds(() => direct(WAYS[way](folder, `direct-${turn}`)))));
    rates[2].push(FILES / (await seconds(() => relay(WAYS[way](folder, `relay-${turn}`)))));
    const before = spent();
    rates[1].push(FILES / (await seconds(() => bastion(WAYS[way](folder, `bastion-${turn}`)))));
    await sleep(DRAIN_MS);
    costs.push(((spent() - before) / FILES) * 1000);
  }
  const [theirs = 0, ours = 0, passed = 0] = rates.map((taken) => percentile(taken, 0.5));
  const what = `Small files, ${way}`;
  const note = `${FILES} files of ${BYTES / 1024} KiB, median of ${TURNS}, with connecting`;
  return [
    { name: `${what}, sftp straight to the server`, value: theirs, unit: 'files/s', note },
    { name: `${what}, ${RELAY}`, value: passed, unit: 'files/s' },
    {
      name: `${what}, sftp through the bastion`,
      value: ours,
      unit: 'files/s',
      note: 'with a log entry and the SHA-256 of each',
    },
    {
      name: `${what}, bastion to straight`,
      value: (ours / theirs) * 100,
      unit: '%',
      // The goal is 500 files a second where the straight way has 639.
      ...(way === 'get' && { budget: atLeast(78) }),
    },
    { name: `${what}, CPU for a file`, value: percentile(costs, 0.5), unit: 'ms' },
  ];
}
