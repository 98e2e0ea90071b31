import type { Language } from '../kit/text.ts';
import { DEVICE_PAGE, SECOND_CONSOLE } from './authentication.ts';

interface LinkOptions {
  /** Base URL of the console as the receiver reaches it. */
  readonly site: string;
  readonly secret: string;
  /** Language of the sender, for a browser that has chosen none. */
  readonly language: Language;
}

/** Pages that links with a secret open. */
const SECRET_PAGES = {
  reset: ['/core/auth/password/reset/', '#token='],
  welcome: ['/core/auth/welcome/', '#token='],
  guest: ['/luna/invited/', '#'],
} as const;

/** The query parameter that holds the language of the sender. */
export const LINK_LANGUAGE = 'lang';

/** Returns true if the page at a path opens from links that hold a language. */
export const hasLinkLanguage = (path: string): boolean =>
  path.startsWith('/core/auth/') || path === SECRET_PAGES.guest[0];

/**
 * Builds the link with which its receiver sets a password or joins a session. Browsers do not send
 * a fragment after `#`, so the secret reaches no log or referrer.
 */
export function secretLink(
  page: keyof typeof SECRET_PAGES,
  { site, secret, language }: LinkOptions,
): string {
  const [path, fragment] = SECRET_PAGES[page];
  return `${site}${path}?${LINK_LANGUAGE}=${language}${fragment}${secret}`;
}

/** Builds the link to a page of the console, for a receiver who signs in there. */
export function pageLink(site: string, path: string): string {
  // Jobs of earlier versions hold addresses below `/ui/`.
  return `${site}${path.replace(/^\/ui\//, `${SECOND_CONSOLE}/`)}`;
}

/** Builds the link with which a user confirms the sign-in of a device; without a code it asks. */
export const deviceLink = (site: string, code?: string): string =>
  `${site}${DEVICE_PAGE}${code === undefined ? '' : `?code=${code}`}`;
