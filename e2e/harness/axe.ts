import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { atRest, isAtRest } from './at-rest.ts';

const GRAVE = ['serious', 'critical'];

/** With the rules of WCAG 2.2 AA; the size of targets is one that axe leaves out by itself. */
const ALL_RULES: RunOptions = { rules: { 'target-size': { enabled: true } } };
const CONTRASTS: RunOptions = { runOnly: ['color-contrast'] };

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Fault {
  readonly rule: string;
  readonly target: string;
  readonly summary: string;
  readonly html: string;
}

/** What axe finds in a page at rest. A page that came into motion meanwhile is looked at again. */
async function faultsOf(page: Page, options: RunOptions): Promise<readonly Fault[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  for (;;) {
    await page.waitForFunction(isAtRest);
    const faults = await faultsNow(page, options);
    if (await page.evaluate(isAtRest)) return faults;
  }
}

/** Runs axe in the page itself. Nothing of ours is in frames, and only the faults leave the page: lists of what is right are long. */
function faultsNow(page: Page, options: RunOptions): Promise<readonly Fault[]> {
  return page.evaluate(
    async ([grave, wanted]) => {
      const { axe } = globalThis as unknown as { axe: { run(document: Document, options: RunOptions): Promise<AxeResults> } };
      const { violations } = await axe.run(document, wanted);
      return violations
        .filter(({ impact }) => grave.includes(impact ?? ''))
        .flatMap(({ id, nodes }) =>
          nodes.map(({ target, failureSummary, html }) => ({ rule: id, target: target.join(' '), summary: failureSummary ?? '', html: html.slice(0, 160) })),
        );
    },
    [GRAVE, { ...options, resultTypes: ['violations'], iframes: false } satisfies RunOptions] as const,
  );
}

const schemeOf = () => document.documentElement.getAttribute('data-mantine-color-scheme');
const hasScheme = (scheme: string | null) => document.documentElement.getAttribute('data-mantine-color-scheme') === scheme;

async function faultsInTheDark(page: Page): Promise<readonly Fault[]> {
  const before = await page.evaluate(schemeOf);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForFunction(hasScheme, 'dark');
  const faults = await faultsOf(page, CONTRASTS);
  await page.emulateMedia({ colorScheme: before === 'dark' ? 'dark' : 'light' });
  // What is looked at next must not change its colors meanwhile.
  await page.waitForFunction(hasScheme, before);
  return faults;
}

/** What axe holds against a page in the light, and against its contrasts in the dark; in short: the rule, and where. */
export async function problemsOf(page: Page, where: string, themes: readonly ('light' | 'dark')[] = ['light', 'dark']): Promise<string[]> {
  await atRest(page);
  const light = await faultsOf(page, ALL_RULES);
  return (
    [...light, ...(themes.includes('dark') ? await faultsInTheDark(page) : [])]
      // What a message or a list lies over for a moment has its size nevertheless.
      .filter(({ summary }) => !summary.includes('partially obscured'))
      .map(({ rule, target, summary, html }) => `${where}: ${rule} at ${target} — ${summary.split('\n')[1]?.trim()} — ${html}`)
  );
}
