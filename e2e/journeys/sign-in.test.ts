import { ERRORS, user } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as profile } from '../../web/src/console/features/profile/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { buildNewcomer, buildPerson } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signInByForm, signInPage } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useOwnServer();

const SAID = {
  zh: { wrong: '登录失败', locked: '账号已锁定', minutes: '30 分钟' },
  en: { wrong: 'Sign-in failed', locked: 'Account locked', minutes: '30 minutes' },
} as const;

journey(
  'refuses a wrong password, locks the account after seven, and lets an administrator unlock it',
  async (open, { admin }) => {
    const person = await buildPerson(admin);
    const visitor = await open({ language });
    visitor.watch.allow(/^400 POST \/core\/auth\/login\//);
    const form = signInPage(visitor);
    await form.open();
    for (let left = 6; left >= 0; left--) {
      await form.submit({ username: person.username, password: `wrong ${left}` });
      await form.alert.getByText(SAID[language].wrong).waitFor();
      await form.alert.getByText(new RegExp(`\\b${left}\\b`)).waitFor();
    }
    // Now the right one is not believed either.
    await form.submit(person);
    await form.alert.getByText(SAID[language].locked).waitFor();
    await form.alert.getByText(SAID[language].minutes).waitFor();

    const { body } = await admin.get<{ login_blocked: boolean }>(`users/users/${person.id}/`);
    expect(body.login_blocked).toBe(true);
    expect((await admin.patch(`users/users/${person.id}/unblock/`)).status).toBe(200);
    await form.submit(person);
    await visitor.page.waitForURL(/\/ui\//);
  },
);

journey(
  'returns a visitor to the requested page after sign-in, and signs out afterwards',
  async (open) => {
    const visitor = await open({ language: 'en' });
    // A visitor without a sign-in is redirected to the sign-in page.
    visitor.watch.allow(/^401 GET \/api\/v1\/users\/(profile|preferences)\//);
    await visitor.page.goto('/ui/assets/labels?search=blue');
    await visitor.page.waitForURL(/\/core\/auth\/login\//);
    await signInPage(visitor).submit(ADMIN);
    await visitor.page.waitForURL(/\/ui\/assets\/labels\?search=blue/);
    await visitor.page.getByRole('button', { name: 'Account: ' }).click();
    await visitor.page.getByRole('menuitem', { name: 'Logout' }).click();
    await visitor.page.waitForURL(/\/core\/auth\/login\//);
    await visitor.page.goto('/ui/assets/labels');
    await visitor.page.waitForURL(/\/core\/auth\/login\//);
  },
);

journey('rejects an account that is disabled or expired', async (open, { admin }) => {
  const disabled = await buildNewcomer(admin, { is_active: false });
  const visitor = await open({ language: 'en' });
  visitor.watch.allow(/^400 POST \/core\/auth\/login\//);
  const form = signInPage(visitor);
  await form.open();
  await form.submit(disabled);
  await form.alert.getByText('This account is disabled or expired.').waitFor();
});

journey(
  'asks for the password before an SSH key is set at the first sign-in',
  async (open, { admin, server }) => {
    const key =
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL/0tFxgfHq6M8tTSqUXHfWQuzChxBY6vPmF9XWMY2Q4 laptop';
    const newcomer = await buildNewcomer(admin);
    const visitor = await open({ language });
    visitor.watch.allow(/^400 PUT \/api\/v1\/users\/profile\//);
    const view = new ConsolePage(visitor);
    await signInByForm(visitor, newcomer);
    await visitor.page.waitForURL(/\/ui\/users\/first-login\/personal-information-improvement/);
    const password = view.field(profile.currentPassword);
    await view.field(user.fields.public_key.label).waitFor();
    expect(await password.count()).toBe(0);
    await view.field(user.fields.public_key.label).fill(key);
    await view.main.getByRole('switch', { name: view.say(profile.agree) }).check({ force: true });
    await password.fill('not the password');
    await view.submit();
    await view.main.getByText(view.say(ERRORS.password_wrong)).waitFor();
    const stored = async () =>
      (
        await (
          await server.signIn(newcomer)
        ).get<{ public_key: string }>('users/profile/public-key/')
      ).body.public_key;
    expect(await stored()).toBe('');
    await password.fill(newcomer.password);
    await view.submit();
    await visitor.page.waitForURL(/\/ui\/users\/first-login\/guide/);
    expect(await stored()).toBe(key);
  },
);

journey(
  'asks once, at the first sign-in, to complete the profile and to agree to recording',
  async (open, { admin }) => {
    const newcomer = await buildNewcomer(admin);
    const visitor = await open({ language });
    const view = new ConsolePage(visitor);
    const { page } = visitor;
    await signInByForm(visitor, newcomer);
    await page.waitForURL(/\/ui\/users\/first-login\/personal-information-improvement/);
    await view.submit();
    await view.main.getByText(view.say(common.required)).waitFor();
    await page
      .getByRole('switch', { name: view.say(profile.agree) })
      .or(page.getByRole('checkbox', { name: view.say(profile.agree) }))
      .check({ force: true });
    await view.submit();
    await page.waitForURL(/\/ui\/users\/first-login\/guide/);
    await view.link(profile.start).click();
    await page.waitForURL(/\/ui\/$/);
    await page.reload();
    await view.heading.waitFor();
    expect(new URL(page.url()).pathname).toBe('/ui/');
  },
);
