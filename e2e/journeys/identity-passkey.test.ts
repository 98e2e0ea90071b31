import { LANGUAGE_COOKIE_VALUES, type Newcomers } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as mfa } from '../../web/src/console/features/mfa/words.ts';
import { COOKIES } from '../../web/src/kit/cookies.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { words as identity } from '../../web/src/kit/identity/words.ts';
import { words as welcome } from '../../web/src/signin/password/words.ts';
import { words as stepWords } from '../../web/src/signin/steps/words.ts';
import { words as signInWords } from '../../web/src/signin/words.ts';
import { problemsOf } from '../harness/axe.ts';
import type { Visitor } from '../harness/browser.ts';
import { buildPerson, unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { comeAgain, giveAuthenticator, identityPage } from '../pages/identity-page.ts';
import { signInPage } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey, stage } = useStage();

/** Passkeys belong to a name, so these journeys reach the server by one. */
const addressByName = (path: string) =>
  `${stage().server.url.replace('127.0.0.1', 'localhost').replace(/\/$/, '')}${path}`;

async function prepare({ context, language }: Visitor): Promise<void> {
  if (language !== 'zh')
    await context.addCookies([
      { name: COOKIES.language, value: LANGUAGE_COOKIE_VALUES[language], url: addressByName('/') },
    ]);
}

journey(
  'adds a passkey, and signs in with it as second factor and alone',
  async (open, { admin }) => {
    const person = await buildPerson(admin);
    const visitor = await open({ language });
    await prepare(visitor);
    const { page } = visitor;
    const steps = identityPage(visitor);
    const view = new ConsolePage(visitor);
    const device = await giveAuthenticator(page);

    await page.goto(addressByName('/core/auth/login/?next=/ui/users/profile?activeTab=MFA'));
    await signInPage(visitor).submit(person);
    await steps.button(mfa.addPasskey).click();
    await steps.confirmByPassword(person.password);
    await view.dialog
      .getByLabel(steps.say(identity.passkeyName), { exact: true })
      .fill('Office laptop');
    await view.dialog.getByRole('button', { name: steps.say(mfa.addPasskey), exact: true }).click();
    await steps.keepRecoveryCodes(mfa.done);
    await view.main.getByText('Office laptop').waitFor();

    // With the password, then the passkey.
    await comeAgain(visitor, addressByName('/core/auth/login/'));
    await signInPage(visitor).submit(person);
    await steps.button(identity.usePasskey).click();
    await page.waitForURL(({ pathname }) => pathname.startsWith('/ui/'));

    // With the passkey alone.
    await comeAgain(
      visitor,
      addressByName('/core/auth/login/?next=/ui/users/profile?activeTab=MFA'),
    );
    await steps.button(signInWords.withPasskey).click();
    await page.waitForURL(({ pathname }) => pathname === '/ui/users/profile');

    // A removed passkey does not sign in. The second factor was confirmed recently, so only the
    // question appears.
    await page.getByRole('button', { name: `${steps.say(common.delete)} Office laptop` }).click();
    await view.dialog.getByRole('button', { name: steps.say(common.delete), exact: true }).click();
    await view.main.getByText(steps.say(mfa.noPasskeys)).waitFor();
    visitor.watch.allow(/^400 POST \/api\/v1\/authentication\/passkey-login\/finish\//);
    await comeAgain(visitor, addressByName('/core/auth/login/'));
    await steps.button(signInWords.withPasskey).click();
    await page.getByRole('alert').getByText(steps.say(signInWords.refused)).waitFor();
    await device.session.detach();
  },
);

journey(
  'sets up a passkey during sign-in when a second factor is compulsory',
  async (open, { admin }) => {
    const person = await buildPerson(admin);
    expect((await admin.patch(`users/users/${person.id}/`, { mfa_level: 2 })).status).toBe(200);
    const visitor = await open({ language: 'en' });
    await prepare(visitor);
    const steps = identityPage(visitor);
    await giveAuthenticator(visitor.page);
    await visitor.page.goto(addressByName('/core/auth/login/'));
    await signInPage(visitor).submit(person);
    await visitor.page.getByRole('button', { name: steps.say(stepWords.enrolPasskey) }).click();
    await steps.button(stepWords.createPasskey).click();
    await steps.keepRecoveryCodes(signInWords.goOn);
    await visitor.page.waitForURL(({ pathname }) => pathname.startsWith('/ui/'));
  },
);

journey(
  'offers a passkey to an invited person, who signs in with it alone the next time',
  async (open, { admin }) => {
    // The page has the language of the inviter.
    const inviter = admin.with({ 'accept-language': language });
    const invite = async () => {
      const people = `Dana <${unique('dana')}@example.com>`;
      const { status, body } = await inviter.post<Newcomers>('users/users/newcomers/', { people });
      expect(status).toBe(201);
      const { pathname, search, hash } = new URL(body.users[0]?.link ?? '');
      return addressByName(`${pathname}${search}${hash}`);
    };
    const visitor = await open({ language });
    await prepare(visitor);
    const { page } = visitor;
    const steps = identityPage(visitor);
    await giveAuthenticator(page);
    const leave = () => page.waitForURL(({ pathname }) => pathname.startsWith('/ui/'));

    await page.goto(await invite());
    await steps.choosePassword('Chosen by Dana 1', welcome.joinSubmit);
    await steps.heading(welcome.passkeyOffer).waitFor();
    expect(await problemsOf(page, 'the offer of a passkey')).toEqual([]);
    await steps.button(stepWords.createPasskey).click();
    await steps.keepRecoveryCodes(signInWords.goOn);
    await leave();
    await comeAgain(visitor, addressByName('/core/auth/login/'));
    await steps.button(signInWords.withPasskey).click();
    await leave();

    // Another person declines and is signed in.
    await comeAgain(visitor, await invite());
    await steps.choosePassword('Chosen by Dana 2', welcome.joinSubmit);
    await steps.button(welcome.notNow).click();
    await leave();
  },
);
