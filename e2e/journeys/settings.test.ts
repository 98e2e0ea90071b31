import { ERRORS, type LocalText, SETTING_CATEGORIES } from '@sallyport/contract';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { importLicense } from '../../server/src/testing/license.ts';
import { startMailbox } from '../../server/src/testing/services/mailbox.ts';
import { words as vaultWords } from '../../web/src/console/features/asset-users/words.ts';
import { words as mfa } from '../../web/src/console/features/mfa/words.ts';
import { words } from '../../web/src/console/features/settings/words.ts';
import { words as signInWords } from '../../web/src/signin/words.ts';
import { unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { addLicense } from '../harness/license.ts';
import { heardMessage } from '../harness/messages.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useOwnServer();

const { basic, email, security } = SETTING_CATEGORIES;
const REFUSED = /^400 (PUT|POST) \/api\/v1\/(settings|xpack)\//;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const DRAWING =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 492 472"><circle cx="246" cy="236" r="200" fill="#0f766e"/></svg>';

const SAID = {
  zh: {
    updated: '更新成功',
    notUrl: '请输入以 http:// 或 https:// 开头的地址。',
    sent: '测试邮件已发送至 ops@example.com。',
    tooSmall: '请确保该值大于或者等于 6',
    menu: '组织管理',
  },
  en: {
    updated: 'Update success',
    notUrl: 'Enter an address that begins with http:// or https://.',
    sent: 'Test mail sent to ops@example.com.',
    tooSmall: 'Ensure this value is greater than or equal to 6',
    menu: 'Organizations',
  },
} as const;

journey(
  'saves settings by category, shows an error under its field, and sends a test mail',
  async (open, { admin }) => {
    const mailbox = await startMailbox({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username = '', password }, _session, done) =>
        password === 'smtp secret'
          ? done(null, { user: username })
          : done(new Error('Wrong secret')),
    });
    const visitor = await open({ language });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    visitor.watch.allow(REFUSED);
    await signIn(visitor, ADMIN, '/ui/settings');

    const site = view.field(basic.fields.SITE_URL.label);
    await site.fill('example.com');
    await view.submit();
    await view.main.getByText(SAID[language].notUrl).waitFor();
    expect(await site.getAttribute('aria-invalid')).toBe('true');
    const address = `https://${language}.example.com`;
    await site.fill(address);
    await view.submit();
    await heardMessage(page, SAID[language].updated);

    await page.getByRole('tab', { name: view.say(email.title), exact: true }).click();
    await view.field(email.fields.EMAIL_HOST.label).fill('127.0.0.1');
    await view.field(email.fields.EMAIL_PORT.label).fill(String(mailbox.port));
    await view.field(email.fields.EMAIL_HOST_USER.label).fill('robot@example.com');
    await view.field(email.fields.EMAIL_RECIPIENT.label).fill('ops@example.com');
    const secret = view.main.getByRole('textbox', {
      name: view.say(email.fields.EMAIL_HOST_PASSWORD.label),
      exact: true,
    });
    await secret.fill('not it');
    await view.button(words.testConnection).click();
    await view.main.getByRole('alert').getByText('Wrong secret').waitFor();
    await secret.fill('smtp secret');
    await view.button(words.testConnection).click();
    await view.main.getByText(SAID[language].sent).waitFor();
    expect((await mailbox.next('ops@example.com')).from).toBe('robot@example.com');
    await view.submit();
    await heardMessage(page, SAID[language].updated);
    // The server never returns a stored secret, which still works.
    await expect.poll(() => secret.inputValue()).toBe('');
    await page.reload();
    await view.button(words.testConnection).click();
    await view.main.getByText(SAID[language].sent).waitFor();
    await mailbox.next('ops@example.com');

    await page.getByRole('tab', { name: view.say(security.title), exact: true }).click();
    const length = view.field(security.fields.SECURITY_PASSWORD_MIN_LENGTH.label);
    await length.fill('8');
    const loaded = page.waitForEvent('load');
    await view.submit();
    await loaded;
    await expect.poll(() => length.inputValue()).toBe('8');
    const { body } = await admin.get<{
      data: { PASSWORD_RULE: { SECURITY_PASSWORD_MIN_LENGTH: number } };
    }>('settings/public/');
    expect(body.data.PASSWORD_RULE.SECURITY_PASSWORD_MIN_LENGTH).toBe(8);
    const saved = await admin.get<Record<string, Record<string, unknown>>>('settings/setting/');
    expect(saved.body.basic?.SITE_URL).toBe(address);
    await admin.patch('settings/setting/', { security: { SECURITY_PASSWORD_MIN_LENGTH: 6 } });
    await mailbox.stop();
  },
);

