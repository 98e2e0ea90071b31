import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSegment } from '../../server/src/platform/journal/segment-file.ts';
import { RELAY, startByteRelay } from './byte-relay.ts';
import { echoBastion } from './echo.ts';
import { atLeast, atMost, type Budget, type Figure, percentile } from './figure.ts';
import { processorSeconds } from './processor.ts';
import {
  busyClients,
  databaseSeconds,
  mariadbSlap,
  type Place,
  pgbench,
  readByCursor,
  type StatementRun,
} from './statement-load.ts';
import type { TargetedServer } from './target.ts';

const TURNS = 3;
const SECONDS = 3;
const CURSOR_ROWS = 100_000;
const FETCH_ROWS = 100;
const SYNCS = 200;
/** Time in which the journal reaches the database after the last statement. */
const DRAIN_MS = 1000;

/** The same two databases, reached directly or through the bastion. */
export interface Routes {
  readonly postgresql: Place;
  readonly mysql: Place;
}

type Load = (place: Place, clients: number, seconds: number) => Promise<StatementRun>;

interface Rated {
  readonly name: string;
  readonly load: Load;
  readonly clients: number;
  readonly direct: Place;
  /** The same through a relay of bytes. */
  readonly relay?: Place;
  readonly ours: Place;
  /** Lower bound of our rate to the direct one, in percent. */
  readonly budget?: Budget;
  /** CPU seconds so far of the bastion with its own database. */
  readonly spent?: () => number;
}

/**
 * Rates of small statements, and a cursor, next to the same clients without the bastion; the data
 * folder is in memory, so they show the program and not the disk. Then keystrokes next to them.
 */
export async function statementRates(
  direct: Routes,
  ours: Routes,
  target: TargetedServer,
): Promise<Figure[]> {
  const { server } = target;
  const spent = () => processorSeconds(server.pid) + databaseSeconds(server.dataDirectory);
  const relays = [
    await startByteRelay(direct.postgresql.port),
    await startByteRelay(direct.mysql.port),
  ] as const;
  const postgresql = {
    load: pgbench,
    direct: direct.postgresql,
    relay: { ...direct.postgresql, port: relays[0].port },
    ours: ours.postgresql,
    spent,
  };
  const mysql = {
    load: mariadbSlap,
    direct: direct.mysql,
    relay: { ...direct.mysql, port: relays[1].port },
    ours: ours.mysql,
  };
  try {
    return [
      ...(await rated({ ...postgresql, name: 'pgbench -S', clients: 1, budget: atLeast(53) })),
      ...(await rated({ ...postgresql, name: 'pgbench -S', clients: 8, budget: atLeast(35) })),
      ...(await rated({ ...mysql, name: 'MariaDB point select', clients: 1, budget: atLeast(50) })),
      ...(await rated({ ...mysql, name: 'MariaDB point select', clients: 8, budget: atLeast(28) })),
      ...(await cursor(postgresql)),
      ...(await echoes(target, ours.postgresql)),
    ];
  } finally {
    for (const relay of relays) await relay.stop();
  }
}

/** Rates of statements with a data folder on the disk, where each answer waits for a sync. */
export async function ratesOnDisk(direct: Routes, ours: Routes, folder: string): Promise<Figure[]> {
  const load = { load: pgbench, direct: direct.postgresql, ours: ours.postgresql };
  const { appended, inSteps } = await syncMilliseconds(join(folder, 'recordings'));
  const note = `400 bytes, median of ${SYNCS}, in turn`;
  return [
    { name: 'A synced write that appends to a file', value: appended, unit: 'ms', note },
    { name: 'A synced write to a segment of the journal', value: inSteps, unit: 'ms', note },
    ...(await rated({ ...load, name: 'pgbench -S on the disk', clients: 1 })),
    ...(await rated({ ...load, name: 'pgbench -S on the disk', clients: 8 })),
  ];
}

async function rated(options: Rated): Promise<Figure[]> {
  const { name, load, clients, direct, relay, ours, budget, spent } = options;
  const [theirs, passed]: [number[], number[]] = [[], []];
  const [through, costs]: [number[], number[]] = [[], []];
  // Alternating, so that other load on the machine affects both.
  for (let turn = 0; turn < TURNS; turn++) {
    theirs.push((await load(direct, clients, SECONDS)).rate);
    if (relay) passed.push((await load(relay, clients, SECONDS)).rate);
    const before = spent?.() ?? Number.NaN;
    const { rate, statements } = await load(ours, clients, SECONDS);
    await sleep(DRAIN_MS);
    through.push(rate);
    costs.push((((spent?.() ?? Number.NaN) - before) / statements) * 1000);
  }
  const what = `${name}, ${clients === 1 ? '1 client' : `${clients} clients`}`;
  const rate = (of: readonly number[]) => percentile(of, 0.5);
  const note = `median of ${TURNS} runs of ${SECONDS} s`;
  return [
    { name: `${what}, direct`, value: rate(theirs), unit: '/s', note },
    ...(relay ? [{ name: `${what}, ${RELAY}`, value: rate(passed), unit: '/s', note }] : []),
    { name: `${what}, bastion`, value: rate(through), unit: '/s', note },
    {
      name: `${what}, bastion to direct`,
      value: (rate(through) / rate(theirs)) * 100,
      unit: '%',
      ...(budget && { budget }),
    },
    ...(spent
      ? [
          {
            name: `${what}, CPU for a statement`,
            value: percentile(costs, 0.5),
            unit: 'ms',
            budget: atMost(0.15),
            note: 'of the bastion and its own database',
          },
        ]
      : []),
  ];
}

async function cursor({
  direct,
  relay,
  ours,
}: Required<Pick<Rated, 'direct' | 'relay' | 'ours'>>): Promise<Figure[]> {
  const [theirs, passed, through]: [number[], number[], number[]] = [[], [], []];
  for (let turn = 0; turn < TURNS; turn++)
    for (const [place, times] of [
      [direct, theirs],
      [relay, passed],
      [ours, through],
    ] as const)
      times.push(await readByCursor(place, CURSOR_ROWS, FETCH_ROWS));
  const [near, far] = [percentile(theirs, 0.5), percentile(through, 0.5)];
  const what = `A cursor of ${CURSOR_ROWS.toLocaleString('en')} rows by ${FETCH_ROWS}`;
  return [
    { name: `${what}, direct`, value: near, unit: 'ms', note: `psql, median of ${TURNS}` },
    { name: `${what}, ${RELAY}`, value: percentile(passed, 0.5), unit: 'ms' },
    { name: `${what}, bastion`, value: far, unit: 'ms', note: 'connecting included' },
    { name: `${what}, bastion to direct`, value: far / near, unit: 'times', budget: atMost(2) },
  ];
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
  const file = await open(join(folder, '.appended'), 'a');
  const segment = await createSegment(join(folder, '.in-steps'));
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
