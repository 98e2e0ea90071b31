import type { Browser, BrowserContext, Page } from 'playwright-core';
import { rememberMessages } from './messages.ts';

/** Timeout of waits that name no other. It ends a test that hangs. */
const PATIENCE_MILLISECONDS = 60_000;

/** A browser context with its first page. */
export interface Window {
  readonly context: BrowserContext;
  readonly page: Page;
}

/** Changes of a context that cannot be undone: such a context serves one journey. */
const LASTING = ['addInitScript', 'routeWebSocket', 'newCDPSession'] as const;

/** The events that journeys listen to. */
const EVENTS = [
  'console',
  'dialog',
  'pageerror',
  'request',
  'requestfailed',
  'response',
  'websocket',
] as const;

/** A small page of the origin without scripts. */
const BLANK = '/favicon.svg';

const used = new WeakSet<BrowserContext>();
const idle = new Map<string, Window[]>();

/** Marks the context when a journey changes it permanently. */
function noteLasting(context: BrowserContext, target: BrowserContext | Page): void {
  for (const name of LASTING) {
    const original: unknown = Reflect.get(target, name);
    if (typeof original !== 'function') continue;
    Reflect.set(target, name, (...values: readonly unknown[]): unknown => {
      used.add(context);
      return Reflect.apply(original, target, values);
    });
  }
}

/**
 * Returns a page of a browser that remembers nothing of the server: a new one, or one that an
 * earlier journey has given back. The second kind costs half: the console's scripts are compiled.
 */
export async function takeWindow(browser: Browser, url: string): Promise<Window> {
  const known = idle.get(url)?.pop();
  if (known && known.context.browser() === browser && !known.page.isClosed()) return known;
  const context = await browser.newContext({
    baseURL: url,
    reducedMotion: 'reduce',
    timezoneId: 'Asia/Shanghai',
    acceptDownloads: true,
  });
  context.setDefaultTimeout(PATIENCE_MILLISECONDS);
  await rememberMessages(context);
  const page = await context.newPage();
  noteLasting(context, context);
  noteLasting(context, page);
  return { context, page };
}

/** Hands the page of a journey that passed to the next journey, without stored data. */
export async function giveBack({ context, page }: Window, url: string): Promise<void> {
  try {
    if (used.has(context) || page.isClosed()) throw new Error('this context serves one journey');
    await forget(context, page, url);
    idle.set(url, [...(idle.get(url) ?? []), { context, page }]);
  } catch {
    await context.close();
  }
}

async function forget(context: BrowserContext, page: Page, url: string): Promise<void> {
  await Promise.all(
    [context, page].map((target) => target.unrouteAll({ behavior: 'ignoreErrors' })),
  );
  context.removeAllListeners('page');
  for (const event of EVENTS) page.removeAllListeners(event);
  // A changed form asks before it is left.
  page.on('dialog', (question) => void question.accept());
  await Promise.all(
    context
      .pages()
      .filter((other) => other !== page)
      .map((other) => other.close()),
  );
  await context.setOffline(false);
  await context.clearPermissions();
  await page.goto(BLANK);
  await page.evaluate(async () => {
    localStorage.clear();
    sessionStorage.clear();
    for (const { name } of await indexedDB.databases()) if (name) indexedDB.deleteDatabase(name);
  });
  await page.goto('about:blank');
  await context.clearCookies();
  page.removeAllListeners('dialog');
  if ((await context.cookies(url)).length > 0)
    throw new Error('a cookie was set while cookies were deleted');
}

/** Closes the pages of a server that stops. */
export async function closeWindows(url: string): Promise<void> {
  const windows = idle.get(url) ?? [];
  idle.delete(url);
  await Promise.all(windows.map(({ context }) => context.close()));
}
