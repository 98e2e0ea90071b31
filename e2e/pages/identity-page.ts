import { type LocalText, say } from '@sallyport/contract';
import type { CDPSession, Page } from 'playwright-core';
import { codeOf } from '../../server/src/testing/second-factors.ts';
import { words as mfa } from '../../web/src/console/features/mfa/words.ts';
import { words as identity } from '../../web/src/kit/identity/words.ts';
import { words as stepWords } from '../../web/src/signin/steps/words.ts';
import type { Visitor } from '../harness/browser.ts';
import { signInPage } from './sign-in-page.ts';

/** Passwords and second factors on the sign-in pages and on the profile page. */
export function identityPage({ page, language }: Pick<Visitor, 'page' | 'language'>) {
  const tell = (text: LocalText, params?: Readonly<Record<string, string | number>>) =>
    say(text, language, params);
  const button = (text: LocalText) => page.getByRole('button', { name: tell(text), exact: true });
  const field = (text: LocalText) =>
    page.getByLabel(new RegExp(`^${RegExp.escape(tell(text))}[ *]*$`));
  const confirmation = page.getByRole('dialog', { name: tell(mfa.confirmTitle) });
  return {
    say: tell,
    button,
    field,
    heading: (text: LocalText) => page.getByRole('heading', { name: tell(text), exact: true }),
    /** The secret below the QR code. */
    async secret(): Promise<string> {
      const secret = page.locator('.mono').filter({ hasText: /^[A-Z2-7 ]{20,}$/ });
      return ((await secret.textContent()) ?? '').replaceAll(' ', '');
    },
    async typeCode(code: string, submit: LocalText): Promise<void> {
      await field(identity.code).fill(code);
      await button(submit).click();
    },
    /** Reads the recovery codes and says that they are kept. */
    async keepRecoveryCodes(onward: LocalText): Promise<string[]> {
      const list = page.getByRole('list', { name: tell(identity.recoveryCodes) });
      await list.waitFor();
      const codes = await list.getByRole('listitem').allInnerTexts();
      await page.getByRole('checkbox', { name: tell(identity.kept) }).check();
      await button(onward).click();
      return codes;
    },
    async choosePassword(password: string, submit: LocalText): Promise<void> {
      await field(identity.newPassword).fill(password);
      await field(identity.newPasswordAgain).fill(password);
      await button(submit).click();
    },
    /** The question for the password or a second factor. */
    confirmation,
    /** Answers it with a password. */
    async confirmByPassword(password: string): Promise<void> {
      await confirmation.getByLabel(tell(mfa.password), { exact: true }).fill(password);
      await confirmation.getByRole('button', { name: tell(mfa.proceed), exact: true }).click();
    },
    another: button(stepWords.another),
  };
}

/** Signs in with the code of an authenticator and opens a page. */
export async function signInWithCode(
  visitor: Visitor,
  account: { readonly username: string; readonly password: string; readonly secret: string },
  where: string,
): Promise<void> {
  const { page } = visitor;
  await page.goto(`/core/auth/login/?next=${encodeURIComponent(where)}`);
  await signInPage(visitor).submit(account);
  await identityPage(visitor).typeCode(codeOf(account.secret), identity.verify);
  await page.waitForURL(({ pathname }) => pathname.startsWith('/ui/'));
}

/** Opens the sign-in page again as in another browser that knows only the language. */
export async function comeAgain({ page, context }: Visitor, address: string): Promise<void> {
  // Leave the page first: its automatic requests would be refused without the sign-in.
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.goto('about:blank');
  await context.clearCookies({ name: 'sessionid' });
  await page.goto(address);
}

/** Gives a window a device that makes and proves passkeys by itself, with its person's consent. */
export async function giveAuthenticator(
  page: Page,
): Promise<{ readonly session: CDPSession; readonly id: string }> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId: id } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { session, id };
}
