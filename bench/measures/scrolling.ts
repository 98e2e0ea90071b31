import { setTimeout as sleep } from 'node:timers/promises';
import { generateSshKeyPair } from '@sallyport/ssh';
import { freePort } from '../../server/src/testing/free-port.ts';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { keystrokes } from '../lib/echo.ts';
import { atLeast, atMost, type Figure, percentile } from '../lib/figure.ts';
import { signIn } from '../lib/http.ts';
import { echoKeys, scrollLines, startLightTarget } from '../lib/light-target.ts';
import { idsOf, peopleWithKey } from '../lib/people-with-key.ts';
import { databaseSeconds, processorSeconds } from '../lib/processor.ts';
import { RdpViewer } from '../lib/rdp-viewer.ts';
import { grantRdp, startScrollingXrdp } from '../lib/scrolling-xrdp.ts';
import { type BenchServer, startServer } from '../lib/server.ts';
import { SshTerminal } from '../lib/ssh-terminal.ts';
import type { World } from '../lib/world.ts';
import { prepareOpenings } from './openings.ts';

const TERMINALS = 300;
const AT_ONCE = 4;
/** Connections from one address of loopback: those of an address are limited. */
const PER_ADDRESS = 20;
/** A user may have 200 shells. */
const PER_PERSON = 100;
const SECONDS = 20;
/** Lines of a desktop, ten a second: more than the measure takes. */
const LINES = 600;
const PAUSE_SECONDS = 0.1;

/** Terminals and desktops on one core, whose pictures change ten times a second. */
export async function scrolling(world: World): Promise<Figure[]> {
  return [...(await terminals(world)), ...(await desktop(world))];
}

/** CPU seconds a second that a server and its database take. */
async function load(server: BenchServer): Promise<number> {
  const spent = () => processorSeconds(server.pid) + databaseSeconds(server.dataDirectory);
  const [before, began] = [spent(), performance.now()];
  await sleep(SECONDS * 1000);
  return (spent() - before) / ((performance.now() - began) / 1000);
}

/** Terminals of SSH clients, recorded; then keystrokes in one more. */
async function terminals(world: World): Promise<Figure[]> {
  let shell = scrollLines;
  const target = await startLightTarget((session) => shell(session));
  const server = await startServer(world.folder(), ADMIN_PASSWORD, { sshPort: await freePort() });
  const open: SshTerminal[] = [];
  try {
    await prepareOpenings(server, target);
    const client = await signIn(server.url, 'admin', ADMIN_PASSWORD);
    const key = generateSshKeyPair('bench');
    const callers = await peopleWithKey(
      { server, client, ids: await idsOf(client) },
      {
        count: Math.ceil((TERMINALS + 1) / PER_PERSON),
        sessions: PER_PERSON,
        publicKey: key.public,
      },
    );
    client.close();
    const terminal = (number: number) =>
      SshTerminal.open({
        port: server.sshPort,
        username: callers[Math.floor(number / PER_PERSON)]?.username ?? '',
        privateKey: key.private,
        from: `127.0.1.${Math.floor(number / PER_ADDRESS) + 1}`,
        isKnown: () => true,
      });
    while (open.length < TERMINALS)
      open.push(
        ...(await Promise.all(
          Array.from({ length: AT_ONCE }, (_, index) => terminal(open.length + index)),
        )),
      );
    const used = await load(server);
    shell = echoKeys;
    const more = await terminal(TERMINALS);
    open.push(more);
    const echo = await keystrokes(
      (key) => more.type(key),
      (onOutput) => {
        more.onOutput = onOutput;
      },
      server.pid,
    );
    return [
      {
        name: 'Terminals that scroll, on one core',
        value: TERMINALS / used,
        unit: 'terminals',
        budget: atLeast(300),
        note: `SSH, 10 lines a second each; computed from the CPU of ${TERMINALS} in ${SECONDS} s, database included`,
      },
      {
        name: `Echo of a keystroke next to ${TERMINALS} of them, p50`,
        value: percentile(echo.samples, 0.5),
        unit: 'ms',
        note: 'clients and targets use the other core',
      },
      {
        name: `Echo of a keystroke next to ${TERMINALS} of them, p95`,
        value: percentile(echo.samples, 0.95),
        unit: 'ms',
        budget: atMost(20),
      },
    ];
  } finally {
    await Promise.allSettled(open.map((one) => one.close()));
    await server.stop();
    await target.stop();
  }
}

/** A terminal of 160 by 50 that scrolls on a desktop of xrdp, recorded. */
async function desktop(world: World): Promise<Figure[]> {
  const xrdp = await startScrollingXrdp(LINES, ['admin'], PAUSE_SECONDS);
  const server = await startServer(world.folder(), ADMIN_PASSWORD);
  const client = await signIn(server.url, 'admin', ADMIN_PASSWORD);
  try {
    const ids = await grantRdp(client, xrdp, 'admin');
    const viewer = await RdpViewer.through(server.url, client.token, ids);
    await viewer.picture();
    // The desktop starts its terminal.
    await sleep(5000);
    const idle = { bytes: viewer.bytes, pixels: viewer.pixels, bitmaps: viewer.bitmaps };
    const used = await load(server);
    const each = (amount: number) => amount / (SECONDS * 10);
    const [bytes, pixels] = [each(viewer.bytes - idle.bytes), each(viewer.pixels - idle.pixels)];
    const bitmaps = each(viewer.bitmaps - idle.bitmaps);
    viewer.close();
    await sleep(5000);
    // A server of many desktops pays for itself once: its timers, its database and the meter.
    const base = await load(server);
    if (bytes === 0) throw new Error('the desktop did not change');
    return [
      {
        name: 'Desktops of RDP at 10 frames a second, on one core: one of xrdp',
        value: (1 - base) / (used - base),
        unit: 'desktops',
        budget: atLeast(60),
        note: `1024 by 768, a terminal of 160 by 50 that scrolls; computed from the CPU of one in ${SECONDS} s, ${((used - base) * 100).toFixed(2)} ms a frame, next to ${(base * 100).toFixed(2)} ms of the server without desktops; ${bitmaps.toFixed(0)} bitmaps, ${pixels.toFixed(0)} pixels and ${(bytes / 1024).toFixed(0)} KiB a frame`,
      },
    ];
  } finally {
    client.close();
    await server.stop();
    await xrdp.stop();
  }
}
