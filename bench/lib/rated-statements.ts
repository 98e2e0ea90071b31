import { setTimeout as sleep } from 'node:timers/promises';
import { RELAY, SYNC_RELAY } from './byte-relay.ts';
import { atLeast, atMost, type Figure, percentile } from './figure.ts';
import { type Place, readByCursor, type StatementRun } from './statement-load.ts';

const TURNS = 3;
const SECONDS = 3;
const WARM_UP_CLIENTS = 8;
const CURSOR_ROWS = 100_000;
const FETCH_ROWS = 100;
/** Time in which the journal reaches the database after the last statement. */
export const DRAIN_MS = 1000;

/** A way to a database. */
interface Way {
  readonly place: Place;
  /** CPU seconds so far of the program in between. */
  readonly spent: () => number;
}

/** The ways to one database that are compared in one run. */
export interface Ways {
  readonly direct: Place;
  readonly relay: Place;
  /** Through the least program with a durable log, if the folder is on a disk. */
  readonly floor?: Way | undefined;
  readonly ours: Way;
  /** CPU seconds so far of the bastion's own database. */
  readonly ownDatabase: () => number;
}

interface Load {
  readonly name: string;
  readonly clients: number;
  readonly run: (place: Place, clients: number, seconds: number) => Promise<StatementRun>;
}

/** Rates, and CPU for a statement in milliseconds, of the turns of one way. */
class Turns {
  readonly rates: number[] = [];
  readonly costs: number[] = [];

  get rate(): number {
    return percentile(this.rates, 0.5);
  }

  /** Other load on the machine only adds CPU, so the least is the truest. */
  get cost(): number {
    return Math.min(...this.costs);
  }
}

/**
 * Rates of small statements by each way, in turn, so that other load on the machine affects all.
 */
export async function rated({ name, clients, run }: Load, ways: Ways): Promise<Figure[]> {
  const { floor, ours } = ways;
  const [direct, relay, least, own, rows] = Array.from({ length: 5 }, () => new Turns()) as [
    Turns,
    Turns,
    Turns,
    Turns,
    Turns,
  ];
  // A program that has just started runs slowly until its code is compiled.
  for (const way of [floor, ours]) if (way) await run(way.place, WARM_UP_CLIENTS, SECONDS);
  for (let turn = 0; turn < TURNS; turn++) {
    direct.rates.push((await run(ways.direct, clients, SECONDS)).rate);
    relay.rates.push((await run(ways.relay, clients, SECONDS)).rate);
    for (const [way, turns] of [
      [floor, least],
      [ours, own],
    ] as const) {
      if (!way) continue;
      const [before, ownBefore] = [way.spent(), ways.ownDatabase()];
      const { rate, statements } = await run(way.place, clients, SECONDS);
      await sleep(DRAIN_MS);
      turns.rates.push(rate);
      turns.costs.push(((way.spent() - before) / statements) * 1000);
      if (way === ours) rows.costs.push(((ways.ownDatabase() - ownBefore) / statements) * 1000);
    }
  }
  const what = `${name}, ${clients === 1 ? '1 client' : `${clients} clients`}`;
  const note = `median of ${TURNS} runs of ${SECONDS} s`;
  const cpu = `least of ${TURNS} runs of ${SECONDS} s`;
  return [
    { name: `${what}, direct`, value: direct.rate, unit: '/s', note },
    { name: `${what}, ${RELAY}`, value: relay.rate, unit: '/s', note },
    ...(floor ? [{ name: `${what}, ${SYNC_RELAY}`, value: least.rate, unit: '/s', note }] : []),
    { name: `${what}, bastion`, value: own.rate, unit: '/s', note },
    { name: `${what}, bastion to direct`, value: (own.rate / direct.rate) * 100, unit: '%' },
    ...(floor
      ? [
          {
            name: `${what}, bastion to the ${SYNC_RELAY}`,
            value: (own.rate / least.rate) * 100,
            unit: '%',
            budget: atLeast(80),
          },
          {
            name: `${what}, CPU for a statement, ${SYNC_RELAY}`,
            value: least.cost,
            unit: 'ms',
            note: cpu,
          },
        ]
      : []),
    { name: `${what}, CPU for a statement, bastion`, value: own.cost, unit: 'ms', note: cpu },
    {
      name: `${what}, CPU for a statement, the bastion's database`,
      value: rows.cost,
      unit: 'ms',
      budget: atMost(0.03),
      note: cpu,
    },
    ...(floor
      ? [
          {
            name: `${what}, CPU for a statement, bastion to the ${SYNC_RELAY}`,
            value: own.cost / least.cost,
            unit: 'times',
            budget: atMost(2),
          },
        ]
      : []),
  ];
}

/** Times of a cursor by each way, in turn. `name` follows the name of each figure. */
export async function cursor(ways: Ways, name: string): Promise<Figure[]> {
  const { direct, relay, floor, ours } = ways;
  const places = { direct, [RELAY]: relay, [SYNC_RELAY]: floor?.place, bastion: ours.place };
  const times = new Map<string, number[]>();
  for (let turn = 0; turn < TURNS; turn++)
    for (const [way, place] of Object.entries(places))
      if (place)
        times.set(way, [
          ...(times.get(way) ?? []),
          await readByCursor(place, CURSOR_ROWS, FETCH_ROWS),
        ]);
  const time = (way: string) => percentile(times.get(way) ?? [], 0.5);
  const what = `A cursor of ${CURSOR_ROWS.toLocaleString('en')} rows by ${FETCH_ROWS}${name}`;
  const note = `psql, median of ${TURNS}, connecting included`;
  const to = (way: string) => time('bastion') / time(way);
  return [
    ...[...times.keys()].map((way) => ({
      name: `${what}, ${way}`,
      value: time(way),
      unit: 'ms',
      note,
    })),
    {
      name: `${what}, bastion to direct`,
      value: to('direct'),
      unit: 'times',
      ...(!floor && { budget: atMost(2) }),
    },
    ...(floor
      ? [
          {
            name: `${what}, bastion to the ${SYNC_RELAY}`,
            value: to(SYNC_RELAY),
            unit: 'times',
            budget: atMost(1.5),
          },
        ]
      : []),
  ];
}
