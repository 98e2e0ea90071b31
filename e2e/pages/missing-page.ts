import type { Page } from 'playwright-core';
import { words } from '../../web/src/console/base/words.ts';

/** Returns true if a loaded page of the console reports that it does not exist. */
export function isMissing(page: Page): Promise<boolean> {
  return page
    .getByRole('heading', { name: words.notFound.en, exact: true })
    .or(page.getByRole('heading', { name: words.notFound.zh, exact: true }))
    .isVisible();
}
