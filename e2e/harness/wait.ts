import { errors, type Page } from 'playwright-core';

/**
 * By default Playwright evaluates a condition in each animation frame, which makes the browser draw
 * all of them.
 */
export const POLLING = { polling: 50 } as const;

/**
 * Polls a condition in a page.
 *
 * @throws Error with `awaited` and the state that `describe` returns, when the condition stays
 * false.
 */
export async function waitInPage<A>(
  page: Page,
  awaited: string,
  condition: (argument: A) => boolean,
  argument: A,
  describe: () => Promise<string> | string = () => `the page is ${page.url()}`,
): Promise<void> {
  try {
    await page.waitForFunction<boolean, A>(
      condition as (argument: unknown) => boolean,
      argument,
      POLLING,
    );
  } catch (error) {
    if (!(error instanceof errors.TimeoutError)) throw error;
    throw new Error(`waited for ${awaited}; ${await describe()}`, { cause: error });
  }
}
