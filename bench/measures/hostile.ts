import { setTimeout as sleep } from 'node:timers/promises';
import type { LoopSample } from '../../server/src/platform/loop-delay.ts';
import { ATTACKS, type Attack, prepareStage } from '../lib/attacks.ts';
import { atMost, type Figure } from '../lib/figure.ts';
import { startIdleProcess } from '../lib/loop.ts';
import { startTargeted } from '../lib/target.ts';
import type { World } from '../lib/world.ts';

const SHORT_SECONDS = 90;
const LONG_SECONDS = 30 * 60;
const MOST_MEMORY = 400;
const MOST_DELAY = 250;
/** The server writes about itself twice a second. */
const WRITTEN_MS = 1200;

interface Stretch extends LoopSample {
  readonly name: string;
  /** The longest that an idle process was kept waiting in the same time. */
  readonly idle: number;
}

/**
 * Everything that a target or a client can do wrong, one after the other and then at once, while
 * the memory of the server and its event loop are watched.
 */
export async function hostile(world: World): Promise<Figure[]> {
  const seconds = world.isLong ? LONG_SECONDS : SHORT_SECONDS;
  const chosen = ATTACKS.filter(({ name }) => name.includes(world.stage));
  // A name that no attack has, such as that of the last stage, leaves that one with all of them.
  const attacks = chosen.length > 0 ? chosen : ATTACKS;
  const target = await startTargeted(world, { watchesLoop: true });
  const stage = await prepareStage(target);
  const idle = await startIdleProcess(world.folder());
  const stretches: Stretch[] = [];
  const watch = async (name: string, work: Promise<unknown>) => {
    await work;
    await sleep(WRITTEN_MS);
    const stretch = { name, ...target.server.loop.most(), idle: idle.most().blocked };
    stretches.push(stretch);
    world.say(`  ${describe(stretch)}`);
  };
  try {
    await watch('before', sleep(WRITTEN_MS));
    // One after the other first, so that a figure names what caused it; then all at once.
    for (const attack of chosen)
      await watch(attack.name, attack.run(stage, (seconds * 0.6) / chosen.length));
    await watch(
      'all at once',
      Promise.all(attacks.map((attack: Attack) => attack.run(stage, seconds * 0.4))),
    );
    const began = performance.now();
    await target.client.get('users/profile/');
    const answer = performance.now() - began;
    const stopping = performance.now();
    await stage.stopTargets();
    await target.server.stop();
    return [
      figureOf(stretches, 'resident', {
        name: 'Memory of the server, most',
        unit: 'MiB',
        budget: atMost(MOST_MEMORY),
      }),
      figureOf(stretches, 'blocked', { name: 'Event loop blocked, longest', unit: 'ms' }),
      figureOf(stretches, 'own', {
        name: 'Event loop blocked without waiting for a processor, longest',
        unit: 'ms',
        budget: atMost(MOST_DELAY),
      }),
      figureOf(stretches, 'computed', {
        name: 'Event loop blocked by computing, longest',
        unit: 'ms',
      }),
      figureOf(stretches, 'idle', {
        name: 'Event loop of an idle process blocked in the same time, longest',
        unit: 'ms',
      }),
      { name: 'Terminals that could not be opened meanwhile', value: stage.unanswered, unit: '' },
      { name: 'An answer right afterwards', value: answer, unit: 'ms' },
      {
        name: 'Stopping right afterwards',
        value: performance.now() - stopping,
        unit: 'ms',
        budget: atMost(10_000),
        note: `${seconds} s of attacks`,
      },
    ];
  } finally {
    await Promise.allSettled([stage.stopTargets(), idle.stop()]);
    await target.stop();
  }
}

function figureOf(
  stretches: readonly Stretch[],
  value: Exclude<keyof Stretch, 'name'>,
  figure: Omit<Figure, 'value' | 'note'>,
): Figure {
  const most = stretches.toSorted((one, other) => other[value] - one[value])[0];
  return {
    ...figure,
    value: most?.[value] ?? Number.NaN,
    note: `during: ${most?.name ?? 'nothing'}`,
  };
}

const describe = ({ name, resident, heap, external, blocked, own, computed, idle }: Stretch) =>
  `${name}: memory ${resident.toFixed(0)} MiB (heap ${heap.toFixed(0)}, outside of it ${external.toFixed(0)}); ` +
  `loop blocked ${blocked.toFixed(0)} ms, of its own ${own.toFixed(0)} ms (${computed.toFixed(0)} computing), an idle process ${idle.toFixed(0)} ms`;
