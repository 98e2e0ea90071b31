import { request } from 'node:http';
import { sql } from '../../server/src/platform/db/sql.ts';
import { ADMIN_PASSWORD, SCALE, SIZES } from '../generate/sizes.ts';
import { openRunning } from '../lib/database.ts';
import { atMost, type Figure, latency } from '../lib/figure.ts';
import { type Client, signIn } from '../lib/http.ts';
import { processorSeconds } from '../lib/processor.ts';
import type { BenchServer } from '../lib/server.ts';
import type { World } from '../lib/world.ts';

/** Rows of an imported file: the most that the server takes. */
const IMPORTED = 10_000;
/** Ten files, so 100,000 rows, at a million assets. */
const FILES = SCALE;
/** Memory in MiB that an export may add, independent of its length. */
const EXTRA_MEMORY = 50;
const MARK = 'bench-import-';

/**
 * A file of every session while the server's memory is watched, and files of new assets. The stage
 * `import` leaves the sessions out.
 */
export async function csv(world: World): Promise<Figure[]> {
  const server = await world.bigServer();
  const client = await signIn(server.url, 'admin', ADMIN_PASSWORD);
  try {
    const exported = world.stage === 'import' ? [] : await exportSessions(server, client);
    return [...exported, ...(await importAssets(server, client))];
  } finally {
    client.close();
  }
}

async function exportSessions(server: BenchServer, client: Client): Promise<Figure[]> {
  // The first one warms up what every later one needs as well.
  await download(server, client, `terminal/sessions/?format=csv&limit=${SIZES.sessions / 10}`);
  const before = server.memory();
  const all = await download(server, client, 'terminal/sessions/?format=csv');
  if (all.rows < SIZES.sessions)
    throw new Error(`the file has ${all.rows} rows instead of ${SIZES.sessions}`);
  return [
    {
      name: `Export of ${all.rows.toLocaleString('en')} sessions`,
      value: all.seconds,
      unit: 's',
      note: `${Math.round(all.bytes / 2 ** 20)} MiB`,
    },
    {
      name: 'Memory above that of a tenth of the rows, maximum',
      value: all.peak - before,
      unit: 'MiB',
      budget: atMost(EXTRA_MEMORY),
      note: `${Math.round(before)} MiB before, resident`,
    },
  ];
}

interface Download {
  readonly rows: number;
  readonly bytes: number;
  readonly seconds: number;
  /** The most memory that the server had, in MiB. */
  readonly peak: number;
}

function download(server: BenchServer, { token }: Client, path: string): Promise<Download> {
  const began = performance.now();
  let peak = server.memory();
  const watch = setInterval(() => {
    peak = Math.max(peak, server.memory());
  }, 100);
  return new Promise<Download>((done, fail) => {
    const sent = request(
      `${server.url}/api/v1/${path}`,
      { headers: { authorization: `Bearer ${token}` } },
      (response) => {
        if (response.statusCode !== 200) fail(new Error(`${path} answered ${response.statusCode}`));
        let rows = -1;
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          for (const byte of chunk) if (byte === 0x0a) rows++;
        });
        response.once('error', fail);
        response.once('end', () =>
          done({ rows, bytes, seconds: (performance.now() - began) / 1_000, peak }),
        );
      },
    );
    sent.once('error', fail);
    sent.end();
  }).finally(() => clearInterval(watch));
}

/** Imports assets while a client reads the first page of the list, and deletes them afterwards. */
async function importAssets(server: BenchServer, client: Client): Promise<Figure[]> {
  const memory = server.memory();
  const processor = processorSeconds(server.pid);
  const pages: number[] = [];
  let isImporting = true;
  const asking = async () => {
    while (isImporting) pages.push((await client.timed('assets/assets/?limit=15')).milliseconds);
  };
  server.loop.most();
  try {
    const others = asking();
    let seconds = 0;
    try {
      for (let file = 0; file < FILES; file++) seconds += await importFile(server, client, file);
    } finally {
      isImporting = false;
      await others;
    }
    const loop = server.loop.most();
    const rows = (IMPORTED * FILES).toLocaleString('en');
    return [
      {
        name: `Import of ${rows} assets`,
        value: seconds,
        unit: 's',
        budget: atMost(10 * FILES),
        note: FILES === 1 ? 'one file' : `${FILES} files, one after the other`,
      },
      {
        name: 'CPU of the server during it, with the lists',
        value: processorSeconds(server.pid) - processor,
        unit: 's',
      },
      {
        name: 'Memory that the import adds, maximum',
        value: loop.resident - memory,
        unit: 'MiB',
        note: `${Math.round(memory)} MiB before, resident`,
      },
      { name: 'Longest pause of the event loop during it', value: loop.blocked, unit: 'ms' },
      ...latency('First page of assets during it', pages),
    ];
  } finally {
    const database = openRunning(server.dataDirectory);
    // The deletion of 100,000 assets passes the limit of a statement.
    await database.db
      .transaction(async (tx) => {
        await sql`set local statement_timeout = 0`.execute(tx);
        await sql`delete from asset where hostname like ${`${MARK}%`}`.execute(tx);
      })
      .finally(() => database.close());
  }
}

async function importFile(server: BenchServer, { token }: Client, file: number): Promise<number> {
  const lines = Array.from({ length: IMPORTED }, (_, index) => {
    const i = file * IMPORTED + index;
    return `${MARK}${i},10.${i >> 14}.${(i >> 7) & 127}.${i & 127},Linux,"[""ssh/22""]",made for a measurement`;
  });
  const began = performance.now();
  const response = await fetch(`${server.url}/api/v1/assets/assets/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
    body: `*Hostname,*IP,*Platform,Protocols,Comment\r\n${lines.join('\r\n')}\r\n`,
  });
  const text = await response.text();
  const seconds = (performance.now() - began) / 1_000;
  if (response.status !== 201)
    throw new Error(`the import answered ${response.status}: ${text.slice(0, 300)}`);
  return seconds;
}
