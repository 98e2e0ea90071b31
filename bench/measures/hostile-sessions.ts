import { setTimeout as sleep } from 'node:timers/promises';
import { addTarget } from '../lib/attacks.ts';
import { echoBastion } from '../lib/echo.ts';
import { atMost, type Figure, percentile } from '../lib/figure.ts';
import {
  HANDSHAKES,
  type HostileTarget,
  type MeasuredProtocol,
} from '../lib/hostile-targets-process.ts';
import { startUsers, wrongEnds } from '../lib/hostile-world.ts';
import { type PartProcess, startPart } from '../lib/part-process.ts';
import { machineSeconds, processorSeconds } from '../lib/processor.ts';
import { startTargeted, type TargetedServer } from '../lib/target.ts';
import type { TerminalClientsOptions } from '../lib/terminal-clients-process.ts';
import type { World } from '../lib/world.ts';

/** With the session that is measured, as many as a user may have. */
const SESSIONS = 199;
const SETTLE_MS = 8_000;
/** Time for the last rows of sessions whose users have left. */
const END_MS = 3_000;
const MAX_MORE_MIB = 64;
const MAX_BLOCK_MS = 50;
const MAX_ECHO_TIMES = 3;

/** Targets that flood their terminals without end. */
const TERMINALS = ['ssh', 'telnet'] as const;
/** Targets of which each attacks in its way, from its first byte on. */
const OTHERS = ['sftp', 'postgresql', 'mysql', 'redis', 'vnc', 'rdp', ...HANDSHAKES] as const;
type Protocol = (typeof TERMINALS)[number] | MeasuredProtocol;

interface Outcome {
  /** Resident memory with the sessions, in MiB. */
  readonly memory: number;
  /** Longest block of the event loop by computing, in milliseconds. */
  readonly block: number;
  /** Echo without the time in which its processes waited for a processor, in milliseconds. */
  readonly echoBefore: number;
  readonly echo: number;
  /** The same with that time. */
  readonly wall: number;
  /** Processors that other processes used while the echo was measured. */
  readonly others: number;
  /** Sessions that ended, and the reasons that are not those of their targets. */
  readonly ends: { readonly ended: number; readonly wrong: readonly string[] } | undefined;
}

const isTerminal = (protocol: Protocol): protocol is (typeof TERMINALS)[number] =>
  TERMINALS.some((one) => one === protocol);

/** Starts the targets of a protocol, and returns a function that starts their users. */
async function startTargets(target: TargetedServer, protocol: Protocol, isHostile: boolean) {
  const { server, client } = target;
  if (isTerminal(protocol)) {
    const options = { protocol, isHostile };
    const flood = await startPart<{ port: number }>('terminal-flood-process.ts', options);
    const login = await addTarget(target, flood.answer, 'other', protocol);
    const clients: TerminalClientsOptions = {
      url: server.url,
      token: client.token,
      login,
      count: SESSIONS,
    };
    const start = () => startPart('terminal-clients-process.ts', clients);
    return { part: flood, targets: [], start };
  }
  const part = await startPart<HostileTarget[]>('hostile-targets-process.ts', {
    protocol,
    isHostile,
  });
  const start = (): Promise<PartProcess<unknown>> =>
    startUsers(target, protocol, part.answer, SESSIONS);
  return { part, targets: part.answer, start };
}

/** Only the server runs in its process, and the echo in this one; the other parts yield to them. */
async function run(world: World, protocol: Protocol, isHostile: boolean): Promise<Outcome> {
  const target = await startTargeted(world, { watchesLoop: true, withSsh: protocol === 'sftp' });
  const { server, client } = target;
  await client.patch('settings/setting/', { security: { SECURITY_MAX_SESSIONS: SESSIONS + 1 } });
  const { part, targets, start } = await startTargets(target, protocol, isHostile);
  try {
    const before = await echoBastion(target);
    const sessions = await start();
    await sleep(SETTLE_MS);
    server.loop.most();
    const [all, own, began] = [machineSeconds(), processorSeconds(server.pid), performance.now()];
    const during = await echoBastion(target);
    const seconds = (performance.now() - began) / 1000;
    const used = machineSeconds() - all - (processorSeconds(server.pid) - own);
    const { resident, computed } = server.loop.most();
    await sessions.stop();
    await sleep(END_MS);
    const outcome = {
      memory: resident,
      block: computed,
      echoBefore: percentile(before.unqueued, 0.99),
      echo: percentile(during.unqueued, 0.99),
      wall: percentile(during.samples, 0.99),
      others: used / seconds,
      ends: targets.length > 0 ? await wrongEnds(client, targets) : undefined,
    };
    const kind = isHostile ? 'hostile' : 'well-behaved';
    world.say(`  ${protocol}, ${kind}: ${JSON.stringify(outcome)}`);
    return outcome;
  } finally {
    await part.stop();
    await target.stop();
  }
}

const figuresOf = (protocol: Protocol, good: Outcome, bad: Outcome): Figure[] => [
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
    note:
      `${bad.echo.toFixed(1)} and ${bad.echoBefore.toFixed(1)} ms; ${good.echo.toFixed(1)} ms with ` +
      `well-behaved sessions; without waits for a processor, of which other processes used ` +
      `${bad.others.toFixed(1)}; ${bad.wall.toFixed(1)} ms with waits`,
  },
  ...(bad.ends
    ? [
        {
          name: `${protocol}: reasons of ended sessions that are not the true one`,
          value: bad.ends.wrong.length,
          unit: '',
          budget: atMost(0),
          note: `of ${bad.ends.ended} sessions`,
        },
      ]
    : []),
];

/**
 * Sessions of hostile targets, next to as many of well-behaved targets: memory of the server, its
 * event loop, the echo of another session, and the reasons with which the sessions end.
 */
export async function hostileSessions(world: World): Promise<Figure[]> {
  const figures: Figure[] = [];
  const protocols: readonly Protocol[] = [...TERMINALS, ...OTHERS];
  for (const protocol of protocols.filter((one) => !world.stage || one === world.stage)) {
    const good = await run(world, protocol, false);
    figures.push(...figuresOf(protocol, good, await run(world, protocol, true)));
  }
  return figures;
}
