import { expect } from 'vitest';
import { codeOf } from '../../server/src/testing/second-factors.ts';
import { words as frame } from '../../web/src/console/base/words.ts';
import { words as mfa } from '../../web/src/console/features/mfa/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { words as identity } from '../../web/src/kit/identity/words.ts';
import { words as passwordWords } from '../../web/src/signin/password/words.ts';
import { words as stepWords } from '../../web/src/signin/steps/words.ts';
import { words as signInWords } from '../../web/src/signin/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildNewcomer, buildPerson } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { comeAgain, identityPage } from '../pages/identity-page.ts';
import { signIn, signInPage } from '../pages/sign-in-page.ts';

const { journey } = useOwnServer();

for (const [theme, language, width] of [
  ['light', 'zh', 1440],
  ['dark', 'en', 390],
] as const) {
  journey(
    `finds no serious fault in sign-in steps and account dialogs (${theme}, ${language}, ${width} px)`,
    async (open, { admin }) => {
      const person = await buildPerson(admin);
      const visitor = await open({ language, theme, size: { width, height: 900 } });
      const { page } = visitor;
      const steps = identityPage(visitor);
      const view = new ConsolePage(visitor);
      const problems: string[] = [];
      // The second journey shows the same pages in the dark.
      const checkPage = async (where: string) => {
        problems.push(...(await problemsOf(page, where, ['light'])));
        // Nothing sticks out of a narrow window.
        const excess = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        if (excess > 0) problems.push(`${where}: ${excess} px too wide`);
      };

      await page.goto('/core/auth/password/forgot/');
      if (theme === 'light') {
        // No mail server is set up before the first of them.
        await page.getByText(steps.say(signInWords.askAdministrator)).waitFor();
        await checkPage('forgotten password without mail');
      }
      expect((await admin.patch('settings/setting/', { EMAIL_HOST: '127.0.0.1' })).status).toBe(
        200,
      );
      await page.reload();
      await steps.field(passwordWords.email).waitFor();
      await checkPage('forgotten password');
      await page.goto('/core/auth/password/reset/');
      await steps.heading(passwordWords.linkBroken).waitFor();
      await checkPage('broken link');
      await page.goto(`/core/auth/password/reset/#token=${'x'.repeat(43)}`);
      await page.reload();
      await steps.field(identity.newPassword).fill('half a password');
      await checkPage('new password');

      await signIn(visitor, person, '/ui/users/profile?activeTab=MFA');
      await page
        .getByRole('button', { name: `${steps.say(mfa.app)}: ${steps.say(mfa.setUp)}` })
        .click();
      await view.dialog.getByLabel(steps.say(mfa.password), { exact: true }).waitFor();
      await checkPage('confirmation by password');
      await steps.confirmByPassword(person.password);
      const secret = await steps.secret();
      await checkPage('QR code');
      await steps.typeCode(codeOf(secret), identity.bind);
      await page.getByRole('list', { name: steps.say(identity.recoveryCodes) }).waitFor();
      await checkPage('recovery codes');
      await steps.keepRecoveryCodes(mfa.done);
      await page.getByText(steps.say(mfa.codesLeft, { count: 10 })).waitFor();
      await checkPage('second factors');
      await page.getByRole('button', { name: `${view.say(frame.account)}: ` }).click();
      await page.getByRole('menuitem', { name: view.say(frame.accessKeys), exact: true }).click();
      await view.dialog
        .getByRole('button', { name: view.say(common.create), exact: true })
        .first()
        .click();
      await view.dialog.getByRole('status').first().waitFor();
      await checkPage('access keys');
      await page.keyboard.press('Escape');

      await comeAgain(visitor, '/core/auth/login/');
      await signInPage(visitor).submit(person);
      await steps.heading(stepWords.secondTitle).waitFor();
      await checkPage('second factor');
      await steps.button(identity.useRecovery).click();
      await checkPage('recovery code');
      await steps.another.click();

      const newcomer = await buildNewcomer(admin);
      await signInPage(visitor).submit(newcomer);
      await page.waitForURL(({ pathname }) => pathname.startsWith('/ui/users/first-login/'));
      await checkPage('first login');
      expect((await admin.patch(`users/users/${newcomer.id}/`, { mfa_level: 2 })).status).toBe(200);
      await comeAgain(visitor, '/core/auth/login/');
      await signInPage(visitor).submit(newcomer);
      await steps.heading(stepWords.enrolTitle).waitFor();
      await checkPage('enrollment');
      expect(problems).toEqual([]);
    },
  );
}
