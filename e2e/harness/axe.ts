import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

const GRAVE = ['serious', 'critical'];

/** With the rules of WCAG 2.2 AA; the size of targets is one that axe leaves out by itself. Nothing of ours is in frames of other sites, so axe may run in the page itself; otherwise it opens a page of its own for each look. */
const builder = (page: Page) => new AxeBuilder({ page }).setLegacyMode(true).options({ rules: { 'target-size': { enabled: true } } });

async function darkViolations(page: Page) {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForFunction(() => document.documentElement.getAttribute('data-mantine-color-scheme') === 'dark');
  const { violations } = await builder(page).withRules('color-contrast').analyze();
  await page.emulateMedia({ colorScheme: 'light' });
  return violations;
}

/** What axe holds against a page in the light, and against its contrasts in the dark; in short: the rule, and where. */
export async function problemsOf(page: Page, where: string, themes: readonly ('light' | 'dark')[] = ['light', 'dark']): Promise<string[]> {
  await page.waitForLoadState('networkidle');
  const light = await builder(page).analyze();
  return [...light.violations, ...(themes.includes('dark') ? await darkViolations(page) : [])]
    .filter(({ impact }) => GRAVE.includes(impact ?? ''))
    .flatMap(({ id, nodes }) =>
      nodes
        // What a message or a list lies over for a moment has its size nevertheless.
        .filter(({ failureSummary }) => !failureSummary?.includes('partially obscured'))
        .map(
          ({ target, html, failureSummary }) => `${where}: ${id} at ${target.join(' ')} — ${failureSummary?.split('\n')[1]?.trim()} — ${html.slice(0, 160)}`,
        ),
    );
}
