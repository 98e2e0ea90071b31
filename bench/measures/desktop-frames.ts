import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { atLeast, type Figure } from '../lib/figure.ts';
import { signIn } from '../lib/http.ts';
import { databaseSeconds, processorSeconds } from '../lib/processor.ts';
import { type RdpTapes, recordTapes, type Tape } from '../lib/rdp-tape.ts';
import { RdpViewer } from '../lib/rdp-viewer.ts';
import { grantRdp } from '../lib/scrolling-xrdp.ts';
import { type BenchServer, startServer } from '../lib/server.ts';
import { startTapedRdp, type TapedRdp } from '../lib/taped-rdp.ts';
import type { World } from '../lib/world.ts';

const SECONDS = 10;
const WARM_MS = 4_000;
const SETTLE_MS = 2_000;
const LONGEST_MS = 30_000;
/** Bitmaps of a tape may count to the frame after theirs: the viewer gets several at once. */
const COMPLETE = 0.999;
/** Desktops at once: as many as this machine plays with its other core. */
const AT_ONCE = 16;
/** A change of the whole screen is much work for the other core too. */
const WHOLE_AT_ONCE = 6;

/** Desktops that users of a server watch. */
interface Watched {
  readonly label: string;
  readonly server: BenchServer;
  readonly target: TapedRdp;
  readonly viewers: readonly RdpViewer[];
  stop(): Promise<void>;
}

/**
 * Several desktops of RDP at once whose pictures change ten times a second, as people change them.
 * This process plays what xrdp sent. With `--before`, each kind of work is measured with the
 * earlier version too, in turn.
 */
export async function desktopFrames(world: World): Promise<Figure[]> {
  world.say('  xrdp draws');
  const tapes = await recordTapes();
  const all: Watched[] = [];
  try {
    if (world.before) all.push(await watched(world, tapes, world.before));
    all.push(await watched(world, tapes));
    const figures: Figure[] = [];
    for (const tape of tapes.tapes) {
      world.say(`  ${tape.name}`);
      for (const one of all) figures.push(...(await costOf(tape, one)));
    }
    return figures;
  } finally {
    for (const one of all) await one.stop();
  }
}

async function watched(world: World, tapes: RdpTapes, root?: string): Promise<Watched> {
  const target = await startTapedRdp(tapes);
  const server = await startServer(world.folder(), ADMIN_PASSWORD, {
    environment: { SALLYPORT_PROCESSES: '1' },
    ...(root && { root }),
  });
  const client = await signIn(server.url, 'admin', ADMIN_PASSWORD);
  await client.patch('settings/setting/', { security: { SECURITY_MAX_SESSIONS: AT_ONCE } });
  const passwords = { root: '', plain: '', deputy: '', admin: ADMIN_PASSWORD };
  const ids = await grantRdp(client, { port: target.port, passwords }, 'admin');
  const viewers: RdpViewer[] = [];
  while (viewers.length < AT_ONCE) {
    const viewer = await RdpViewer.through(server.url, client.token, ids);
    viewers.push(viewer);
    await viewer.picture();
  }
  return {
    label: root ? ', before' : '',
    server,
    target,
    viewers,
    async stop() {
      for (const viewer of viewers) viewer.close();
      client.close();
      await server.stop();
      await target.stop();
    },
  };
}

async function costOf(
  { name, frames, each }: Tape,
  { label, server, target, viewers }: Watched,
): Promise<Figure[]> {
  const count = name.startsWith('whole') ? WHOLE_AT_ONCE : AT_ONCE;
  // The compiler and the caches know the work then.
  target.play(frames, count);
  await sleep(WARM_MS);
  target.pause();
  while (viewers.some(({ lastAt }) => performance.now() - lastAt < SETTLE_MS)) await sleep(100);
  const spent = () => processorSeconds(server.pid) + databaseSeconds(server.dataDirectory);
  const received = () => viewers.reduce((sum, { bitmaps }) => sum + bitmaps, 0);
  const open = received() - target.bitmaps;
  const [before, played] = [spent(), target.played];
  target.play(frames, count);
  await sleep(SECONDS * 1000);
  target.pause();
  const sent = target.played - played;
  for (const from = performance.now(); received() - open < target.bitmaps * COMPLETE; ) {
    if (performance.now() - from > LONGEST_MS) throw new Error(`${name}: bitmaps are missing`);
    await sleep(50);
  }
  // The last block of each recording is written.
  await sleep(SETTLE_MS);
  const milliseconds = ((spent() - before) / sent) * 1000;
  const rate = (sent / count / SECONDS).toFixed(1);
  return [
    {
      name: `Desktops of RDP at 10 frames a second, on one core: ${name}${label}`,
      value: 100 / milliseconds,
      unit: 'desktops',
      ...(!label && { budget: atLeast(60) }),
      note: `${each.bitmaps} bitmaps, ${each.pixels} pixels, ${(each.bytes / 1024).toFixed(1)} KiB a frame; 1024 by 768, recorded`,
    },
    {
      name: `CPU of the server for a frame: ${name}${label}`,
      value: milliseconds,
      unit: 'ms',
      note: `${count} desktops at once, ${rate} frames a second each; all threads and the database`,
    },
  ];
}
