import { errors, type Page } from 'playwright-core';
import { POLLING } from './wait.ts';

/** Some pages ask their server all the time, and are never idle for as long as that takes. */
const IDLE_MILLISECONDS = 15_000;

/**
 * Skeletons are pale while a query runs, and transitions show intermediate colors. Spinners never
 * end and are ignored.
 */
export const isAtRest = () =>
  // A button that has asked a question is busy until the answer, and lies behind it.
  document.querySelector(
    document.querySelector('[aria-modal="true"]')
      ? '[aria-busy="true"]:not(main button)'
      : '[aria-busy="true"]',
  ) === null &&
  document
    .getAnimations()
    .every(
      ({ playState, effect }) =>
        playState !== 'running' ||
        effect?.getComputedTiming().iterations === Number.POSITIVE_INFINITY,
    );

/** A page did not come to rest; the message names what is busy. */
export class RestlessPage extends Error {}

/** Waits until nothing on the page is read again or moves. */
export async function untilAtRest(page: Page): Promise<void> {
  try {
    await page.waitForFunction(isAtRest, undefined, POLLING);
  } catch (error) {
    if (!(error instanceof errors.TimeoutError)) throw error;
    const busy = await page
      .locator('[aria-busy=true]')
      .evaluateAll((elements) => elements.map((element) => element.outerHTML.slice(0, 200)));
    throw new RestlessPage(
      `the page does not come to rest: ${busy.join(' | ') || 'something moves'}`,
      { cause: error },
    );
  }
}

/** Waits until the page has finished its first requests, and no skeleton or animation is left. */
export async function atRest(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: IDLE_MILLISECONDS }).catch(() => undefined);
  await untilAtRest(page);
}
