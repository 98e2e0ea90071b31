import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSshClients } from '../../server/src/testing/ssh/open-ssh.ts';
import type { TestSshd } from '../../server/src/testing/ssh/sshd.ts';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { atLeast, atMost, type Figure, percentile } from '../lib/figure.ts';
import { startTargeted } from '../lib/target.ts';
import type { World } from '../lib/world.ts';

const MEBIBYTES = 1024;
const RUNS = 3;
const ENTRIES = 100_000;
const SMALL_FILES = 1000;
const SMALL_BYTES = 4096;
const SAMPLE_MS = 50;

/** Files over SFTP through the bastion, next to `sftp` straight to the same sshd. */
export async function files(world: World): Promise<Figure[]> {
  const target = await startTargeted(world, { withSsh: true });
  const { server, sshd, client, ids } = target;
  const clients = await openSshClients(server.sshPort);
  try {
    await client.patch(`assets/system-users/${ids.system_user}/`, { sftp_root: 'home' });
    const folder = world.folder();
    await fill(sshd.home, folder);
    const bastion = async (batch: string) => {
      const { code, stderr } = await clients.transfer({
        program: 'sftp',
        login: 'admin@target@target',
        password: ADMIN_PASSWORD,
        batch,
      });
      if (code !== 0) throw new Error(`sftp through the bastion: ${stderr}`);
    };
    const direct = (batch: string) => straight(sshd, batch);
    await bastion('ls');
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
    const small = { direct: [] as number[], bastion: [] as number[] };
    for (let run = 0; run < RUNS; run++) {
      for (const [way, transfer] of [
        ['direct', direct],
        ['bastion', bastion],
      ] as const) {
        const took = await seconds(() => transfer(`get -r small ${folder}/small-${way}-${run}`));
        small[way].push(SMALL_FILES / took);
      }
    }
    const median = (values: readonly number[]) => percentile(values, 0.5);
    const smallNote = `${SMALL_FILES} files of ${SMALL_BYTES / 1024} KiB, median of ${RUNS}`;
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
      {
        name: 'Small files, sftp straight to the server',
        value: median(small.direct),
        unit: 'files/s',
        note: smallNote,
      },
      {
        name: 'Small files, sftp through the bastion',
        value: median(small.bastion),
        unit: 'files/s',
        note: `${smallNote}; with connecting, and a log entry with the SHA-256 of each`,
      },
      {
        name: 'Small files, bastion to straight',
        value: (median(small.bastion) / median(small.direct)) * 100,
        unit: '%',
        budget: atLeast(35),
      },
    ];
  } finally {
    await clients.stop();
    await target.stop();
  }
}

/** A large file on both sides; a folder of empty and one of small files on the server's. */
async function fill(home: string, here: string): Promise<void> {
  await mkdir(join(home, 'incoming'));
  await chmod(join(home, 'incoming'), 0o777);
  const block = Buffer.alloc(2 ** 20, 'sallyport ');
  for (const place of [join(home, 'big'), join(here, 'big')]) {
    const file = await open(place, 'w', 0o644);
    for (let written = 0; written < MEBIBYTES; written++) await file.write(block);
    await file.close();
  }
  await fillFolder(join(home, 'many'), ENTRIES, '');
  await fillFolder(join(home, 'small'), SMALL_FILES, Buffer.alloc(SMALL_BYTES, 'sallyport '));
}

async function fillFolder(folder: string, count: number, content: string | Buffer): Promise<void> {
  await mkdir(folder);
  for (let index = 0; index < count; index += 1000) {
    await Promise.all(
      Array.from({ length: 1000 }, (_, more) =>
        writeFile(join(folder, `entry-${index + more}.txt`), content),
      ),
    );
  }
}

async function straight(
  { host, port, username, keyFile, knownHostsFile }: TestSshd,
  batch: string,
): Promise<void> {
  const options = [
    '-q',
    '-F',
    'none',
    '-i',
    keyFile,
    '-P',
    String(port),
    '-o',
    `UserKnownHostsFile=${knownHostsFile}`,
    '-b',
    '-',
    `${username}@${host}`,
  ];
  const child = spawn('/usr/bin/sftp', options, { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(batch);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`sftp straight to the server ended with ${code}`);
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}
