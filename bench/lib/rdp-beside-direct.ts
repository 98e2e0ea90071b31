import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, atMost, type Figure, percentile } from './figure.ts';
import type { Client } from './http.ts';
import { RdpViewer } from './rdp-viewer.ts';
import { grantRdp, startScrollingXrdp } from './scrolling-xrdp.ts';
import type { BenchServer } from './server.ts';

const RUNS = 5;
/** A scroll has ended after this time without a change. */
const QUIET_MS = 2_000;
/** xrdp allows one connection for each desktop, and notices its end after a delay. */
const LEFT_MS = 1_000;

/** First pictures and a scroll of a desktop of RDP, through the bastion and without it. */
export async function rdpBesideDirect(
  { url }: BenchServer,
  client: Client,
  lines: number,
): Promise<Figure[]> {
  const xrdp = await startScrollingXrdp(lines, ['plain', 'admin']);
  try {
    const quiet = await grantRdp(client, xrdp, 'deputy');
    const scrolling = await grantRdp(client, xrdp, 'admin');
    const times: readonly [number[], number[]] = [[], []];
    // Alternating, so that other load on the machine affects both; the first turn starts the
    // desktop.
    for (let turn = 0; turn <= RUNS; turn++) {
      for (const [at, open] of [
        () => RdpViewer.direct(xrdp, 'deputy'),
        () => RdpViewer.through(url, client.token, quiet),
      ].entries()) {
        const began = performance.now();
        const viewer = await open();
        await viewer.picture();
        if (turn > 0) times[at]?.push(performance.now() - began);
        viewer.close();
        await sleep(LEFT_MS);
      }
    }
    const [direct, through] = times.map((samples) => percentile(samples, 0.5)) as [number, number];
    const theirs = await scroll(await RdpViewer.direct(xrdp, 'plain'), () =>
      xrdp.hasScrolled('plain'),
    );
    const ours = await scroll(await RdpViewer.through(url, client.token, scrolling), () =>
      xrdp.hasScrolled('admin'),
    );
    return [
      {
        name: 'First picture of a desktop of RDP, direct',
        value: direct,
        unit: 'ms',
        note: `1024 by 768, xrdp, median of ${RUNS}; by the part of the bastion that speaks RDP, alone`,
      },
      {
        name: 'First picture of a desktop of RDP, through the bastion',
        value: through,
        unit: 'ms',
        budget: atMost(1_000),
      },
      {
        name: 'Bytes of a scroll by RDP, direct',
        value: theirs.bytes / 1024,
        unit: 'KiB',
        note: `1024 by 768, ${lines} lines in a terminal of 160 by 50, from the sign-in on`,
      },
      {
        name: 'Bytes of a scroll by RDP, through the bastion',
        value: ours.bytes / 1024,
        unit: 'KiB',
        note: 'the same, afterwards: xrdp leaves out pictures when the machine is busy',
      },
      { name: 'Bitmaps of a scroll by RDP, direct', value: theirs.bitmaps, unit: 'bitmaps' },
      {
        name: 'Bitmaps of a scroll by RDP, through the bastion',
        value: ours.bitmaps,
        unit: 'bitmaps',
      },
      {
        name: 'Bitmaps of a scroll by RDP, through the bastion to direct',
        value: (ours.bitmaps / theirs.bitmaps) * 100,
        unit: '%',
        budget: atLeast(70),
      },
    ];
  } finally {
    await xrdp.stop();
  }
}

/** Follows a desktop from the sign-in until its scroll has ended. */
async function scroll(viewer: RdpViewer, isOver: () => Promise<boolean>): Promise<RdpViewer> {
  while (!(await isOver()) || performance.now() - viewer.lastAt < QUIET_MS) await sleep(200);
  viewer.close();
  return viewer;
}
