import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LANGUAGE_COOKIE_VALUES, type Language } from '@sallyport/contract';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { COOKIES } from '../../web/src/kit/cookies.ts';
import { takeWindow, type Window } from './contexts.ts';
import { Watch } from './watch.ts';

/** Outside of the run's temporary files, which are deleted with the run. */
const PICTURES = join(process.env.SALLYPORT_TEST_PICTURES ?? tmpdir(), 'sallyport-e2e-pictures');

export interface Organization {
  readonly id: string;
  readonly name: string;
}

export interface VisitorOptions {
  /** The organization that the browser remembers. */
  readonly organization?: Organization | undefined;
  readonly language?: Language;
  readonly theme?: 'light' | 'dark';
  readonly size?: { readonly width: number; readonly height: number };
}

/**
 * Features that Playwright switches off and that affect how pages behave. Our flag replaces the
 * flag of Playwright.
 */
const WITHOUT_FEATURES = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  // RenderDocument creates a new frame for each address. Pages cannot tell, and it takes a sixth of
  // the cost of a new visitor.
  'RenderDocument',
];

/**
 * Launches Debian's headless Chromium, which needs a sixth less CPU. Without 3D the terminal draws
 * text, which tests can read.
 */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: [
      '--no-sandbox',
      // No page of a test lives long enough for optimized code to save what it costs to make.
      '--js-flags=--single-threaded --no-turbofan --no-maglev',
      '--disable-gpu',
      // Pages are small and drawn by the CPU: distributing their parts to more threads costs a
      // quarter of a load.
      '--disable-threaded-animation',
      '--disable-threaded-scrolling',
      '--disable-checker-imaging',
      '--num-raster-threads=1',
      '--disable-3d-apis',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-dev-shm-usage',
      `--disable-features=${WITHOUT_FEATURES.join(',')}`,
    ],
  });
}

/** The cookies in which the console remembers an organization. */
const organizationCookies = ({ id, name }: Organization, url: string) => [
  { name: COOKIES.organization, value: encodeURIComponent(JSON.stringify({ id, name })), url },
  { name: COOKIES.organizationHeader, value: id, url },
];

/** A user with a browser that remembers nothing of the server. */
export class Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly language: Language;
  readonly watch: Watch;

  private constructor({ context, page }: Window, language: Language, watch: Watch) {
    this.context = context;
    this.page = page;
    this.language = language;
    this.watch = watch;
  }

  /** Opens a browser in a language (Chinese by default), monitored from its first page on. */
  static async open(
    browser: Browser,
    url: string,
    {
      organization,
      language = 'zh',
      theme = 'light',
      size = { width: 1440, height: 900 },
    }: VisitorOptions = {},
  ): Promise<Visitor> {
    const { context, page } = await takeWindow(browser, url);
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: theme });
    // Chinese is the product's own default, so nothing is set for it.
    if (language !== 'zh')
      await context.addCookies([
        { name: COOKIES.language, value: LANGUAGE_COOKIE_VALUES[language], url },
      ]);
    if (organization) await context.addCookies(organizationCookies(organization, url));
    const watch = new Watch();
    watch.over(page);
    context.on('page', (opened) => watch.over(opened));
    return new Visitor({ context, page }, language, watch);
  }

  /** The window that an action opens. */
  async windowFrom(action: () => Promise<unknown>): Promise<Page> {
    const [page] = await Promise.all([this.context.waitForEvent('page'), action()]);
    return page;
  }

  /** Pictures of all windows; their paths. */
  async photograph(name: string): Promise<string[]> {
    await mkdir(PICTURES, { recursive: true });
    const pages = this.context.pages();
    const paths = pages.map((_, index) =>
      join(
        PICTURES,
        `${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, 80)}-${Date.now()}-${index}.png`,
      ),
    );
    await Promise.all(
      pages.map((page, index) =>
        page.screenshot({ path: paths[index] ?? '', timeout: 5_000 }).catch(() => undefined),
      ),
    );
    return paths;
  }
}
