import { launchBrowser, signInCookies } from '../lib/browser.ts';
import { type Figure, percentile } from '../lib/figure.ts';
import { startTargeted } from '../lib/target.ts';
import type { World } from '../lib/world.ts';

const SECONDS = 10;

// The browser's part. The compiler checks this folder together with the server, without the types
// of a browser.
declare function requestAnimationFrame(draw: () => void): number;

/**
 * Measures the frame times of the browser while a terminal floods it, next to the same page with
 * an idle terminal.
 */
export async function frames(world: World): Promise<Figure[]> {
  const target = await startTargeted(world);
  const browser = await launchBrowser();
  try {
    const { url } = target.server;
    const context = await browser.newContext();
    await context.addCookies(await signInCookies(browser, url));
    const page = await context.newPage();
    await page.goto(`${url}/luna/?login_to=${target.ids.asset}`);
    await page.locator('.xterm').first().waitFor();
    await page.locator('.xterm-rows').getByText('$').first().waitFor();
    await page.locator('.xterm').first().click();
    const gaps = () =>
      page.evaluate(
        (milliseconds) =>
          new Promise<number[]>((done) => {
            const gaps: number[] = [];
            const end = performance.now() + milliseconds;
            let last = performance.now();
            const frame = () => {
              const now = performance.now();
              gaps.push(now - last);
              last = now;
              if (now < end) requestAnimationFrame(frame);
              else done(gaps);
            };
            requestAnimationFrame(frame);
          }),
        SECONDS * 1000,
      );
    const idle = await gaps();
    await page.keyboard.type(
      "yes 'a line of a flood that fills most of the width of the terminal'\n",
    );
    const flooded = await gaps();
    return [
      ...figuresOf('Time between two frames, idle terminal', idle),
      ...figuresOf('Time between two frames, terminal in a flood', flooded),
      {
        name: 'Frames in a flood',
        value: flooded.length / SECONDS,
        unit: '/s',
        note: `headless Chromium draws without a graphics card; ${SECONDS} s`,
      },
    ];
  } finally {
    await browser.close();
    await target.stop();
  }
}

const figuresOf = (name: string, gaps: readonly number[]): Figure[] => [
  { name: `${name}, p50`, value: percentile(gaps, 0.5), unit: 'ms' },
  { name: `${name}, p95`, value: percentile(gaps, 0.95), unit: 'ms' },
  { name: `${name}, longest`, value: Math.max(...gaps), unit: 'ms' },
];