/** Chooses a file by the button that stands for it. */
async function give(
  page: Page,
  button: string,
  name: string,
  content: string | Buffer,
): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('main').getByRole('button', { name: button, exact: true }).click(),
  ]);
  await chooser.setFiles({
    name,
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(content),
  });
}

journey('enables every feature with one button, and removes the license again', async (open) => {
  const visitor = await open({ language });
  const { page } = visitor;
  const view = new ConsolePage(visitor);
  await signIn(visitor, ADMIN, '/ui/settings?activeTab=License');
  const button = (title: LocalText, name: LocalText) =>
    view.main.getByRole('button', { name: `${view.say(title)}: ${view.say(name)}`, exact: true });
  await button(words.issueLicense, words.issue).click();
  await view.main.getByText(view.say(words.ownLicense), { exact: true }).waitFor();
  await view.menu
    .getByRole('link', { name: SAID[language].menu, includeHidden: true })
    .waitFor({ state: 'attached' });
  expect(await button(words.issueLicense, words.issue).count()).toBe(0);

  await button(words.removeLicense, words.remove).click();
  await page.getByRole('dialog').getByText(view.say(words.removeQuestion)).waitFor();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: view.say(words.remove), exact: true })
    .click();
  await view.main.getByText(view.say(words.community)).waitFor();
  await view.menu
    .getByRole('link', { name: SAID[language].menu, includeHidden: true })
    .waitFor({ state: 'detached' });
});

journey(
  'enables licensed features when an issued license is imported, and refuses a modified one',
  async (open, { server, admin }) => {
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    visitor.watch.allow(REFUSED);
    await signIn(visitor, ADMIN, '/ui/settings?activeTab=License');
    await view.main.getByText(view.say(words.community)).waitFor();
    expect(
      await view.menu.getByRole('link', { name: SAID.en.menu, includeHidden: true }).count(),
    ).toBe(0);
    expect(await page.getByRole('tab', { name: view.say(words.interface) }).count()).toBe(0);

    const license = await server.command(
      'license',
      'issue',
      'corporation=Example Ltd',
      'expired=2099-12-31',
      'asset_count=5000',
    );
    const modified = license.replace('5000', '9000');
    // The running server reads the operator's new key a moment later, and reports a missing key
    // until then.
    await expect
      .poll(async () => (await importLicense(admin, JSON.parse(modified) as object)).body)
      .toMatchObject({ code: 'license_signature' });
    const button = `${words.importLicense.en}: ${words.chooseFile.en}`;
    await give(page, button, 'license.json', modified);
    await page.getByText(ERRORS.license_signature.en).waitFor();
    await give(page, button, 'license.json', license);
    await view.main.getByText('Example Ltd').waitFor();
    await view.main.getByText(view.say(words.valid), { exact: true }).waitFor();
    await view.menu
      .getByRole('link', { name: SAID.en.menu, includeHidden: true })
      .waitFor({ state: 'attached' });
    await page.getByRole('tab', { name: view.say(words.interface) }).waitFor();
  },
);

