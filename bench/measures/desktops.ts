import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  startPostgres,
  VAULT_ACCOUNT,
  VAULT_PASSWORD,
} from '../../server/src/testing/databases/postgres-server.ts';
import { startXvnc, type TestXvnc } from '../../server/src/testing/desktops/xvnc.ts';
import { freePort } from '../../server/src/testing/free-port.ts';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { atLeast, atMost, type Figure, percentile } from '../lib/figure.ts';
import { type Client, signIn } from '../lib/http.ts';
import { idleDatabases } from '../lib/idle-databases.ts';
import { memoryOfIdle } from '../lib/idle-memory.ts';
import { rdpBesideDirect } from '../lib/rdp-beside-direct.ts';
import { recordRdp } from '../lib/recorded-rdp.ts';
import { replayFigures } from '../lib/replayed-desktop.ts';
import { type BenchServer, startServer } from '../lib/server.ts';
import {
  bastionLine,
  CountingViewer,
  directLine,
  firstPicture,
  type VncLine,
} from '../lib/vnc-viewer.ts';
import type { World } from '../lib/world.ts';

const RUNS = 10;
const LINES = 300;
/** A scroll has ended after this time without a change. */
const QUIET_MS = 2_000;
const IDLE = 50;

/**
 * Desktops of VNC and RDP through the bastion next to viewers without it, what their replays cost,
 * and what idle sessions of desktops and databases take.
 */
export async function desktops(world: World): Promise<Figure[]> {
  const [port, postgres, xvnc] = [
    await freePort(),
    await startPostgres(),
    await startXvnc({ size: '1024x768' }),
  ];
  const server = await startServer(world.folder(), ADMIN_PASSWORD, {
    environment: { SALLYPORT_POSTGRESQL_PORT: String(port) },
  });
  const client = await signIn(server.url, 'admin', ADMIN_PASSWORD);
  try {
    await client.patch('settings/setting/', { security: { SECURITY_MAX_SESSIONS: 2 * IDLE + 10 } });
    const desktop = await granted(client, xvnc);
    const through = () => bastionLine(server.url, client.token, desktop);
    world.say('  idle databases');
    const idle = await idleDatabases({
      server,
      client,
      port: postgres.port,
      account: VAULT_ACCOUNT,
      password: VAULT_PASSWORD,
      count: IDLE,
    });
    world.say('  first pictures');
    const figures = await firstPictures(() => directLine(xvnc.port, xvnc.password), through);
    world.say('  a scroll');
    const { session, figures: scrolled } = await scroll(
      xvnc,
      await directLine(xvnc.port, xvnc.password),
      await through(),
    );
    world.say('  its replay');
    figures.push(...scrolled, ...(await replayFigures(server, session, 'VNC')));
    world.say('  first pictures and a scroll by RDP');
    figures.push(...(await rdpBesideDirect(server, client, LINES)));
    world.say('  a scroll by RDP and its replay');
    figures.push(...(await replayFigures(server, await recordRdp(server, client, LINES), 'RDP')));
    world.say('  idle desktops');
    figures.push(await idleDesktops(server, through), idle);
    return figures;
  } finally {
    client.close();
    await server.stop();
    await xvnc.stop();
    await postgres.stop();
  }
}

/** The desktop as an asset that the administrator may use. */
async function granted(
  client: Client,
  { port, password }: TestXvnc,
): Promise<{ readonly asset: string; readonly system_user: string }> {
  const make = async (path: string, body: unknown) =>
    (await client.post<{ id: string }>(path, body)).id;
  const asset = await make('assets/assets/', {
    hostname: 'screen',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`vnc/${port}`],
  });
  const account = await make('assets/system-users/', {
    name: 'screen',
    username: '',
    protocol: 'vnc',
    password,
    auto_push: false,
  });
  const { id: me } = await client.get<{ id: string }>('users/profile/');
  await make('perms/asset-permissions/', {
    name: 'screen',
    users: [me],
    assets: [asset],
    system_users: [account],
  });
  return { asset, system_user: account };
}

