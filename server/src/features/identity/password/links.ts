import type { Language } from '@sallyport/contract';

/** Pages that a link with a token opens. */
const PAGES = { reset: '/core/auth/password/reset/', welcome: '/core/auth/welcome/' };

/**
 * Builds the link with which a person sets a password. A fragment after `#` is not sent by
 * browsers, so the token reaches no log or referrer. The page uses `language` unless the browser
 * has chosen another one.
 */
export function passwordLink(
  page: keyof typeof PAGES,
  { site, token, language }: { site: string; token: string; language: Language },
): string {
  return `${site}${PAGES[page]}?lang=${language}#token=${token}`;
}
