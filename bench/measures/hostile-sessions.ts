import { setTimeout as sleep } from 'node:timers/promises';
import { addTarget } from '../lib/attacks.ts';
import { echoBastion } from '../lib/echo.ts';
import { atMost, type Figure, percentile } from '../lib/figure.ts';
import { startPart } from '../lib/part-process.ts';
import { startTargeted } from '../lib/target.ts';
import type { TerminalClientsOptions } from '../lib/terminal-clients-process.ts';
import type { TerminalTargetOptions } from '../lib/terminal-flood-process.ts';
import type { World } from '../lib/world.ts';

/** With the session that is measured, as many as a user may have. */
const SESSIONS = 199;
const SETTLE_MS = 8_000;
const MAX_MORE_MIB = 64;
const MAX_BLOCK_MS = 50;
const MAX_ECHO_TIMES = 3;

const PROTOCOLS = ['ssh', 'telnet'] as const;
type Protocol = (typeof PROTOCOLS)[number];

interface Outcome {
  /** Resident memory with the sessions, in MiB. */
  readonly memory: number;
  /** Longest block of the event loop by computing, in milliseconds. */
  readonly block: number;
  readonly echoBefore: number;
  readonly echo: number;
}

/** Only the server runs in its process, and the echo in this one; the other parts yield to them. */
async function run(world: World, protocol: Protocol, isHostile: boolean): Promise<Outcome> {
  const target = await startTargeted(world, { watchesLoop: true });
  const { server, client } = target;
  const options: TerminalTargetOptions = { protocol, isHostile };
  const other = await startPart<{ port: number }>('terminal-flood-process.ts', options);
  try {
    await client.patch('settings/setting/', {
      security: { SECURITY_MAX_SESSIONS: SESSIONS + 1 },
    });
    const login = await addTarget(target, other.answer, 'other', protocol);
    const before = await echoBastion(target);
    const clients: TerminalClientsOptions = {
      url: server.url,
      token: client.token,
      login,
      count: SESSIONS,
    };
    const sessions = await startPart('terminal-clients-process.ts', clients);
    await sleep(SETTLE_MS);
    server.loop.most();
    const during = await echoBastion(target);
    const { resident, computed, heap, external } = server.loop.most();
    await sessions.stop();
    const outcome = {
      memory: resident,
      block: computed,
      echoBefore: percentile(before.samples, 0.99),
      echo: percentile(during.samples, 0.99),
    };
    world.say(
      `  ${protocol}, ${isHostile ? 'hostile' : 'well-behaved'}: ${JSON.stringify({ ...outcome, heap, external })}`,
    );
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
    const good = await run(world, protocol, false);
    const bad = await run(world, protocol, true);
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
