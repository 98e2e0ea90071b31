import { startEmbedded } from '../../server/src/platform/db/embedded.ts';
import { throughPort } from '../../server/src/testing/cutting-proxy.ts';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { startDelayingProxy } from '../lib/delaying-proxy.ts';
import { atMost, type Figure, percentile } from '../lib/figure.ts';
import { signIn } from '../lib/http.ts';
import { startTargeted } from '../lib/target.ts';
import { BastionTerminal } from '../lib/terminal.ts';
import type { World } from '../lib/world.ts';

const ROUND_TRIP_MILLISECONDS = 100;
const WARM_UP = 3;
const TURNS = 10;

const PAGES: readonly (readonly [name: string, path: string, most: number])[] = [
  ['Own profile', 'users/profile/', 300],
  ['Assets, first page', 'assets/assets/?limit=15', 300],
  ['Sessions, first page', 'terminal/sessions/?limit=15', 300],
  ['Users, first page', 'users/users/?limit=15', 300],
  ['My assets, first page', 'perms/users/assets/?limit=15', 300],
  ['System users, first page', 'assets/system-users/?limit=15', 300],
  ['Sign-ins, first page', 'audits/login-logs/?limit=15', 300],
  ['Accounts on assets, first page', 'assets/asset-users/?limit=15', 300],
  ['Dashboard, everything', 'index/?all=1', 500],
  ['Needs attention', 'common/attention/', 500],
];

/** Measures what users wait for while the database is 100 ms away, as in another site. */
export async function remoteDatabase(world: World): Promise<Figure[]> {
  const database = await startEmbedded(world.folder());
  const { path, at } = throughPort(database.url);
  const proxy = await startDelayingProxy(path, ROUND_TRIP_MILLISECONDS / 2);
  const environment = { SALLYPORT_DATABASE_URL: at(proxy.port) };
  const target = await startTargeted(world, { environment });
  try {
    const { server, client, ids } = target;
    const figures = [
      await figureOf('Sign-in by password, by a script', 1_000, async () =>
        (await signIn(server.url, 'admin', ADMIN_PASSWORD)).close(),
      ),
    ];
    for (const [name, page, most] of PAGES)
      figures.push(await figureOf(name, most, () => client.timed(page)));
    const open = async () => (await BastionTerminal.open(server.url, client.token, ids)).close();
    figures.push(await figureOf('Terminal, opened and closed', undefined, open));
    return figures;
  } finally {
    await target.stop();
    await proxy.stop();
    await database.stop();
  }
}

async function figureOf(
  name: string,
  most: number | undefined,
  act: () => Promise<unknown>,
): Promise<Figure> {
  const samples: number[] = [];
  for (let turn = -WARM_UP; turn < TURNS; turn++) {
    const began = performance.now();
    await act();
    if (turn >= 0) samples.push(performance.now() - began);
  }
  return {
    name,
    value: percentile(samples, 0.5),
    unit: 'ms',
    ...(most !== undefined && { budget: atMost(most) }),
    note: `median of ${TURNS}`,
  };
}
