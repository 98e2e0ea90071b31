// npm run pages [-- WORD]: looks at every page of the administrator with sample data (or those whose name has the word), with everything that can be
// opened on it, in both themes: accessibility (WCAG 2.2 AA), whether it moves while it loads, and how many rounds of requests it waits for.

import { problemsOf } from './harness/axe.ts';
import { launchChromium, Visitor } from './harness/browser.ts';
import { countLayoutShift, movesOf } from './harness/layout-shift.ts';
import { lateRounds } from './harness/rounds.ts';
import { ADMIN, Server } from './harness/server.ts';
import { isMissing } from './pages/missing-page.ts';
import { signIn } from './pages/sign-in-page.ts';
import { adminScenes, type Scene } from './pictures/scenes.ts';
import { closeAll, openersOf, opens } from './proof/openers.ts';

const wanted = process.argv.slice(2).find((word) => !word.startsWith('--')) ?? '';
/** Without what opens over the pages. */
const isShort = process.argv.includes('--short');

const REPORT = 'command-report';

const server = await Server.launch({ demo: true });
const browser = await launchChromium();
const faults: string[] = [];
let layers = 0;

async function lookAt({ page }: Visitor, theme: 'light' | 'dark', { name: scene, address }: Scene): Promise<void> {
  const name = `${theme} ${scene}`;
  process.stdout.write(`${name}\n`);
  const open = async () => {
    await page.goto(address);
    await page.getByRole('main').first().waitFor();
    await page.waitForLoadState('networkidle');
  };
  await open();
  const found = (await isMissing(page)) ? [`${name}: there is no such page: ${address}`] : [];
  found.push(...(await movesOf(page, name)), ...(await problemsOf(page, name, ['light'])));
  if (theme === 'light') found.push(...(await lateRounds(page, name, address)));
  if (!isShort) {
    await open();
    for (const opener of await openersOf(page, scene === 'dashboard')) {
      if (await opens(page, opener)) {
        layers++;
        found.push(...(await problemsOf(page, `${name}, ${opener.name}`, ['light'])));
      }
      if (!(await closeAll(page, address))) await open();
    }
  }
  for (const fault of found) process.stdout.write(`  ${fault}\n`);
  faults.push(...found);
}

/** The report of commands: its policy lets nothing run in it, so what it says is looked at in a page of its own. */
async function lookAtReport({ page, context }: Visitor, theme: 'light' | 'dark'): Promise<void> {
  const name = `${theme} ${REPORT}`;
  process.stdout.write(`${name}\n`);
  const answer = await context.request.get('/api/v1/terminal/commands/report/');
  await page.goto('about:blank');
  await page.setContent(await answer.text());
  await page.getByRole('main').waitFor();
  const found = await problemsOf(page, name, ['light']);
  for (const fault of found) process.stdout.write(`  ${fault}\n`);
  faults.push(...found);
}

try {
  const scenes = (await adminScenes(await server.signIn())).filter(({ name }) => name.includes(wanted));
  for (const theme of ['light', 'dark'] as const) {
    const visitor = await Visitor.open(browser, server.url, { language: 'en', theme });
    await countLayoutShift(visitor);
    await signIn(visitor, ADMIN);
    for (const scene of scenes) await lookAt(visitor, theme, scene);
    if (REPORT.includes(wanted)) await lookAtReport(visitor, theme);
    await visitor.context.close();
  }
  process.stdout.write(`${scenes.length + Number(REPORT.includes(wanted))} pages in two themes with ${layers} opened layers: ${faults.length} faults\n`);
} finally {
  await browser.close();
  await server.stop();
}
if (faults.length > 0) process.exitCode = 1;
