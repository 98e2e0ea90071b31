import { say } from '@sallyport/contract';
import { words } from '../../web/src/signin/words.ts';
import type { Visitor } from '../harness/browser.ts';

interface Account {
  readonly username: string;
  readonly password: string;
}

/** The sign-in page of a visitor. */
export const signInPage = ({ page, language }: Visitor) => ({
  open: () => page.goto('/core/auth/login/'),
  /** Fills in the form and sends it. */
  async submit({ username, password }: Account): Promise<void> {
    await page.getByRole('textbox', { name: say(words.username, language), exact: true }).fill(username);
    await page.getByLabel(say(words.password, language), { exact: true }).fill(password);
    await page.getByRole('button', { name: say(words.submit, language), exact: true }).click();
  },
  alert: page.getByRole('alert'),
});

/** Signs in on the way to a page, and waits for that page. */
export async function signIn(visitor: Visitor, account: Account, where = '/ui/'): Promise<void> {
  await visitor.page.goto(`/core/auth/login/?next=${encodeURIComponent(where)}`);
  await signInPage(visitor).submit(account);
  await visitor.page.waitForURL((url) => !url.pathname.startsWith('/core/auth/'));
}
