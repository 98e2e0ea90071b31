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

const VERDICTS: Readonly<Record<string, { readonly en: string; readonly zh: string }>> = {
  proven: { en: 'Everything is proven.', zh: '全部得到证明。' },
  partly: { en: 'Unchanged as far as a witness proves it.', zh: '见证覆盖的部分没有更改。' },
  changed: {
    en: 'NOT proven: something was changed or is missing.',
    zh: '未得到证明：有内容被更改或缺失。',
  },
  unreadable: { en: 'The evidence cannot be verified:', zh: '无法校验证据：' },
};
const SESSION = '6f9b2c64-5f0e-4c39-9d5f-2f1a3c0c7a11';
/** Sentences in Chinese that name the change of a vector. */
const CHINESE: Readonly<Record<string, string>> = {
  'changed-command.tar': `会话 ${SESSION}：第 2 条命令被更改`,
  'changed-recording.tar': `会话 ${SESSION}：录像被更改`,
  'no-sm3-row.tar': 'login_log：第 5 行的 SM3 摘要与见证 4 不符',
  'other-sm3-row.tar': 'login_log：第 5 行的 SM3 摘要不同',
  'other-signature.tar': 'SM2 签名错误',
  'rewritten-log.tar':
    'login_log：与 2026-11-20T09:55:07.000Z 的见证 3 不符；第 3 至 4 行中有一行在签名后被更改',
  'other-authority.tar': '见证 1：证书不能追溯到所给的 CA',
  'cut-off.tar': '归档已截断',
};

/** Drops a file on the page, and returns everything that the page says of it. */
async function dropped(page: Page, file: string, content: string): Promise<string> {
  const transfer = await page.evaluateHandle(
    ([name, base64]) => {
      const bytes = Uint8Array.from(atob(base64 ?? ''), (letter) => letter.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], name ?? ''));
      return data;
    },
    [file, content],
  );
  await page.locator('body').dispatchEvent('drop', { dataTransfer: transfer });
  const status = page.getByRole('status');
  await status.getByText(file).waitFor();
  return (await page.getByRole('main').textContent()) ?? '';
}

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
    await verifier.getByText('Choose an evidence file to start.', { exact: true }).waitFor();
    expect(await problemsOf(verifier, 'verifier without files', ['light'])).toEqual([]);
    for (const { file, says } of vectors.filter(({ verdict }) => verdict === 'proven')) {
      const text = await verdictOf(verifier, at(file));
      expect(text, file).toContain(
        'The content matches its digests. No signature of a witness was verified.',
      );
      expect(text, file).toContain('No CA certificate is chosen');
      expect(text, file).not.toContain(says);
    }
    const changed = await verdictOf(verifier, at('changed-command.tar'));
    expect(changed).toContain(VERDICTS.changed?.en);
    expect(changed).toContain('command 2 was changed');
    await verifier.getByText('Choose the CA certificate: it proves', { exact: false }).waitFor();
    await verifier.locator('#authority').setInputFiles(at('ca.pem'));
    // This server has no witness.
    for (const file of [ofSession, ofPeriod]) {
      const text = await verdictOf(verifier, await file.path());
      expect(text).toContain('Unchanged as far as a witness proves it.');
      expect(text).toContain('session_digest: NO WITNESS');
      expect(text).not.toContain('Changed or missing');
    }
    for (const { file, verdict, says } of vectors) {
      const text = await verdictOf(verifier, at(file));
      expect(text, file).toContain(says);
      expect(text, file).toContain(VERDICTS[verdict]?.en);
    }
    for (const colorScheme of ['dark', 'light'] as const) {
      await verifier.emulateMedia({ colorScheme });
      expect(await problemsOf(verifier, `verifier, ${colorScheme}`, ['light'])).toEqual([]);
    }
    await verifier.getByRole('button', { name: '中文' }).click();
    await verifier.getByRole('heading', { level: 1, name: '校验 Sallyport 证据' }).waitFor();
    for (const { file, verdict, says } of vectors) {
      const content = readFileSync(at(file)).toString('base64');
      const text = await dropped(verifier, file, content);
      expect(text, file).toContain(VERDICTS[verdict]?.zh);
      expect(text, file).toContain(CHINESE[file] ?? '');
      expect(text, file).not.toContain(says);
    }
    await verifier.setViewportSize({ width: 390, height: 800 });
    expect(await verifier.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(complaints).toEqual([]);
    await context.close();
  },
);
