import { LIVE_SOCKET_PATH } from '@sallyport/contract';
import type { Page } from 'playwright-core';

/**
 * Blocks live updates of a page, which then keeps its stale data. Call it before the first
 * navigation.
 */
export async function withoutNews(page: Page): Promise<void> {
  await page.routeWebSocket(
    ({ pathname }) => pathname === LIVE_SOCKET_PATH,
    () => undefined,
  );
}
