import type { Page } from 'playwright-core';

/** Some pages ask their server all the time, and are never idle for as long as that takes. */
const IDLE_MILLISECONDS = 15_000;

/** What is read again is pale for as long as that takes; a transition has colors of its own. Spinners go on for ever and do not count. */
export const isAtRest = () =>
  // A button that has asked a question is busy until the answer, and lies behind it.
  document.querySelector(document.querySelector('[aria-modal="true"]') ? '[aria-busy="true"]:not(main button)' : '[aria-busy="true"]') === null &&
  document.getAnimations().every(({ playState, effect }) => playState !== 'running' || effect?.getComputedTiming().iterations === Number.POSITIVE_INFINITY);

/** Waits until a page that was loaded has what it asked for first, and nothing on it is read again or moves. */
export async function atRest(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: IDLE_MILLISECONDS }).catch(() => undefined);
  await page.waitForFunction(isAtRest);
}
