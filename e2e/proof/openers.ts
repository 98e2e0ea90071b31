import type { Locator, Page } from 'playwright-core';
import type { Scene } from '../pictures/scenes.ts';

/** Layers that open over a page. */
export const LAYERS = '[role=dialog], [role=listbox], [role=menu]';

/**
 * Fields with a list, and buttons of a page. Excludes elements that navigate, submit a form or sign
 * out.
 */
const OF_PAGE = [
  'main [role=combobox]',
  'main input[aria-haspopup]',
  'main button:not([type=submit]):not([role=tab]):not([role=switch])',
].join(', ');

/** Those that every page has. */
const OF_FRAME = 'header button';

interface Opener {
  readonly locator: Locator;
  readonly name: string;
}

/** The openers of a page, each name once: the rows of a table have the same ones. */
export async function openersOf(page: Page, withFrame: boolean): Promise<readonly Opener[]> {
  const openers: Opener[] = [];
  const names = new Set<string>();
  const all = page.locator(withFrame ? `${OF_PAGE}, ${OF_FRAME}` : OF_PAGE);
  const described = await all.evaluateAll((elements) =>
    elements.map((element) => ({
      name: (
        element.getAttribute('aria-label') ??
        (element as HTMLInputElement).labels?.[0]?.textContent ??
        element.textContent ??
        ''
      ).trim(),
      role: element.getAttribute('role') ?? element.tagName.toLowerCase(),
      isShown:
        element.checkVisibility() &&
        !(element as HTMLButtonElement).disabled &&
        !element.closest('[inert], [aria-hidden=true]'),
    })),
  );
  described.forEach(({ name, role, isShown }, index) => {
    // The rows of a table have the same buttons, each with the name of its row.
    const key = `${role} ${name.replace(/^(\p{L}+) .*/u, '$1').replaceAll(/\d+/g, '#')}`;
    if (!isShown || names.has(key)) return;
    names.add(key);
    openers.push({ locator: all.nth(index), name: `${role} “${name.slice(0, 40)}”` });
  });
  return openers;
}

/** Presses an opener. Returns true if a layer opened and the page is still the same. */
export async function opens(page: Page, { locator }: Opener): Promise<boolean> {
  const address = page.url();
  await locator.click({ timeout: 3_000 }).catch(() => undefined);
  await page.waitForTimeout(300);
  if (page.url() !== address) return false;
  return page.locator(LAYERS).filter({ visible: true }).first().isVisible();
}

/** Closes what is open over a page. @returns whether the page is as it was */
export async function closeAll(page: Page, address: string): Promise<boolean> {
  for (
    let tries = 0;
    tries < 3 && (await page.locator(LAYERS).filter({ visible: true }).first().isVisible());
    tries++
  ) {
    await page.keyboard.press('Escape');
    await page.waitForTimeout(200);
  }
  const { pathname, search } = new URL(page.url());
  return (
    pathname + search === address &&
    !(await page.locator(LAYERS).filter({ visible: true }).first().isVisible())
  );
}

/**
 * Returns the tabs of a page as separate scenes, nested tabs included: each tab changes the
 * address.
 */
export async function tabsOf(page: Page, { name, address }: Scene): Promise<readonly Scene[]> {
  if (address.includes('activeTab=')) return [];
  const scenes: Scene[] = [];
  const labelsNow = async () =>
    (await page.locator('main [role=tab]:visible').allTextContents()).map((label) => label.trim());
  const choose = async (label: string) => {
    await page.getByRole('main').getByRole('tab', { name: label, exact: true }).first().click();
    await page.waitForTimeout(300);
    const { pathname, search } = new URL(page.url());
    if (search.includes('activeTab='))
      scenes.push({ name: `${name}: ${label}`, address: pathname + search });
  };
  const outer = await labelsNow();
  const isKnown = new Set(outer);
  for (const label of outer) {
    if (!(await labelsNow()).includes(label)) continue;
    await choose(label);
    const inner = (await labelsNow()).filter((one) => !isKnown.has(one));
    for (const one of inner) {
      isKnown.add(one);
      if ((await labelsNow()).includes(one)) await choose(one);
    }
  }
  return scenes;
}
