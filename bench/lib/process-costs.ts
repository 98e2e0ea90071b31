import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { keystrokes } from './echo.ts';
import { type Figure, percentile } from './figure.ts';
import { databaseSeconds, serverMemory, serverSeconds } from './processor.ts';
import { type BenchServer, startServer } from './server.ts';
import { SshTerminal } from './ssh-terminal.ts';
import { busyClients, type Place, pgbench } from './statement-load.ts';
import type { World } from './world.ts';

const TURNS = 3;
const SECONDS = 3;
const CLIENTS = 8;
const DRAIN_MS = 1000;
const IDLE_COUNTS = [1, 2, 4, 8] as const;
const SETTLING_MS = 15_000;
const IDLE_SECONDS = 20;

/** A server of some processes, with what its clients need. */
interface Server extends BenchServer {
  readonly count: number;
  readonly privateKey: string;
  readonly place: Place;
}

const nameOf = (count: number) => (count === 1 ? '1 process' : `${count} processes`);

/** Rates of `pgbench -S` through the listener of each server, in turn. */
export async function statementsOf(servers: readonly Server[]): Promise<Figure[]> {
  const taken = servers.map((server) => ({
    server,
    rates: [] as number[],
    milliseconds: [] as number[],
  }));
  for (let turn = 0; turn < TURNS; turn++)
    for (const { server, rates, milliseconds } of taken) {
      const spent = () =>
        serverSeconds(server.pid, server.dataDirectory) + databaseSeconds(server.dataDirectory);
      const before = spent();
      const { rate, statements } = await pgbench(server.place, CLIENTS, SECONDS);
      await sleep(DRAIN_MS);
      rates.push(rate);
      milliseconds.push(((spent() - before) / statements) * 1000);
    }
  const note = `median of ${TURNS} runs of ${SECONDS} s`;
  return taken.flatMap(({ server: { count }, rates, milliseconds }): Figure[] => {
    const what = `pgbench -S, ${CLIENTS} clients, ${nameOf(count)}`;
    return [
      { name: what, value: percentile(rates, 0.5), unit: '/s', note },
      { name: `${what}, CPU of each`, value: percentile(milliseconds, 0.5), unit: 'ms' },
    ];
  });
}

/** Keystrokes over SSH, alone and next to busy clients of a database. */
export async function echoOf(server: Server): Promise<Figure[]> {
  const alone = await echo(server);
  const clients = busyClients(server.place, CLIENTS);
  await sleep(DRAIN_MS);
  const beside = await echo(server).finally(() => clients.stop());
  const figures = (what: string, samples: readonly number[]): Figure[] =>
    [0.5, 0.95].map((share) => ({
      name: `Echo of a keystroke, ${nameOf(server.count)}${what}, p${share * 100}`,
      value: percentile(samples, share),
      unit: 'ms',
    }));
  return [...figures('', alone), ...figures(`, next to ${CLIENTS} clients of pgbench -S`, beside)];
}

async function echo({ sshPort, privateKey, pid }: Server): Promise<readonly number[]> {
  const terminal = await SshTerminal.open({
    port: sshPort,
    username: 'admin@target@target',
    privateKey,
    from: '127.0.0.1',
    isKnown: () => true,
  });
  const { samples } = await keystrokes(
    (key) => terminal.type(key),
    (onOutput) => {
      terminal.onOutput = onOutput;
    },
    pid,
  );
  await terminal.close();
  return samples;
}

/** Memory and CPU of servers without clients. */
export async function idleCost(world: World): Promise<Figure[]> {
  const figures: Figure[] = [];
  const memory = new Map<number, number>();
  for (const count of IDLE_COUNTS) {
    const server = await startServer(world.folder(), ADMIN_PASSWORD, {
      environment: { SALLYPORT_PROCESSES: String(count) },
    });
    await sleep(SETTLING_MS);
    const spent = () => serverSeconds(server.pid, server.dataDirectory);
    const before = spent();
    await sleep(IDLE_SECONDS * 1000);
    const perMinute = ((spent() - before) / IDLE_SECONDS) * 60;
    memory.set(count, serverMemory(server.pid, server.dataDirectory));
    await server.stop();
    figures.push(
      {
        name: `Memory, idle, ${nameOf(count)}`,
        value: memory.get(count) ?? Number.NaN,
        unit: 'MiB',
        note: 'without the database; shared pages count once',
      },
      { name: `CPU, idle, ${nameOf(count)}`, value: perMinute, unit: 's/min' },
    );
  }
  const grown = (memory.get(8) ?? Number.NaN) - (memory.get(4) ?? Number.NaN);
  return [...figures, { name: 'Memory of one more process', value: grown / 4, unit: 'MiB' }];
}
