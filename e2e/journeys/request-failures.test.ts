import { ERRORS, SETTING_CATEGORIES } from '@sallyport/contract';
import { expect } from 'vitest';
import { startS3 } from '../../server/src/testing/services/s3-server.ts';
import { words as settings } from '../../web/src/console/features/settings/words.ts';
import { words as storages } from '../../web/src/console/features/storages/words.ts';
import { words as detail } from '../../web/src/console/resource/detail/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { create, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { heardMessage } from '../harness/messages.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useOwnServer();

const SAID = {
  zh: { tested: '测试成功', failed: /^测试失败：/, notCreated: '创建失败' },
  en: { tested: 'Test Success', failed: /^The test failed: /, notCreated: 'Could not create' },
} as const;

journey('shows the failures of some requests at their place only', async (open, { admin }) => {
  const name = unique('domain');
  const id = await create(admin, 'assets/domains/', { name });
  const visitor = await open({ language });
  const { page } = visitor;
  const view = new ConsolePage(visitor);
  await signIn(visitor, ADMIN, '/ui/assets/domains');
  await view.heading.waitFor();
  visitor.watch.allow(/^404 GET /, /^502 GET .*\/assets\/domains\//);
  const words = 'words of the server';
  await page.route(`**/api/v1/assets/domains/${id}/`, (route) =>
    route.fulfill({ status: 502, json: { msg: words } }),
  );
  const toasts = page.locator('.mantine-Notification-root');
  await page.goto(`/ui/assets/domains/${id}`);
  await view.main.getByText(words).first().waitFor();
  expect(await toasts.count()).toBe(0);
  await page.goto(`/ui/assets/domains/${crypto.randomUUID()}`);
  await view.main.getByText(view.say(detail.resourceLost)).first().waitFor();
  expect(await toasts.count()).toBe(0);
});

journey('reports a token that cannot be created', async (open, { admin }) => {
  const taken = unique('provider');
  expect((await admin.post('settings/scim/tokens/', { name: taken })).status).toBe(201);
  const visitor = await open({ language });
  const { page } = visitor;
  const view = new ConsolePage(visitor);
  visitor.watch.allow(/^400 POST \/api\/v1\/settings\/scim\/tokens\//);
  await signIn(visitor, ADMIN, '/ui/settings');
  await page
    .getByRole('tab', { name: view.say(SETTING_CATEGORIES.scim.title), exact: true })
    .click();
  const name = view.main.getByRole('textbox', {
    name: view.say(settings.tokenName),
    exact: true,
  });
  await name.fill(taken);
  await view.button(settings.makeToken).click();
  const alert = page.getByRole('alert');
  await alert.getByText(SAID[language].notCreated, { exact: true }).waitFor();
  await alert.getByText(view.say(ERRORS.not_unique)).waitFor();
});

// The last one: the windows of a file are used again, and this one keeps the clock of the test.
journey(
  'tests a storage, and shows the words of the server for five seconds when it fails',
  async (open, { admin }) => {
    const s3 = await startS3();
    const name = unique('storage');
    await create(admin, 'terminal/replay-storages/', {
      name,
      type: 's3',
      bucket: s3.bucket,
      endpoint: s3.endpoint,
      access_key: s3.accessKey,
      secret_key: s3.secretKey,
      path_style: true,
    });
    const visitor = await open({ language });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    const failures = page.getByRole('alert');
    await page.clock.install();
    await signIn(visitor, ADMIN, '/ui/terminal/storages');
    const test = async () => {
      await view
        .row(name)
        .getByRole('button', { name: view.say(common.more) })
        .click();
      await page.getByRole('menuitem', { name: view.say(storages.test), exact: true }).click();
    };
    await test();
    await heardMessage(page, SAID[language].tested);
    await s3.stop();
    await test();
    await failures.getByText(SAID[language].failed).waitFor();

    // Bodies of other servers: their words in `error` or `msg`, else the message of the failure.
    const address = /\/replay-storages\/[^/]+\/test-connective\/$/;
    visitor.watch.allow(/^502 GET .*\/test-connective\/$/);
    for (const [json, text] of [
      [{ error: 'words in error' }, 'words in error'],
      [{ msg: 'words in msg' }, 'words in msg'],
      [{}, /502/],
    ] as const) {
      await page.route(address, (route) => route.fulfill({ status: 502, json }), { times: 1 });
      await test();
      await failures.getByText(text).waitFor();
    }

    // The last message stays for five seconds of the page's clock.
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000);
    await expect
      .poll(async () => {
        await page.clock.runFor(500);
        return failures.count();
      })
      .toBe(0);
    await page.route(address, (route) => route.fulfill({ status: 502, json: { msg: 'kept' } }));
    await test();
    const last = failures.getByText('kept', { exact: true });
    await last.waitFor();
    await page.clock.runFor(4_900);
    expect(await last.count()).toBe(1);
    await expect
      .poll(async () => {
        await page.clock.runFor(100);
        return last.count();
      })
      .toBe(0);
  },
);
