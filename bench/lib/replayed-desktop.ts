import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { launchBrowser, signInCookies } from './browser.ts';
import { atLeast, atMost, type Figure, percentile } from './figure.ts';
import type { BenchServer } from './server.ts';

const JUMPS = ['5', '9', '1', '7', '3', '8', '2', 'End', '4', '6'];
/** A jump that draws nothing ends immediately; most jumps must draw, or nothing was measured. */
const LEAST_DRAWN = JUMPS.length / 2;
const LONGEST_MS = 60_000;

/** Plays a recorded desktop in a browser, as fast as the player can, and jumps in it. */
export async function replayFigures(
  { url }: BenchServer,
  session: string,
  protocol: 'VNC' | 'RDP',
): Promise<Figure[]> {
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    await context.addCookies(await signInCookies(browser, url));
    const page = await context.newPage();
    const began = performance.now();
    await page.goto(`${url}/luna/replay/${session}/`);
    // Its controls come with the engine.
    await page.locator('section[aria-busy]').waitFor();
    const opened = performance.now() - began;
    await jump(page, 'End');
    const jumps: Awaited<ReturnType<typeof jump>>[] = [];
    for (const key of JUMPS) jumps.push(await jump(page, key));
    if (jumps.filter(({ hasDrawn }) => hasDrawn).length < LEAST_DRAWN)
      throw new Error(`jumps in the replay of ${protocol} drew nothing`);
    const times = jumps.map(({ milliseconds }) => milliseconds);
    await jump(page, 'Home');
    for (let faster = 0; faster < 6; faster++) await page.keyboard.press('>');
    const reached = await speed(page);
    const name = (text: string) =>
      protocol === 'VNC' ? text : text.replace('a desktop', 'a desktop of RDP');
    return [
      {
        name: name('A replay of a desktop until its controls'),
        value: opened,
        unit: 'ms',
        note: 'headless Chromium, page included',
      },
      {
        name: name('A jump in the replay of a desktop, p50'),
        value: percentile(times, 0.5),
        unit: 'ms',
        note: `${times.length} jumps, back and ahead`,
      },
      {
        name: name('A jump in the replay of a desktop, p95'),
        value: percentile(times, 0.95),
        unit: 'ms',
        budget: atMost(2_000),
      },
      {
        name: name('Replay of a desktop at 8×, reached'),
        value: reached,
        unit: '×',
        budget: atLeast(4),
      },
    ];
  } finally {
    await browser.close();
  }
}

// The browser's part. The compiler checks this folder together with the server, without the types
// of a browser.
declare const document: {
  querySelector(selector: string): { getAttribute(name: string): string | null } | null;
};
declare const window: { dispatchEvent(event: KeyboardEvent): boolean };
declare class KeyboardEvent {
  constructor(type: 'keydown', options: { readonly key: string });
  readonly key: string;
}
declare function requestAnimationFrame(draw: (milliseconds: number) => void): number;

/**
 * Presses a key that goes elsewhere, and waits until that is drawn: the controls are busy
 * meanwhile, whatever their language.
 */
function jump(
  page: Page,
  key: string,
): Promise<{ readonly milliseconds: number; readonly hasDrawn: boolean }> {
  return page.evaluate(
    async ([pressed, longest]) => {
      const controls = document.querySelector('section[aria-busy]');
      if (!controls) throw new Error('the player is gone');
      const isBusy = () => controls.getAttribute('aria-busy') === 'true';
      const nextFrame = () => new Promise((done) => requestAnimationFrame(done));
      const from = performance.now();
      window.dispatchEvent(new KeyboardEvent('keydown', { key: String(pressed) }));
      // The page says what the engine does in the same task or the next frame.
      await Promise.resolve();
      let hasDrawn = isBusy();
      for (let frame = 0; !hasDrawn && frame < 2; frame++) {
        await nextFrame();
        hasDrawn = isBusy();
      }
      while (isBusy()) {
        if (performance.now() - from > Number(longest)) throw new Error('a jump does not end');
        await nextFrame();
      }
      return { milliseconds: performance.now() - from, hasDrawn };
    },
    [key, LONGEST_MS] as const,
  );
}

/** Plays to the end; how many seconds of the recording in a second. */
async function speed(page: Page): Promise<number> {
  const position = page.locator('section[aria-busy] input[type=range]');
  const length = Number(await position.getAttribute('max'));
  const from = performance.now();
  await page.evaluate(() => window.dispatchEvent(new KeyboardEvent('keydown', { key: ' ' })));
  // The slider moves by tenths of a second.
  while (Number(await position.inputValue()) < length - 0.2) {
    if (performance.now() - from > 10 * LONGEST_MS) throw new Error('the replay does not end');
    await sleep(50);
  }
  return (length * 1000) / (performance.now() - from);
}
