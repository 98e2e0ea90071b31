import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { repeat, startHostileServer } from '../../server/src/testing/hostile/hostile-server.ts';
import { floodOf, TERMINAL_FLOODS } from '../../server/src/testing/hostile/terminal-output.ts';
import { startHostileServer as startSshTarget } from '../../server/src/testing/ssh/hostile-ssh.ts';
import { addTarget, type Login } from '../lib/attacks.ts';
import { echoBastion } from '../lib/echo.ts';
import { atMost, type Figure, percentile } from '../lib/figure.ts';
import { startTargeted, type TargetedServer } from '../lib/target.ts';
import { BastionTerminal } from '../lib/terminal.ts';
import type { World } from '../lib/world.ts';

/** With the session that is measured, as many as a user may have. */
const SESSIONS = 199;
const OPENED_AT_ONCE = 10;
const SETTLE_MS = 8_000;
const FLOOD = 256 * 1024;
const MAX_MORE_MIB = 64;
const MAX_BLOCK_MS = 50;
const MAX_ECHO_TIMES = 3;

const PROTOCOLS = ['ssh', 'telnet'] as const;
type Protocol = (typeof PROTOCOLS)[number];

/** A way to write to the terminal of each new session. */
type Program = (send: (bytes: Buffer) => boolean, onDrain: (more: () => void) => void) => void;

const LINE = Buffer.from('an ordinary line of a program that prints its progress\r\n');
/** Prints a few screens, and then a line each second. */
const ordinary: Program = (send) => {
  for (let line = 0; line < 400; line++) send(LINE);
  const timer = setInterval(() => {
    if (!send(LINE)) clearInterval(timer);
  }, 1000);
  timer.unref();
};
const floods = TERMINAL_FLOODS.map((flood) => floodOf(flood, FLOOD));
let next = 0;
/** Sends one flood of the table for ever, as fast as the gateway reads. */
const hostile: Program = (send, onDrain) => {
  const flood = floods[next++ % floods.length] ?? LINE;
  const more = () => {
    while (send(flood));
    onDrain(more);
  };
  more();
};

async function startTarget(protocol: Protocol, program: Program) {
  if (protocol === 'ssh')
    return startSshTarget((channel) =>
      program(
        (bytes) => channel.writable && channel.write(bytes),
        (more) => channel.once('drain', more),
      ),
    );
  const serve = (socket: Socket) => {
    socket.resume().write('login: ');
    let lines = 0;
    socket.on('data', () => {
      lines += 1;
      if (lines === 1) socket.write('Password: ');
      if (lines !== 2) return;
      socket.write('\r\nLast login: today\r\n$ ');
      setTimeout(() => {
        if (program === hostile) repeat(socket, floods[next++ % floods.length] ?? LINE);
        else
          program(
            (bytes) => socket.writable && socket.write(bytes),
            () => undefined,
          );
      }, 500);
    });
  };
  return startHostileServer(serve);
}

interface Outcome {
  /** Resident memory with the sessions, in MiB. */
  readonly memory: number;
  /** Longest block of the event loop by computing, in milliseconds. */
  readonly block: number;
  readonly echoBefore: number;
  readonly echo: number;
}

async function openAll(target: TargetedServer, login: Login): Promise<BastionTerminal[]> {
  const { server, client } = target;
  const opened: BastionTerminal[] = [];
  for (let count = 0; count < SESSIONS; count += OPENED_AT_ONCE) {
    const some = Array.from({ length: Math.min(OPENED_AT_ONCE, SESSIONS - count) }, () =>
      BastionTerminal.open(server.url, client.token, login),
    );
    opened.push(...(await Promise.all(some)));
  }
  return opened;
}

async function run(world: World, protocol: Protocol, program: Program): Promise<Outcome> {
  const target = await startTargeted(world, { watchesLoop: true });
  const other = await startTarget(protocol, program);
  try {
    await target.client.patch('settings/setting/', {
      security: { SECURITY_MAX_SESSIONS: SESSIONS + 1 },
    });
    const login = await addTarget(target, other, 'other', protocol);
    const before = await echoBastion(target);
    const sessions = await openAll(target, login);
    await sleep(SETTLE_MS);
    target.server.loop.most();
    const during = await echoBastion(target);
    const { resident, computed } = target.server.loop.most();
    const outcome = {
      memory: resident,
      block: computed,
      echoBefore: percentile(before.samples, 0.99),
      echo: percentile(during.samples, 0.99),
    };
    world.say(
      `  ${protocol}, ${program === hostile ? 'hostile' : 'well-behaved'}: ${JSON.stringify(outcome)}`,
    );
    await Promise.allSettled(sessions.map((session) => session.close()));
    return outcome;
  } finally {
    await other.stop();
    await target.stop();
  }
}

/**
 * Sessions of targets that flood their terminals, next to as many of well-behaved targets: memory
 * of the server, its event loop, and the echo of another session.
 */
export async function hostileSessions(world: World): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const protocol of PROTOCOLS.filter((one) => !world.stage || one === world.stage)) {
    const good = await run(world, protocol, ordinary);
    const bad = await run(world, protocol, hostile);
    figures.push(
      {
        name: `${protocol}: memory more than with well-behaved sessions`,
        value: bad.memory - good.memory,
        unit: 'MiB',
        budget: atMost(MAX_MORE_MIB),
        note: `${bad.memory.toFixed(0)} and ${good.memory.toFixed(0)} MiB`,
      },
      {
        name: `${protocol}: event loop blocked by computing, longest`,
        value: bad.block,
        unit: 'ms',
        budget: atMost(MAX_BLOCK_MS),
        note: `${good.block.toFixed(0)} ms with well-behaved sessions`,
      },
      {
        name: `${protocol}: echo of another session, p99, times its value before`,
        value: bad.echo / bad.echoBefore,
        unit: '×',
        budget: atMost(MAX_ECHO_TIMES),
        note: `${bad.echo.toFixed(1)} and ${bad.echoBefore.toFixed(1)} ms; ${good.echo.toFixed(1)} ms with well-behaved sessions`,
      },
    );
  }
  return figures;
}
