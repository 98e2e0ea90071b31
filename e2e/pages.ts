// npm run pages [-- WORD,WORD]: checks every page with sample data (or those whose name has one of
// the words), with everything that opens on it, in both themes. Checks accessibility (WCAG 2.2 AA),
// layout shift, and rounds of requests. --short skips what opens on a page, --tabs adds every tab,
// --light and --dark select one theme. --phone makes the window 390 pixels wide. --moves only
// checks the layout shift, with the late parts of the frame; --slow does so over a slow line.

import type { Page } from 'playwright-core';
import { DEMO_PASSWORD } from '../demo/people/people.ts';
import { RestlessPage } from './harness/at-rest.ts';
import { problemsOf } from './harness/axe.ts';
import { launchChromium, Visitor } from './harness/browser.ts';
import { countLayoutShift, movesOf, slowDown } from './harness/layout-shift.ts';
import { lateRounds } from './harness/rounds.ts';
import { ADMIN, Server } from './harness/server.ts';
import { isMissing } from './pages/missing-page.ts';
import { signIn } from './pages/sign-in-page.ts';
import { STRANGER_SCENES, workerScenes } from './pictures/people-scenes.ts';
import { adminScenes, type Scene } from './pictures/scenes.ts';
import { closeAll, LAYERS, openersOf, opens, tabsOf } from './proof/openers.ts';

const words = (process.argv.slice(2).find((word) => !word.startsWith('--')) ?? '').split(',');
const isWanted = (name: string) => words.some((word) => name.includes(word));
const themes = (['light', 'dark'] as const).filter(
  (theme) =>
    process.argv.includes(`--${theme}`) ||
    !process.argv.includes(theme === 'light' ? '--dark' : '--light'),
);
/** Without what opens over the pages. */
const isShort = process.argv.includes('--short');
/** With every tab of the pages that have some. */
const hasTabs = process.argv.includes('--tabs');

/** At the width of a phone. */
const isPhone = process.argv.includes('--phone');
const isSlow = process.argv.includes('--slow');
/** Only the layout shift. */
const onlyMoves = isSlow || process.argv.includes('--moves');

/** After a page has its first answers: counters and the live channel come up to 4 s later. */
const LATE_PARTS_MILLISECONDS = 5_000;
/** For a page to come to rest. */
const PATIENCE_MILLISECONDS = 30_000;
const REPORT = 'command-report';
const WORKER = { username: 'demo', password: DEMO_PASSWORD };

const server = await Server.launch({ demo: true });
const browser = await launchChromium();
const faults: string[] = [];
let layers = 0;
let pages = 0;

const known = new Set<string>();

/** Looks at a page, and at each of its tabs. */
async function lookAtAll(visitor: Visitor, theme: 'light' | 'dark', scene: Scene): Promise<void> {
  await lookAt(visitor, theme, scene);
  if (!hasTabs) return;
  for (const tab of await tabsOf(visitor.page, scene)) {
    if (known.has(`${theme} ${tab.address}`)) continue;
    known.add(`${theme} ${tab.address}`);
    await lookAt(visitor, theme, tab);
  }
}

/**
 * Returns the faults that axe finds. A page that never comes to rest is a fault as well; the walk
 * continues.
 */
async function problemsNow(page: Page, where: string): Promise<string[]> {
  try {
    return await problemsOf(page, where, ['light']);
  } catch (error) {
    if (!(error instanceof RestlessPage)) throw error;
    return [`${where}: ${error.message}`];
  }
}

/**
 * Returns true if an element seems too small only because an opened layer covers it. The page was
 * checked before.
 */
async function isBelow(page: Page, problem: string): Promise<boolean> {
  const target = /: target-size at (.+?) — /.exec(problem)?.[1];
  return (
    target !== undefined &&
    (await page
      .locator(target)
      .first()
      .evaluate((element, layers) => element.closest(layers) === null, LAYERS))
  );
}

async function lookAt(
  { page }: Visitor,
  theme: 'light' | 'dark',
  { name: scene, address }: Scene,
): Promise<void> {
  pages++;
  const name = `${theme} ${scene}`;
  process.stdout.write(`${name}\n`);
  const open = async () => {
    await page.goto(address);
    await page.getByRole('main').first().waitFor();
    await page.waitForLoadState('networkidle');
  };
  await open();
  if (onlyMoves) await page.waitForTimeout(LATE_PARTS_MILLISECONDS);
  const problems = (await isMissing(page)) ? [`${name}: there is no such page: ${address}`] : [];
  problems.push(...(await movesOf(page, name)));
  if (!onlyMoves) problems.push(...(await problemsNow(page, name)));
  if (theme === 'light' && !onlyMoves) problems.push(...(await lateRounds(page, name, address)));
  if (!isShort && !onlyMoves) {
    await open();
    for (const opener of await openersOf(page, scene === 'dashboard')) {
      if (await opens(page, opener)) {
        layers++;
        for (const problem of await problemsNow(page, `${name}, ${opener.name}`))
          if (!(await isBelow(page, problem))) problems.push(problem);
      }
      if (!(await closeAll(page, address))) await open();
    }
  }
  for (const fault of problems) process.stdout.write(`  ${fault}\n`);
  faults.push(...problems);
}

/**
 * The report of commands: its content policy blocks scripts, so its text is checked in a separate
 * page.
 */
async function lookAtReport({ page, context }: Visitor, theme: 'light' | 'dark'): Promise<void> {
  const name = `${theme} ${REPORT}`;
  pages++;
  process.stdout.write(`${name}\n`);
  const answer = await context.request.get('/api/v1/terminal/commands/report/');
  await page.goto('about:blank');
  await page.setContent(await answer.text());
  await page.getByRole('main').waitFor();
  const problems = await problemsOf(page, name, ['light']);
  for (const fault of problems) process.stdout.write(`  ${fault}\n`);
  faults.push(...problems);
}

try {
  const ofAdministrator = (await adminScenes(await server.signIn())).filter(({ name }) =>
    isWanted(name),
  );
  const ofWorker = (await workerScenes(await server.signIn(WORKER))).filter(({ name }) =>
    isWanted(name),
  );
  const ofStranger = STRANGER_SCENES.filter(({ name }) => isWanted(name));
  for (const theme of themes) {
    for (const [scenes, account] of [
      [ofAdministrator, ADMIN],
      [ofWorker, WORKER],
      [ofStranger, undefined],
    ] as const) {
      const visitor = await Visitor.open(browser, server.url, {
        ...{ language: 'en', theme },
        ...(isPhone && { size: { width: 390, height: 844 } }),
      });
      visitor.context.setDefaultTimeout(PATIENCE_MILLISECONDS);
      await countLayoutShift(visitor);
      if (account && scenes.length > 0) await signIn(visitor, account);
      if (isSlow) await slowDown(visitor);
      for (const scene of scenes) await lookAtAll(visitor, theme, scene);
      if (account === ADMIN && isWanted(REPORT) && !onlyMoves) await lookAtReport(visitor, theme);
      await visitor.context.close();
    }
  }
  process.stdout.write(
    `${pages} pages (${themes.join(' and ')}) with ${layers} opened layers: ${faults.length} faults\n`,
  );
} finally {
  await browser.close();
  await server.stop();
}
if (faults.length > 0) process.exitCode = 1;
