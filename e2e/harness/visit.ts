import { say } from '@sallyport/contract';
import type { Page } from 'playwright-core';
import type { Visitor } from './browser.ts';
import { declaredScreens } from './screens.ts';
import { waitInPage } from './wait.ts';

/**
 * Navigates inside the console like a link: the program stays loaded, which costs a quarter of
 * opening the address. For journeys that are not about loading. Both screens must have different
 * titles.
 */
export async function visit(
  { page, language }: { readonly page: Page; readonly language: Visitor['language'] },
  address: string,
): Promise<void> {
  const { pathname } = new URL(address, page.url());
  const screen = (await declaredScreens()).find(({ path }) => `/ui${path}` === pathname);
  if (!screen) throw new Error(`no screen is declared at ${address}`);
  const title = say(screen.title, language);
  // Users follow links only after the first page is shown.
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  const before = await page.evaluate((to) => {
    const heading = document.querySelector('h1')?.textContent.trim() ?? '';
    history.pushState({}, '', to);
    return heading;
  }, address);
  if (before === title) throw new Error(`the page before ${address} is called ${title} as well`);
  const isShown = ([path, wanted]: readonly [string, string]) =>
    location.pathname === path && document.querySelector('h1')?.textContent.trim() === wanted;
  await waitInPage(page, `the page "${title}" at ${pathname}`, isShown, [pathname, title] as const);
}
