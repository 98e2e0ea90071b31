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

/**
 * Returns the faults that axe finds in a page at rest. Repeats the run if the page moved meanwhile.
 * A list that is read again during a run is pale for a moment, so a fault must show in two runs.
 */
async function faultsOf(page: Page, options: RunOptions): Promise<readonly Fault[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  for (let earlier: readonly Fault[] | undefined; ; ) {
    await untilAtRest(page);
    const faults = await faultsNow(page, options);
    if (!(await page.evaluate(isAtRest))) continue;
    if (faults.length === 0) return faults;
    if (earlier) return faults.filter((fault) => earlier?.some((one) => isSame(one, fault)));
    earlier = faults;
  }
}

const isSame = (one: Fault, other: Fault) => one.rule === other.rule && one.target === other.target;

/**
 * Runs axe inside the page. Our pages have no frames. Returns the faults only, because lists of
 * passes are long.
 */
function faultsNow(page: Page, options: RunOptions): Promise<readonly Fault[]> {
  return page.evaluate(
    async ([grave, wanted]) => {
      const { axe } = globalThis as unknown as {
        axe: { run(document: Document, options: RunOptions): Promise<AxeResults> };
      };
      const { violations } = await axe.run(document, wanted);
      // Nested controls leave open which of the two reacts to a click; axe has no rule for them.
      const nested = [...document.querySelectorAll(':is(a, button) :is(a, button)')].map(
        (element) => ({
          rule: 'one link or button within another',
          target: element.className,
          summary: '\nmove it out',
          html: element.outerHTML.slice(0, 160),
        }),
      );
      const problems = violations
        .filter(({ impact }) => grave.includes(impact ?? ''))
        .flatMap(({ id, nodes }) =>
          nodes.map(({ target, failureSummary, html }) => ({
            rule: id,
            target: target.join(' '),
            summary: failureSummary ?? '',
            html: html.slice(0, 160),
          })),
        );
      return [...nested, ...problems];
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
    // A control that a message or a list covers for a moment keeps its size.
    .filter(({ summary }) => !summary.includes('partially obscured'))
    .map(
      ({ rule, target, summary, html }) =>
        `${where}: ${rule} at ${target} — ${summary.split('\n')[1]?.trim()} — ${html}`,
    );

/**
 * Returns the faults of the page as it is, and its contrast faults in each theme: rule and place.
 */
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
    // The next check must not begin while colors still change.
    await showTheme(page, before);
  }
  return written(where, faults);
}

/**
 * Like `problemsOf`, plus the contrast faults in the other theme. The page stays in that theme:
 * each switch repaints the whole page.
 */
export async function problemsAndOtherTheme(page: Page, where: string): Promise<string[]> {
  await atRest(page);
  const faults = [...(await faultsOf(page, ALL_RULES))];
  await showTheme(page, (await page.evaluate(schemeOf)) === 'dark' ? 'light' : 'dark');
  faults.push(...(await faultsOf(page, CONTRASTS)));
  return written(where, faults);
}
