import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ECHO, keystrokes, type Listen, outputHas } from '../lib/echo.ts';
import { atLeast, atMost, type Figure, percentile } from '../lib/figure.ts';
import { ended, type Route, type Routes, startRoutes } from '../lib/routes.ts';
import { startTargeted } from '../lib/target.ts';
import type { World } from '../lib/world.ts';

const MEBIBYTES = 256;
const PROMPTS = 7;
const ECHOES = 2;
const RUNS = 5;

/** Samples of one route. */
interface Taken {
  readonly prompts: number[];
  readonly commands: number[];
  readonly echoes: number[];
  readonly down: Run[];
  readonly up: Run[];
}

interface Run {
  /** MiB a second, connecting left out. */
  readonly rate: number;
  /** CPU seconds of the bastion for each gibibyte; not a number for the jump host. */
  readonly cost: number;
}

/**
 * Shells and commands through the SSH listener, by its long names and with `-J`. Next to them: the
 * client alone, and `-J` through a jump host of OpenSSH to the same sshd. `options` are lines of
 * the client's configuration.
 */
export async function listener(world: World, options: readonly string[] = []): Promise<Figure[]> {
  const target = await startTargeted(world, { withSsh: true });
  const folder = world.folder();
  const routes = await startRoutes(target, folder, options);
  try {
    await writeFile(join(target.sshd.home, '.bash_profile'), "PS1='ready> '\n", { mode: 0o644 });
    const file = join(folder, 'big');
    await writeFile(file, randomBytes(MEBIBYTES * 2 ** 20), { mode: 0o644 });
    const { straight, relay, jumpHost, bastion, bastionJump } = routes;
    const all = [straight, relay, jumpHost, bastion, bastionJump];
    const taken = new Map<Route, Taken>(
      all.map((route) => [route, { prompts: [], commands: [], echoes: [], down: [], up: [] }]),
    );
    // The first connection remembers host keys and loads what later ones share. All routes in turn,
    // so that other load on the machine affects each.
    const eachInTurn = async (
      times: number,
      work: (route: Route, into: Taken) => Promise<unknown>,
    ) => {
      for (let turn = 0; turn < times; turn++)
        for (const [route, into] of taken) await work(route, into);
    };
    await eachInTurn(1, (route) => firstPrompt(routes, route));
    await eachInTurn(PROMPTS, async (route, { prompts }) =>
      prompts.push(await firstPrompt(routes, route)),
    );
    await eachInTurn(ECHOES, async (route, { echoes }) =>
      echoes.push(...(await echo(routes, route))),
    );
    await eachInTurn(RUNS, async (route, { commands, down, up }) => {
      const connecting = await command(routes, route, 'true');
      commands.push(connecting);
      down.push(await bulk(routes, route, connecting, 'down', file));
      up.push(await bulk(routes, route, connecting, 'up', file));
    });
    const peer = taken.get(jumpHost);
    if (!peer) throw new Error('the jump host was not measured');
    return [...taken].flatMap(([route, one]) =>
      figuresOf(route, one, route.cost ? peer : undefined),
    );
  } finally {
    await routes.stop();
    await target.stop();
  }
}

function figuresOf({ name }: Route, taken: Taken, peer: Taken | undefined): Figure[] {
  const median = (values: readonly number[]) => percentile(values, 0.5);
  const typical = percentile(taken.echoes, 0.5);
  const ways = (['down', 'up'] as const).flatMap((way): Figure[] => {
    const rate = (of: Taken) => median(of[way].map((run) => run.rate));
    const what = `${way === 'down' ? 'Download' : 'Upload'}, ${name}`;
    const note = `${MEBIBYTES} MiB of random bytes without a pseudo-terminal, median of ${RUNS}, connecting left out`;
    return [
      { name: what, value: rate(taken), unit: 'MiB/s', note },
      ...(peer
        ? [
            {
              name: `${what}, to the jump host`,
              value: (rate(taken) / rate(peer)) * 100,
              unit: '%',
              budget: atLeast(80),
            },
          ]
        : []),
      ...(peer
        ? [
            {
              name: `${what}, CPU for a GiB`,
              value: median(taken[way].map((run) => run.cost)),
              unit: 's',
              note: 'of the server, with every encryption',
            },
          ]
        : []),
    ];
  });
  return [
    {
      name: `First prompt, ${name}`,
      value: median(taken.prompts),
      unit: 'ms',
      note: `from starting the client, median of ${PROMPTS}`,
    },
    {
      name: `A command, ${name}`,
      value: median(taken.commands),
      unit: 'ms',
      note: `true, from starting the client, median of ${RUNS}`,
    },
    { name: `Echo of a keystroke, ${name}, p50`, value: typical, unit: 'ms' },
    {
      name: `Echo of a keystroke, ${name}, p99`,
      value: percentile(taken.echoes, 0.99),
      unit: 'ms',
    },
    ...(peer
      ? [
          {
            name: `Echo of a keystroke, ${name}, more than the jump host`,
            value: typical - percentile(peer.echoes, 0.5),
            unit: 'ms',
            budget: atMost(1),
          },
        ]
      : []),
    ...ways,
  ];
}

/** Milliseconds from starting the client to the prompt of the shell. */
async function firstPrompt(routes: Routes, route: Route): Promise<number> {
  const began = performance.now();
  const child = routes.open(route, ['-tt'], 'pipe', 'pipe');
  const listen: Listen = (onOutput) => child.stdout?.on('data', onOutput);
  await outputHas('ready> ', listen);
  const milliseconds = performance.now() - began;
  child.stdin?.write('exit\r');
  await ended(child);
  return milliseconds;
}

/** Milliseconds from each key to its echo in a shell. */
async function echo(routes: Routes, route: Route): Promise<readonly number[]> {
  const child = routes.open(route, ['-tt'], 'pipe', 'pipe');
  const listen: Listen = (onOutput) => {
    child.stdout?.removeAllListeners('data');
    child.stdout?.on('data', onOutput);
  };
  await outputHas('ready> ', listen);
  const ready = outputHas('ready.', listen);
  child.stdin?.write(`${ECHO}\r`);
  await ready;
  const { samples } = await keystrokes((key) => child.stdin?.write(key), listen, child.pid);
  const closed = once(child, 'close');
  child.kill();
  await closed;
  return samples;
}

/** Milliseconds of a command without a pseudo-terminal, connecting included. */
async function command(
  routes: Routes,
  route: Route,
  line: string,
  input: 'ignore' | number = 'ignore',
): Promise<number> {
  const began = performance.now();
  await ended(routes.open(route, ['-T', line], input, 'ignore'));
  return performance.now() - began;
}

async function bulk(
  routes: Routes,
  route: Route,
  connecting: number,
  way: 'down' | 'up',
  file: string,
): Promise<Run> {
  const before = route.cost?.() ?? Number.NaN;
  const input = way === 'up' ? await open(file) : undefined;
  const milliseconds = await command(
    routes,
    route,
    way === 'up' ? 'cat > /dev/null' : `cat ${file}`,
    input?.fd ?? 'ignore',
  );
  await input?.close();
  return {
    rate: MEBIBYTES / ((milliseconds - connecting) / 1000),
    cost: (((route.cost?.() ?? Number.NaN) - before) * 1024) / MEBIBYTES,
  };
}