async function firstPictures(
  direct: () => Promise<VncLine>,
  through: () => Promise<VncLine>,
): Promise<Figure[]> {
  const times: readonly [number[], number[]] = [[], []];
  // Alternating, so that other load on the machine affects both; the first turn loads what desktops
  // need.
  for (let turn = 0; turn <= RUNS; turn++) {
    for (const [at, open] of [direct, through].entries()) {
      const began = performance.now();
      const line = await open();
      await firstPicture(line);
      if (turn > 0) times[at]?.push(performance.now() - began);
      line.close();
    }
  }
  const [theirs, ours] = times.map((samples) => percentile(samples, 0.5)) as [number, number];
  return [
    {
      name: 'First picture of a desktop, direct',
      value: theirs,
      unit: 'ms',
      note: `1024 by 768, not compressed, median of ${RUNS}`,
    },
    {
      name: 'First picture of a desktop, through the bastion',
      value: ours,
      unit: 'ms',
      budget: atMost(1_000),
      note: 'permission, sign-in, recording included',
    },
  ];
}

/** A terminal on the desktop writes lines, while two viewers follow it. */
async function scroll(
  xvnc: TestXvnc,
  direct: VncLine,
  through: VncLine,
): Promise<{ readonly session: string; readonly figures: Figure[] }> {
  const viewers = [new CountingViewer(direct), new CountingViewer(through)] as const;
  const script = `i=0; while [ $i -lt ${LINES} ]; do i=$((i+1)); echo "line $i of a scroll, as wide as lines of a log are: $((i*i)) bytes in $((i*7)) ms"; sleep 0.03; done; sleep 600`;
  const terminal = spawn(
    'xterm',
    ['-display', xvnc.display, '-geometry', '160x55+0+0', '-e', 'sh', '-c', script],
    { stdio: 'ignore' },
  );
  try {
    await sleep(LINES * 30);
    while (viewers.some(({ lastAt }) => performance.now() - lastAt < QUIET_MS)) await sleep(100);
  } finally {
    terminal.kill();
    for (const { line } of viewers) line.close();
  }
  const [theirs, ours] = viewers;
  const note = `${LINES} lines in a terminal of 160 by 55, Tight and copies, both at the same time`;
  return {
    session: through.session,
    figures: [
      { name: 'Bytes of a scroll, direct', value: theirs.bytes / 1024, unit: 'KiB', note },
      { name: 'Bytes of a scroll, through the bastion', value: ours.bytes / 1024, unit: 'KiB' },
      {
        name: 'Bytes of a scroll for each frame, through the bastion to direct',
        value: (ours.bytes / ours.frames / (theirs.bytes / theirs.frames)) * 100,
        unit: '%',
        budget: atMost(120),
      },
      { name: 'Frames of a scroll, direct', value: theirs.frames, unit: 'frames' },
      { name: 'Frames of a scroll, through the bastion', value: ours.frames, unit: 'frames' },
      {
        name: 'Frames of a scroll, through the bastion to direct',
        value: (ours.frames / theirs.frames) * 100,
        unit: '%',
        budget: atLeast(70),
      },
    ],
  };
}

async function idleDesktops(server: BenchServer, through: () => Promise<VncLine>): Promise<Figure> {
  const lines: VncLine[] = [];
  const open = async () => {
    const line = await through();
    await firstPicture(line);
    return line;
  };
  const memory = await memoryOfIdle({ server, count: IDLE, open, into: lines });
  for (const line of lines) line.close();
  return {
    name: `Memory for each of ${IDLE} idle desktop sessions`,
    value: memory.each,
    unit: 'KiB',
    budget: atMost(1_024),
    note: 'growth of resident memory after one picture each; 1024 by 768',
  };
}
