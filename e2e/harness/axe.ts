import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { atRest, isAtRest, untilAtRest } from './at-rest.ts';
import { waitInPage } from './wait.ts';

const GRAVE = ['serious', 'critical'];

/** With the rules of WCAG 2.2 AA; the size of targets is one that axe leaves out by itself. */
const ALL_RULES: RunOptions = { rules: { 'target-size': { enabled: true } } };
const CONTRASTS: RunOptions = { runOnly: ['color-contrast'] };

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

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
    await untilAtRest(page);
    const faults = await faultsNow(page, options);
    if (await page.evaluate(isAtRest)) return faults;
  }
}

/** Runs axe in the page itself. Nothing of ours is in frames, and only the faults leave the page: lists of what is right are long. */
function faultsNow(page: Page, options: RunOptions): Promise<readonly Fault[]> {
  return page.evaluate(
    async ([grave, wanted]) => {
      const { axe } = globalThis as unknown as {
        axe: { run(document: Document, options: RunOptions): Promise<AxeResults> };
      };
      const { violations } = await axe.run(document, wanted);
      // Which of both does something when it is clicked, nobody can tell; axe has no rule for it.
      const nested = [...document.querySelectorAll(':is(a, button) :is(a, button)')].map(
        (element) => ({
          rule: 'one link or button within another',
          target: element.className,
          summary: '\nmove it out',
          html: element.outerHTML.slice(0, 160),
        }),
      );
      const found = violations
        .filter(({ impact }) => grave.includes(impact ?? ''))
        .flatMap(({ id, nodes }) =>
          nodes.map(({ target, failureSummary, html }) => ({
            rule: id,
            target: target.join(' '),
            summary: failureSummary ?? '',
            html: html.slice(0, 160),
          })),
        );
      return [...nested, ...found];
    },
    [
      GRAVE,
      { ...options, resultTypes: ['violations'], iframes: false } satisfies RunOptions,
    ] as const,
  );
}

const schemeOf = () => document.documentElement.getAttribute('data-mantine-color-scheme');
const hasScheme = (scheme: string | null) =>
  document.documentElement.getAttribute('data-mantine-color-scheme') === scheme;

/** Shows the page in a theme, and waits until its colors have changed. */
export async function showTheme(page: Page, scheme: string | null): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme === 'dark' ? 'dark' : 'light' });
  await waitInPage(page, `the colors of the theme ${scheme}`, hasScheme, scheme);
}

const written = (where: string, faults: readonly Fault[]) =>
  faults
    // What a message or a list lies over for a moment has its size nevertheless.
    .filter(({ summary }) => !summary.includes('partially obscured'))
    .map(
      ({ rule, target, summary, html }) =>
        `${where}: ${rule} at ${target} — ${summary.split('\n')[1]?.trim()} — ${html}`,
    );

/** What axe holds against a page as it is, and against its contrasts in the dark; in short: the rule, and where. */
export async function problemsOf(
  page: Page,
  where: string,
  themes: readonly ('light' | 'dark')[] = ['light', 'dark'],
): Promise<string[]> {
  await atRest(page);
  const faults = [...(await faultsOf(page, ALL_RULES))];
  if (themes.includes('dark')) {
    const before = await page.evaluate(schemeOf);
    await showTheme(page, 'dark');
    faults.push(...(await faultsOf(page, CONTRASTS)));
    // What is looked at next must not change its colors meanwhile.
    await showTheme(page, before);
  }
  return written(where, faults);
}

/** What axe holds against a page as it is, and against its contrasts in the other theme, in which the page stays: each change of all colors takes the browser its time. */
export async function problemsAndOtherTheme(page: Page, where: string): Promise<string[]> {
  await atRest(page);
  const faults = [...(await faultsOf(page, ALL_RULES))];
  await showTheme(page, (await page.evaluate(schemeOf)) === 'dark' ? 'light' : 'dark');
  faults.push(...(await faultsOf(page, CONTRASTS)));
  return written(where, faults);
}