journey(
  'shows a stored secret in the vault after a second factor, or without one if the setting allows it',
  async (open, { server, admin }) => {
    await addLicense(server, admin);
    const hostname = unique('vaulted');
    const asset = (
      await admin.post<{ id: string }>('assets/assets/', {
        hostname,
        ip: '192.0.2.7',
        platform: 'Linux',
      })
    ).body.id;
    expect(
      (
        await admin.post('assets/asset-users/', {
          asset,
          username: 'ops',
          password: 'secret of the vault',
        })
      ).status,
    ).toBe(201);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    visitor.watch.allow(/^403 GET \/api\/v1\/assets\/asset-user-auth-infos\//);
    await signIn(visitor, ADMIN, `/ui/xpack/vault?search=${hostname}`);
    // A node of the tree narrows the list, and choosing it again shows all.
    const health = page.getByRole('navigation', { name: vaultWords.health.en });
    const never = health.getByRole('link', { name: /Never changed/ });
    await never.filter({ hasText: /[1-9]/ }).waitFor();
    await never.click();
    await page.waitForURL(/[?&]secret=unchanged/);
    await page.getByRole('row', { name: hostname }).waitFor();
    await health.getByRole('link', { name: vaultWords.stateOld.en }).click();
    await page.getByRole('row', { name: hostname }).waitFor({ state: 'detached' });
    await page.goto(`/ui/xpack/vault?search=${hostname}`);
    const node = page.getByRole('tree').getByRole('treeitem').first();
    await node.click();
    await page.waitForURL((url) => url.searchParams.has('node'));
    await page.getByRole('row', { name: hostname }).waitFor();
    await node.click();
    await page.waitForURL((url) => !url.searchParams.has('node'));
    // The assets are leaves of the tree, and one of them can be chosen.
    await page.getByRole('treeitem').filter({ hasText: hostname }).click();
    await page.waitForURL(/[?&]host=/);
    // The host is the head over its accounts.
    await page.getByRole('row', { name: hostname }).waitFor();
    const account = page.getByRole('row', { name: /ops/ });
    await account.getByText(vaultWords.neverChanged.en, { exact: true }).waitFor();
    await account.getByRole('button', { name: vaultWords.view.en }).click();
    await page.getByText(mfa.factorMissing.en).waitFor();
    const set = (value: boolean) =>
      admin.patch('settings/setting/', { security: { SECURITY_VIEW_AUTH_NEED_MFA: value } });
    expect((await set(false)).status).toBe(200);
    try {
      await page.keyboard.press('Escape');
      await account.getByRole('button', { name: vaultWords.view.en }).click();
      await page.getByText(vaultWords.audited.en).waitFor();
      expect(await page.getByText('secret of the vault').count()).toBe(0);
      await page
        .getByRole('button', { name: view.say(vaultWords.reveal, { name: 'Password' }) })
        .click();
      await page.getByText('secret of the vault').waitFor();
      await page.getByRole('timer').waitFor();
    } finally {
      await set(true);
    }
  },
);

journey(
  'shows a custom title and images on sidebar and sign-in page at once, and removes them',
  async (open, { server, admin }) => {
    await addLicense(server, admin);
    const visitor = await open({ language });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    visitor.watch.allow(REFUSED);
    await signIn(visitor, ADMIN, '/ui/settings?activeTab=Interface');
    const choose = (label: LocalText) => `${view.say(words.chooseFile)}: ${view.say(label)}`;
    for (const size of ['185×55', '82×82', '492×472', '16×16'])
      await view.main.getByText(size).waitFor();
    await view.field(words.title).fill('Example 门');
    await give(
      page,
      choose(words.indexLogo),
      'logo.svg',
      DRAWING.replace('/>', '/><script>1</script>'),
    );
    await view.submit();
    await view.main.getByText(view.say(ERRORS.unsafe_picture, { what: '<script>' })).waitFor();
    await give(page, choose(words.indexLogo), 'logo.png', PNG);
    await give(page, choose(words.loginImage), 'login.svg', DRAWING);
    const loaded = page.waitForEvent('load');
    await view.submit();
    await loaded;
    const logo = page.getByRole('complementary').getByRole('img', { name: 'Example 门' });
    await logo.waitFor();
    await expect.poll(() => logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
    await expect.poll(() => page.title()).toMatch(/ · Example 门$/);

    const other = await open({ language });
    await other.page.goto('/core/auth/login/');
    await other.page
      .getByRole('heading', { name: view.say(signInWords.welcome, { product: 'Example 门' }) })
      .waitFor();
    const picture = other.page.locator('img[src^="/static/interface/login_image-"]');
    await expect
      .poll(() =>
        picture.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0),
      )
      .toBe(true);
    await expect.poll(() => other.page.title()).toMatch(/ · Example 门$/);

    await view.main
      .getByRole('button', { name: view.say(words.restore), exact: true })
      .last()
      .click();
    await view.dialog.getByRole('button', { name: view.say(words.restore), exact: true }).click();
    await expect.poll(() => page.title()).toMatch(/ · Sallyport$/);
    await logo.waitFor({ state: 'detached' });
    expect(
      (await admin.get<{ login_title: string }>('xpack/interface/setting')).body.login_title,
    ).toBe('');
  },
);
