import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { atMost, type Figure, percentile } from '../lib/figure.ts';
import { startCommand, startServer } from '../lib/server.ts';
import type { World } from '../lib/world.ts';

const LATER_STARTS = 5;

/** From the command to `ready`: on an empty folder, and on one that was started before. */
export async function boot(world: World): Promise<Figure[]> {
  // The command also installs and builds what is out of date; that is done once, before the clock
  // starts.
  await (await startServer(world.folder(), ADMIN_PASSWORD, { command: startCommand() })).stop();
  const folder = world.folder();
  const times: number[] = [];
  for (let turn = 0; turn <= LATER_STARTS; turn++) {
    const server = await startServer(folder, ADMIN_PASSWORD, { command: startCommand() });
    times.push(server.bootMilliseconds / 1_000);
    await server.stop();
  }
  const [first = Number.NaN, ...later] = times;
  return [
    {
      name: 'Boot, first start',
      value: first,
      unit: 's',
      note: `${startCommand()}, empty data folder: database created, schema made`,
    },
    {
      name: 'Boot, later start',
      value: percentile(later, 0.5),
      unit: 's',
      budget: atMost(1),
      note: `median of ${LATER_STARTS}`,
    },
  ];
}
