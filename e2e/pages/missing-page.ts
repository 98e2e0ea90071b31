import type { Page } from 'playwright-core';
import { words } from '../../web/src/console/base/words.ts';

/** Whether a page of the console says that it does not exist; it must have loaded. */
export function isMissing(page: Page): Promise<boolean> {
  return page
    .getByRole('heading', { name: words.notFound.en, exact: true })
    .or(page.getByRole('heading', { name: words.notFound.zh, exact: true }))
    .isVisible();
}
