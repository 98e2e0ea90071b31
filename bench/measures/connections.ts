import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '../lib/figure.ts';
import { startTargeted } from '../lib/target.ts';
import { BastionTerminal } from '../lib/terminal.ts';
import type { World } from '../lib/world.ts';

const CONNECTIONS = 200;
const AT_ONCE = 5;

/** What an idle terminal costs. */
export async function connections(world: World): Promise<Figure[]> {
  const target = await startTargeted(world);
  const open: BastionTerminal[] = [];
  try {
    const { server, client, ids } = target;
    // The first one loads what all others share.
    open.push(await BastionTerminal.open(server.url, client.token, ids));
    await sleep(3_000);
    const before = server.memory();
    while (open.length <= CONNECTIONS) {
      const some = Array.from({ length: Math.min(AT_ONCE, CONNECTIONS + 1 - open.length) }, () => BastionTerminal.open(server.url, client.token, ids));
      open.push(...(await Promise.all(some)));
    }
    await sleep(10_000);
    const after = server.memory();
    return [
      {
        name: `Memory for each of ${CONNECTIONS} idle terminals`,
        value: ((after - before) / CONNECTIONS) * 1024,
        unit: 'KiB',
        note: 'growth of resident memory, recorded sessions',
      },
      { name: `Memory of the Node process with ${CONNECTIONS + 1} idle terminals`, value: after, unit: 'MiB' },
    ];
  } finally {
    await Promise.allSettled(open.map((terminal) => terminal.close()));
    await target.stop();
  }
}
