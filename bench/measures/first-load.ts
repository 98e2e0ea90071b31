import type { Browser, Page } from 'playwright-core';
import { type Cookies, launchBrowser, signInCookies } from '../lib/browser.ts';
import { atMost, type Figure } from '../lib/figure.ts';
import { startTargeted } from '../lib/target.ts';
import type { World } from '../lib/world.ts';

/** Counted parts of a page; answers of the API are not counted. */
const PARTS = new Set(['Document', 'Script', 'Stylesheet']);
/** The header loads its news four seconds after the first view, and they count. */
const REST_MS = 7_000;
const LISTS = [
  'users/users',
  'users/groups',
  'assets/domains',
  'assets/labels',
  'perms/asset-permissions',
  'terminal/session',
  'audits/operate-log',
] as const;

/** Measures the gzip bytes that a browser with an empty cache loads for each page. */
export async function firstLoad(world: World): Promise<Figure[]> {
  const target = await startTargeted(world);
  const browser = await launchBrowser();
  try {
    const { url } = target.server;
    const signInPage = await load(browser, [], `${url}/core/auth/login/`, async (page) =>
      page.locator('input[type=password]').waitFor(),
    );
    const cookies = await signInCookies(browser, url);
    const list = await load(browser, cookies, `${url}/ui/assets/assets`, async (page) =>
      page.getByText('target', { exact: true }).first().waitFor(),
    );
    const lists: Loaded[] = [];
    for (const path of LISTS)
      lists.push(
        await load(browser, cookies, `${url}/ui/${path}`, async (page) =>
          page.locator('[data-page-search]').waitFor(),
        ),
      );
    const heaviest = lists.reduce((one, other) => (other.bytes > one.bytes ? other : one));
    const terminal = await load(
      browser,
      cookies,
      `${url}/luna/?login_to=${target.ids.asset}`,
      async (page) => page.locator('.xterm').first().waitFor(),
    );
    const figure = (name: string, { bytes, files }: Loaded): Figure => ({
      name,
      value: bytes / 1024,
      unit: 'KiB',
      note: `${files} files`,
    });
    return [
      { ...figure('First load, sign-in page', signInPage), budget: atMost(130) },
      { ...figure('First load, console list page (assets)', list), budget: atMost(300) },
      {
        ...figure('First load, heaviest list page', heaviest),
        budget: atMost(300),
        note: LISTS[lists.indexOf(heaviest)] ?? '',
      },
      {
        ...figure('First load, terminal page with an open session', terminal),
        budget: atMost(360),
      },
    ];
  } finally {
    await browser.close();
    await target.stop();
  }
}

interface Loaded {
  readonly bytes: number;
  readonly files: number;
}

/**
 * Bytes on the wire of the page's own files, without the headers of the answers, in a new profile.
 */
async function load(
  browser: Browser,
  cookies: Cookies,
  url: string,
  isComplete: (page: Page) => Promise<void>,
): Promise<Loaded> {
  const context = await browser.newContext();
  await context.addCookies(cookies);
  const page = await context.newPage();
  // The pointer starts at the link of the brand, and a link under the pointer loads its page.
  await page.goto(new URL('/api/health/', url).href);
  await page.mouse.move(640, 500);
  const protocol = await context.newCDPSession(page);
  await protocol.send('Network.enable');
  // Brotli would be smaller where it is offered; the figures are for gzip, which everything
  // understands.
  await context.setExtraHTTPHeaders({ 'accept-encoding': 'gzip' });
  const headers = new Map<string, number>();
  let bytes = 0;
  let files = 0;
  protocol.on('Network.responseReceived', ({ requestId, type, response }) => {
    if (PARTS.has(type)) headers.set(requestId, response.encodedDataLength);
  });
  protocol.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const before = headers.get(requestId);
    if (before === undefined) return;
    bytes += encodedDataLength - before;
    files += 1;
  });
  await page.goto(url, { waitUntil: 'networkidle' });
  await isComplete(page);
  await page.waitForTimeout(REST_MS);
  await context.close();
  return { bytes, files };
}
