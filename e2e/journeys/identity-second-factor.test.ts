import { expect } from 'vitest';
import { codeOf, wrongCode } from '../../server/src/testing/second-factors.ts';
import { words as mfa } from '../../web/src/console/features/mfa/words.ts';
import { words as users } from '../../web/src/console/features/users/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { words as identity } from '../../web/src/kit/identity/words.ts';
import { words as stepWords } from '../../web/src/signin/steps/words.ts';
import { words as signInWords } from '../../web/src/signin/words.ts';
import { buildPerson } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { comeAgain, identityPage } from '../pages/identity-page.ts';
import { signIn, signInPage } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useStage();

journey(
  'sets up a compulsory second factor during sign-in, and requires it from then on',
  async (open, { admin }) => {
    const person = await buildPerson(admin);
    expect((await admin.patch(`users/users/${person.id}/`, { mfa_level: 2 })).status).toBe(200);
    const visitor = await open({ language });
    visitor.watch.allow(/^400 POST \/core\/auth\/login\/(mfa|enrol\/totp\/confirm)\//);
    const { page } = visitor;
    const steps = identityPage(visitor);

    await page.goto('/core/auth/login/?next=/ui/users/profile');
    await signInPage(visitor).submit(person);
    await page.getByRole('button', { name: steps.say(stepWords.enrolTotp) }).click();
    await page.getByRole('img', { name: steps.say(identity.qrCode) }).waitFor();
    const secret = await steps.secret();
    await steps.typeCode(wrongCode(secret), identity.bind);
    await page.getByRole('alert').waitFor();
    await steps.typeCode(codeOf(secret), identity.bind);
    const codes = await steps.keepRecoveryCodes(signInWords.goOn);
    expect(new Set(codes).size).toBe(10);
    // Where the person wanted to be, after all the steps.
    await page.waitForURL(({ pathname }) => pathname === '/ui/users/profile');

    await comeAgain(visitor, '/core/auth/login/');
    await signInPage(visitor).submit(person);
    await steps.heading(stepWords.secondTitle).waitFor();
    await steps.typeCode(wrongCode(secret), identity.verify);
    await page.getByRole('alert').getByText(steps.say(identity.mfaError)).waitFor();
    // A reload keeps the current step.
    await page.reload();
    // A code is used once, so this is the next one.
    await steps.typeCode(codeOf(secret, 1), identity.verify);
    await page.waitForURL(({ pathname }) => pathname.startsWith('/ui/'));

    await comeAgain(visitor, '/core/auth/login/');
    await signInPage(visitor).submit(person);
    await steps.button(identity.useRecovery).click();
    await steps.field(identity.recoveryCode).fill(codes[0] ?? '');
    await steps.button(identity.verify).click();
    await page.waitForURL(({ pathname }) => pathname.startsWith('/ui/'));

    await comeAgain(visitor, '/core/auth/login/');
    await signInPage(visitor).submit(person);
    await steps.button(identity.useRecovery).click();
    // Each recovery code lets in once.
    await steps.field(identity.recoveryCode).fill(codes[0] ?? '');
    await steps.button(identity.verify).click();
    await page.getByRole('alert').waitFor();
    await steps.another.click();
    await page
      .getByRole('textbox', { name: steps.say(signInWords.username), exact: true })
      .waitFor();
  },
);

journey(
  'sets up and removes an authenticator on the profile page after the password',
  async (open, { admin }) => {
    const person = await buildPerson(admin);
    const visitor = await open({ language: 'en' });
    visitor.watch.allow(/^400 POST \/api\/v1\/authentication\/mfa\/totp\/begin\//);
    const { page } = visitor;
    const steps = identityPage(visitor);
    const view = new ConsolePage(visitor);
    await signIn(visitor, person, '/ui/users/profile?activeTab=MFA');

    await page
      .getByRole('button', { name: `${steps.say(mfa.app)}: ${steps.say(mfa.setUp)}` })
      .click();
    await steps.confirmByPassword('not the password');
    await view.dialog.getByText('The password is incorrect.').waitFor();
    await steps.confirmByPassword(person.password);
    const secret = await steps.secret();
    await steps.typeCode(codeOf(secret), identity.bind);
    expect(await steps.keepRecoveryCodes(mfa.done)).toHaveLength(10);
    await page.getByText(steps.say(mfa.on)).waitFor();
    await page.getByText(steps.say(mfa.codesLeft, { count: 10 })).waitFor();

    await page
      .getByRole('button', { name: `${steps.say(mfa.app)}: ${steps.say(mfa.unbind)}` })
      .click();
    await view.dialog.getByRole('button', { name: steps.say(mfa.unbind), exact: true }).click();
    await page.getByText(steps.say(mfa.off)).waitFor();
    expect(
      (await admin.get<{ mfa_enabled: boolean }>(`users/users/${person.id}/`)).body.mfa_enabled,
    ).toBe(false);
  },
);

journey('lets an administrator remove lost second factors', async (open, { admin, server }) => {
  const person = await buildPerson(admin);
  const own = await server.signIn(person);
  const { body } = await own.post<{ secret: string }>('authentication/mfa/totp/begin/', {
    password: person.password,
  });
  expect(
    (await own.post('authentication/mfa/totp/confirm/', { code: codeOf(body.secret) })).status,
  ).toBe(200);

  const visitor = await open({ language: 'zh' });
  const view = new ConsolePage(visitor);
  await signIn(visitor, ADMIN, `/ui/users/users/${person.id}`);
  await view.page
    .getByRole('button', { name: `${view.say(users.resetMfa)}: ${view.say(users.reset)}` })
    .click();
  await view.dialog.getByRole('button', { name: view.say(users.reset), exact: true }).click();
  await view.notified(common.updateSuccess);
  // They sign in with the password alone, and set a new one up.
  const lost = await open({ language: 'zh' });
  await signInPage(lost).open();
  await signInPage(lost).submit(person);
  await identityPage(lost).heading(stepWords.enrolTitle).waitFor();
});
