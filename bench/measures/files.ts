import { chmod, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { atLeast, atMost, type Figure, percentile } from '../lib/figure.ts';
import { fillFolder, seconds, startSftpRoutes } from '../lib/sftp-routes.ts';
import type { World } from '../lib/world.ts';

const MEBIBYTES = 1024;
const RUNS = 3;
const ENTRIES = 100_000;
const SAMPLE_MS = 50;

/** Files over SFTP through the bastion, next to `sftp` straight to the same sshd. */
export async function files(world: World): Promise<Figure[]> {
  const routes = await startSftpRoutes(world);
  const { server, sshd, direct, bastion } = routes;
  try {
    const folder = world.folder();
    await fillBig(sshd.home, folder);
    await fillFolder(join(sshd.home, 'many'), ENTRIES, '');
    const up = `put ${folder}/big incoming/big`;
    const down = `get big ${folder}/back`;
    const rates = {
      up: { direct: [] as number[], bastion: [] as number[] },
      down: { direct: [] as number[], bastion: [] as number[] },
    };
    const growth = { up: 0, down: 0 };
    for (let run = 0; run < RUNS; run++) {
      for (const [way, batch] of [
        ['down', down],
        ['up', up],
      ] as const) {
        rates[way].direct.push(MEBIBYTES / (await seconds(() => direct(batch))));
        const before = server.memory();
        let most = before;
        const sampling = setInterval(() => {
          most = Math.max(most, server.memory());
        }, SAMPLE_MS);
        rates[way].bastion.push(MEBIBYTES / (await seconds(() => bastion(batch))));
        clearInterval(sampling);
        // The first transfer also loads code and warms up what later ones share.
        if (run > 0) growth[way] = Math.max(growth[way], most - before);
      }
    }
    const listing = { direct: [] as number[], bastion: [] as number[] };
    for (let run = 0; run < RUNS; run++) {
      listing.direct.push((await seconds(() => direct('ls -1f many'))) * 1000);
      listing.bastion.push((await seconds(() => bastion('ls -1f many'))) * 1000);
    }
    const median = (values: readonly number[]) => percentile(values, 0.5);
    const note = `1 GiB, median of ${RUNS}, with connecting`;
    const wayFigures = (way: 'up' | 'down', name: string): Figure[] => [
      {
        name: `${name}, sftp straight to the server`,
        value: median(rates[way].direct),
        unit: 'MiB/s',
        note,
      },
      {
        name: `${name}, sftp through the bastion`,
        value: median(rates[way].bastion),
        unit: 'MiB/s',
        note: `${note}; with SHA-256 and the log`,
      },
      {
        name: `${name}, bastion to straight`,
        value: (median(rates[way].bastion) / median(rates[way].direct)) * 100,
        unit: '%',
        budget: atLeast(70),
      },
      {
        name: `${name}, growth of the memory of the server`,
        value: growth[way],
        unit: 'MiB',
        budget: atMost(64),
        note: 'resident memory, the most in runs after the first',
      },
    ];
    return [
      ...wayFigures('down', 'Download'),
      ...wayFigures('up', 'Upload'),
      {
        name: `A folder with ${ENTRIES} entries, sftp straight to the server`,
        value: median(listing.direct),
        unit: 'ms',
      },
      {
        name: `A folder with ${ENTRIES} entries, sftp through the bastion`,
        value: median(listing.bastion),
        unit: 'ms',
        budget: atMost(2000),
        note: 'with connecting',
      },
    ];
  } finally {
    await routes.stop();
  }
}

/** A large file on both sides; a folder of empty and one of small files on the server's. */
/** Creates a file of 1 GiB in both folders, and one at the server for uploads. */
export async function fillBig(home: string, here: string): Promise<void> {
  await mkdir(join(home, 'incoming'));
  await chmod(join(home, 'incoming'), 0o777);
  const block = Buffer.alloc(2 ** 20, 'sallyport ');
  for (const place of [join(home, 'big'), join(here, 'big')]) {
    const file = await open(place, 'w', 0o644);
    for (let written = 0; written < MEBIBYTES; written++) await file.write(block);
    await file.close();
  }
}
