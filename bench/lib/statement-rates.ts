import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSegment } from '../../server/src/platform/journal/segment-file.ts';
import { startByteRelay, startSyncRelay } from './byte-relay.ts';
import { echoBastion } from './echo.ts';
import { type Figure, percentile } from './figure.ts';
import { databaseSeconds, processorSeconds } from './processor.ts';
import { cursor, DRAIN_MS, rated, type Ways } from './rated-statements.ts';
import { busyClients, mariadbSlap, type Place, pgbench } from './statement-load.ts';
import type { TargetedServer } from './target.ts';

const SYNCS = 200;

/** The same two databases, reached directly or through the bastion. */
export interface Routes {
  readonly postgresql: Place;
  readonly mysql: Place;
}

/**
 * Rates of small statements, and a cursor, next to the same clients without the bastion and
 * through the least programs; each answer waits for a sync of the disk. Then keystrokes next to
 * them.
 */
export async function ratesOnDisk(
  direct: Routes,
  ours: Routes,
  target: TargetedServer,
  folder: string,
): Promise<Figure[]> {
  const { appended, inSteps } = await syncMilliseconds(folder);
  const note = `400 bytes, median of ${SYNCS}, in turn`;
  return [
    { name: 'A synced write that appends to a file', value: appended, unit: 'ms', note },
    { name: 'A synced write to a segment of the journal', value: inSteps, unit: 'ms', note },
    ...(await rates({ direct, ours, target, folder }, '')),
    ...(await echoes(target, ours.postgresql)),
  ];
}

/**
 * The same with the data folder in memory, where a sync takes no time: they show the program and
 * not the disk.
 */
export const ratesInMemory = (
  direct: Routes,
  ours: Routes,
  target: TargetedServer,
): Promise<Figure[]> => rates({ direct, ours, target }, ', folder in memory');

interface Compared {
  readonly direct: Routes;
  readonly ours: Routes;
  readonly target: TargetedServer;
  /** Folder on the disk for the log of the relay with a sync. */
  readonly folder?: string;
}

async function rates({ direct, ours, target, folder }: Compared, name: string): Promise<Figure[]> {
  const postgresql = await openWays(direct.postgresql, ours.postgresql, target, folder);
  const mysql = await openWays(direct.mysql, ours.mysql, target, folder);
  const selects = { name: `pgbench -S${name}`, run: pgbench };
  const points = { name: `MariaDB point select${name}`, run: mariadbSlap };
  try {
    return [
      ...(await rated({ ...selects, clients: 1 }, postgresql.ways)),
      ...(await rated({ ...selects, clients: 8 }, postgresql.ways)),
      ...(await rated({ ...points, clients: 1 }, mysql.ways)),
      ...(await rated({ ...points, clients: 8 }, mysql.ways)),
      ...(await cursor(postgresql.ways, name)),
    ];
  } finally {
    await postgresql.stop();
    await mysql.stop();
  }
}

async function openWays(
  direct: Place,
  ours: Place,
  { server }: TargetedServer,
  folder: string | undefined,
): Promise<{ readonly ways: Ways; stop(): Promise<void> }> {
  const relay = await startByteRelay(direct.port);
  const floor =
    folder === undefined
      ? undefined
      : await startSyncRelay(direct.port, join(folder, `relay-${direct.port}.log`));
  return {
    ways: {
      direct,
      relay: { ...direct, port: relay.port },
      floor: floor && { place: { ...direct, port: floor.port }, spent: floor.spent },
      ours: { place: ours, spent: () => processorSeconds(server.pid) },
      ownDatabase: () => databaseSeconds(server.dataDirectory),
    },
    async stop() {
      await relay.stop();
      await floor?.stop();
    },
  };
}

/** Keystrokes in a terminal of the bastion, alone and next to eight busy clients. */
async function echoes(target: TargetedServer, ours: Place): Promise<Figure[]> {
  const alone = await echoBastion(target);
  const clients = busyClients(ours, 8);
  await sleep(DRAIN_MS);
  const beside = await echoBastion(target).finally(() => clients.stop());
  return [
    ...echoFigures('Echo of a keystroke, no other client', alone.samples),
    ...echoFigures('Echo of a keystroke next to 8 clients of pgbench -S', beside.samples),
  ];
}

function echoFigures(name: string, samples: readonly number[]): Figure[] {
  return [
    { name: `${name}, p50`, value: percentile(samples, 0.5), unit: 'ms' },
    { name: `${name}, p99`, value: percentile(samples, 0.99), unit: 'ms' },
  ];
}

/** Median times of a synced write at the end of a file, and of one in a segment of the journal. */
async function syncMilliseconds(folder: string): Promise<Record<'appended' | 'inSteps', number>> {
  const bytes = Buffer.alloc(400, 'x');
  const file = await open(join(folder, 'appended'), 'a');
  const segment = await createSegment(join(folder, 'in-steps'));
  const times: Record<'appended' | 'inSteps', number[]> = { appended: [], inSteps: [] };
  const timed = async (name: keyof typeof times, write: () => Promise<unknown>) => {
    const began = performance.now();
    await write();
    times[name].push(performance.now() - began);
  };
  for (let turn = 0; turn < SYNCS; turn++) {
    await timed('appended', () => file.appendFile(bytes).then(() => file.datasync()));
    await timed('inSteps', () => segment.append(bytes, turn * bytes.length));
  }
  await file.close();
  await segment.close(SYNCS * bytes.length);
  return {
    appended: percentile(times.appended, 0.5),
    inSteps: percentile(times.inSteps, 0.5),
  };
}
