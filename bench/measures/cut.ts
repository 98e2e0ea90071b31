import { atMost, type Figure, latency } from '../lib/figure.ts';
import { startTargeted } from '../lib/target.ts';
import { BastionTerminal } from '../lib/terminal.ts';
import type { World } from '../lib/world.ts';

const CUTS = 20;

/** Measures the time from switching off a rule to the end of the session that it allows. */
export async function cut(world: World): Promise<Figure[]> {
  const target = await startTargeted(world);
  const samples: number[] = [];
  try {
    const { server, client, ids } = target;
    const [rule] = await client.get<readonly { id: string }[]>('perms/asset-permissions/');
    const path = `perms/asset-permissions/${rule?.id}/`;
    for (let turn = 0; turn < CUTS; turn++) {
      const terminal = await BastionTerminal.open(server.url, client.token, ids);
      const began = performance.now();
      await Promise.all([terminal.closed, client.patch(path, { is_active: false })]);
      samples.push(performance.now() - began);
      await client.patch(path, { is_active: true });
    }
  } finally {
    await target.stop();
  }
  return latency(
    'From switching a rule off until its session is closed',
    samples,
    atMost(1000),
    `${CUTS} sessions, over HTTP`,
  );
}
