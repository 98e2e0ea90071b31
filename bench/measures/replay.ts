import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, signInCookies } from '../lib/browser.ts';
import { atMost, type Figure, percentile } from '../lib/figure.ts';
import { startTargeted } from '../lib/target.ts';
import { BastionTerminal } from '../lib/terminal.ts';
import type { World } from '../lib/world.ts';

const MEBIBYTES = 200;
const JUMPS = 12;
/** Time in which the page finishes its key frames. */
const REST_MS = 60_000;

/** Replays the recording of a terminal that has shown 200 MiB. */
export async function replay(world: World): Promise<Figure[]> {
  const target = await startTargeted(world);
  const browser = await launchBrowser();
  try {
    const { server, client, ids } = target;
    const terminal = await BastionTerminal.open(server.url, client.token, ids);
    terminal.type(`seq 1 100000000 | head -c ${MEBIBYTES}M; exit\n`);
    await terminal.closed;
    const isFinished = () =>
      client.get(`terminal/sessions/${terminal.session}/replay/`).then(
        () => true,
        () => false,
      );
    while (!(await isFinished())) await sleep(500);
    const context = await browser.newContext();
    await context.addCookies(await signInCookies(browser, server.url));
    const page = await context.newPage();
    await page.goto(`${server.url}/api/health/`);
    const empty = await memoryOf(browser);
    const begun = performance.now();
    await page.goto(`${server.url}/luna/replay/${terminal.session}`);
    const first = await firstPicture(page);
    await page.locator('[data-loading]').waitFor({ state: 'detached', timeout: 120_000 });
    const whole = performance.now() - begun;
    await page.waitForTimeout(REST_MS);
    const jumps: number[] = [];
    for (let turn = 0; turn < JUMPS; turn++)
      jumps.push(await jump(page, ((turn * 7) % JUMPS) / JUMPS));
    const memory = await memoryOf(browser);
    const note = `${(terminal.received / 2 ** 20).toFixed(0)} MiB of output`;
    return [
      { name: 'First picture of a replay', value: first, unit: 'ms', budget: atMost(1000), note },
      { name: 'Replay loaded as a whole', value: whole, unit: 'ms' },
      {
        name: 'Jump in a replay, p50',
        value: percentile(jumps, 0.5),
        unit: 'ms',
        note: `${JUMPS} jumps over the whole recording`,
      },
      {
        name: 'Jump in a replay, longest',
        value: Math.max(...jumps),
        unit: 'ms',
        budget: atMost(300),
      },
      {
        name: 'Memory of the page of a replay',
        value: memory - empty,
        unit: 'MiB',
        budget: atMost(150),
        note: 'more than an empty page of the same browser',
      },
    ];
  } finally {
    await browser.close();
    await target.stop();
  }
}

/**
 * Returns the milliseconds from the navigation until the terminal shows output. The page looks at
 * each frame: the driver itself looks up to half a second apart.
 */
function firstPicture(page: Page): Promise<number> {
  return page.evaluate(`(async () => {
    const hasOutput = () => [...document.querySelectorAll('.xterm-rows > div')]
      .some((row) => /\\d/.test(row.textContent));
    while (!hasOutput()) await new Promise((next) => requestAnimationFrame(next));
    return performance.now();
  })()`);
}

/** Moves the seek bar in the page, and returns the milliseconds until the picture is drawn. */
function jump(page: Page, share: number): Promise<number> {
  return page.evaluate(`(async () => {
    const bar = document.querySelector('section input[type=range]');
    const begun = performance.now();
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
      .set.call(bar, String(Number(bar.max) * ${share}));
    bar.dispatchEvent(new Event('input', { bubbles: true }));
    do await new Promise((next) => requestAnimationFrame(next));
    while (bar.closest('section').getAttribute('aria-busy') === 'true');
    return performance.now() - begun;
  })()`);
}

/** MiB of the largest page process of a browser. */
async function memoryOf(browser: Browser): Promise<number> {
  const protocol = await browser.newBrowserCDPSession();
  const { processInfo } = await protocol.send('SystemInfo.getProcessInfo');
  await protocol.detach();
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1]);
  return Math.max(...sizes.map(Number)) / 1024;
}
