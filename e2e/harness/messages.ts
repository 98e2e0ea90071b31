import type { BrowserContext, Page } from 'playwright-core';
import { waitInPage } from './wait.ts';

/** A message that came longer ago is about something else. */
const KEPT_MILLISECONDS = 15_000;

/**
 * Records the toast messages of every page: they disappear before a slow test reads them. Call it
 * before the first navigation.
 */
export async function rememberMessages(context: BrowserContext): Promise<void> {
  await context.addInitScript((kept) => {
    const heard: { readonly at: number; readonly texts: readonly string[] }[] = [];
    const ROOT = '.mantine-Notification-root';
    const plain = (element: Element) => element.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '';
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) {
        for (const node of addedNodes) {
          if (!(node instanceof Element)) continue;
          for (const message of node.matches(ROOT) ? [node] : node.querySelectorAll(ROOT))
            heard.push({
              at: performance.now(),
              texts: [...message.querySelectorAll('*')].map(plain),
            });
        }
      }
    }).observe(document, { childList: true, subtree: true });
    /**
     * Returns true if a message had this text. Each message counts once, so an earlier message
     * cannot match again.
     */
    const takeMessage = (text: string) => {
      const from = performance.now() - kept;
      const index = heard.findIndex(({ at, texts }) => at > from && texts.includes(text));
      if (index >= 0) heard.splice(index, 1);
      return index >= 0;
    };
    Object.assign(globalThis, { takeMessage });
  }, KEPT_MILLISECONDS);
}

/** Waits for a short message, or finds one that has disappeared by now. */
export async function heardMessage(page: Page, text: string): Promise<void> {
  const isHeard = (wanted: string) =>
    (Reflect.get(globalThis, 'takeMessage') as (text: string) => boolean)(wanted);
  await waitInPage(page, `the message "${text}"`, isHeard, text);
}
