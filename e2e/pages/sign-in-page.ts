import { say } from '@sallyport/contract';
import { COOKIES } from '../../web/src/kit/cookies.ts';
import { words } from '../../web/src/signin/words.ts';
import type { Visitor } from '../harness/browser.ts';

interface Account {
  readonly username: string;
  readonly password: string;
}

/** The sign-in page of a visitor. */
export const signInPage = ({ page, language }: Pick<Visitor, 'page' | 'language'>) => ({
  open: () => page.goto('/core/auth/login/'),
  /** Fills in the form and sends it. */
  async submit({ username, password }: Account): Promise<void> {
    await page
      .getByRole('textbox', { name: say(words.username, language), exact: true })
      .fill(username);
    await page.getByLabel(say(words.password, language), { exact: true }).fill(password);
    await page.getByRole('button', { name: say(words.submit, language), exact: true }).click();
  },
  alert: page.getByRole('alert'),
});

/**
 * Signs in by the form on the way to a page, and waits for that page. For journeys about signing
 * in.
 */
export async function signInByForm(
  visitor: Visitor,
  account: Account,
  where = '/ui/',
): Promise<void> {
  await visitor.page.goto(`/core/auth/login/?next=${encodeURIComponent(where)}`);
  await signInPage(visitor).submit(account);
  await visitor.page.waitForURL((url) => !url.pathname.startsWith('/core/auth/'));
}

/**
 * Signs in and opens a page. Sends the requests of the form from the same browser, without drawing
 * the form.
 */
export async function signIn(
  { context, page }: Visitor,
  account: Account,
  where = '/ui/',
): Promise<void> {
  const form = await context.request.get('/core/auth/login/');
  const token = (await context.cookies()).find(({ name }) => name === COOKIES.csrf)?.value ?? '';
  const answer = await context.request.post('/core/auth/login/', {
    headers: { 'x-csrftoken': token, origin: new URL(form.url()).origin },
    data: { username: account.username, password: account.password, next: where },
  });
  const { next } = (await answer.json()) as { readonly next?: string };
  if (next === undefined)
    throw new Error(
      `signing in as ${account.username} answered ${answer.status()} ${await answer.text()}`,
    );
  await page.goto(next);
}
