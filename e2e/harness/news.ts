import { LIVE_SOCKET_PATH } from '@sallyport/contract';
import type { Page } from 'playwright-core';

/** Keeps from a page what others change, so that it goes on with what it has read, as one that is a moment late. Call this before the page is opened. */
export async function withoutNews(page: Page): Promise<void> {
  await page.routeWebSocket(
    ({ pathname }) => pathname === LIVE_SOCKET_PATH,
    () => undefined,
  );
}
