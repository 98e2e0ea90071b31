import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { atMost, type Figure } from '../lib/figure.ts';
import { startServer } from '../lib/server.ts';
import type { World } from '../lib/world.ts';

/**
 * Resident memory of the Node process ten seconds after a start, on a folder that was started
 * before.
 */
export async function idleMemory(world: World): Promise<Figure[]> {
  const folder = world.folder();
  await (await startServer(folder, ADMIN_PASSWORD)).stop();
  const server = await startServer(folder, ADMIN_PASSWORD);
  try {
    await sleep(10_000);
    return [
      {
        name: 'Memory of the Node process, idle',
        value: server.memory(),
        unit: 'MiB',
        budget: atMost(180),
        note: '10 s after ready, resident',
      },
    ];
  } finally {
    await server.stop();
  }
}
