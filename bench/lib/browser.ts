import { type Browser, chromium } from 'playwright-core';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell';

/** Cookies as a browser keeps them. */
export type Cookies = Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['cookies']>>;

/** Starts a browser without a window. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
}

/** Signs the administrator in on the page and returns the cookies. */
export async function signInCookies(browser: Browser, url: string): Promise<Cookies> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${url}/core/auth/login/`);
  await page.locator('input[type=password]').waitFor();
  await page.locator('input').first().fill('admin');
  await page.locator('input[type=password]').fill(ADMIN_PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/ui\//);
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}
