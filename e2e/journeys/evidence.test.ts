import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { words as evidence } from '../../web/src/console/features/evidence/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildGranted } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { recordedSession } from '../harness/sessions.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const language = languageOfFile(import.meta.url);
const { journey } = useOwnServer();

const VECTORS = resolve(import.meta.dirname, '../../docs/evidence-vectors');
const at = (name: string) => resolve(VECTORS, name);
const vectors = JSON.parse(readFileSync(at('vectors.json'), 'utf8')) as readonly {
  readonly file: string;
  readonly verdict: string;
  readonly says: string;
}[];

/** Chooses a file, and returns everything that the page says of it. */
async function verdictOf(page: Page, file: string): Promise<string> {
  await page.locator('#evidence').setInputFiles([]);
  await page.getByRole('status').getByText(/./).waitFor({ state: 'detached' });
  await page.locator('#evidence').setInputFiles(file);
  await page.getByRole('status').getByText(/./).first().waitFor();
  return (await page.getByRole('main').textContent()) ?? '';
}

journey(
  'exports the evidence of a session and of a period, and proves it in a page that needs no server',
  async (open, { admin, sshd, browser }) => {
    const { person, asset } = await buildGranted(admin, sshd);
    const visitor = await open({ language });
    await signIn(visitor, person, '/luna/');
    const terminal = await connectTo(visitor.page, language, asset);
    await terminal.ready();
    await terminal.run('exit');
    const session = await recordedSession(admin, `user_id=${person.id}`);

    const auditor = await open({ language });
    const view = new ConsolePage(auditor);
    await signIn(auditor, ADMIN, `/ui/terminal/sessions/${session}`);
    await view.main.getByRole('button', { name: view.say(evidence.exportEvidence) }).click();
    const [page] = await Promise.all([
      auditor.page.waitForEvent('download'),
      view.dialog.getByRole('link', { name: view.say(evidence.saveVerifier) }).click(),
    ]);
    const [ofSession] = await Promise.all([
      auditor.page.waitForEvent('download'),
      view.dialog.getByRole('button', { name: view.say(evidence.export), exact: true }).click(),
    ]);
    expect(ofSession.suggestedFilename()).toBe(`evidence-${session}.tar`);

    await auditor.page.goto(new URL('/ui/audits/login-log', auditor.page.url()).href);
    await view.button(evidence.exportEvidence).click();
    await view.dialog.getByRole('link', { name: view.say(evidence.saveVerifier) }).waitFor();
    expect(await problemsOf(auditor.page, 'export of evidence')).toEqual([]);
    const [ofPeriod] = await Promise.all([
      auditor.page.waitForEvent('download'),
      view.dialog.getByRole('button', { name: view.say(evidence.export), exact: true }).click(),
    ]);

    const context = await browser.newContext({ locale: 'en-US', offline: true });
    const verifier = await context.newPage();
    const complaints: string[] = [];
    verifier.on('console', (message) => complaints.push(message.text()));
    verifier.on('pageerror', (error) => complaints.push(String(error)));
    await page.saveAs(resolve(`${await page.path()}.html`));
    await verifier.goto(`file://${await page.path()}.html`);
    await verifier.locator('#authority').setInputFiles(at('ca.pem'));
    // This server has no witness.
    for (const file of [ofSession, ofPeriod]) {
      const text = await verdictOf(verifier, await file.path());
      expect(text).toContain('Unchanged as far as a witness proves it.');
      expect(text).toContain('session_digest: NO WITNESS');
      expect(text).not.toContain('Changed or missing');
    }
    for (const { file, says } of vectors)
      expect(await verdictOf(verifier, at(file)), file).toContain(says);
    for (const colorScheme of ['dark', 'light'] as const) {
      await verifier.emulateMedia({ colorScheme });
      expect(await problemsOf(verifier, `verifier, ${colorScheme}`, ['light'])).toEqual([]);
    }
    await verifier.getByRole('button', { name: '中文' }).click();
    await verifier.getByRole('heading', { level: 1, name: '校验 Sallyport 证据' }).waitFor();
    await verifier.setViewportSize({ width: 390, height: 800 });
    expect(await verifier.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(complaints).toEqual([]);
    await context.close();
  },
);
