import {
  DEFAULT_LANGUAGE,
  chooseLanguage as firstLanguage,
  hasLinkLanguage,
  LANGUAGE_COOKIE_VALUES,
  type Language,
  LINK_LANGUAGE,
  type LocalText,
  parseLanguage,
  say,
  type TextParams,
} from '@sallyport/contract';
import { COOKIES, readCookie, writeCookie } from '../cookies.ts';

const STORAGE_KEY = 'lang';

const STORED: Readonly<Record<Language, string>> = { zh: 'cn', en: 'en' };

/** True for a page before the sign-in, which must not undo what the sign-out deleted. */
const isBeforeSignIn = () => location.pathname.startsWith('/core/auth/');

/** The language of the link that a person got by mail or from another user. */
const linkLanguage = (): string | undefined =>
  hasLinkLanguage(location.pathname)
    ? (new URLSearchParams(location.search).get(LINK_LANGUAGE) ?? undefined)
    : undefined;

/** The language that the user chose in this browser before. */
const storedLanguage = (): string | undefined =>
  typeof localStorage === 'undefined'
    ? undefined
    : (localStorage.getItem(STORAGE_KEY) ?? undefined);

function detect(): Language {
  if (typeof document === 'undefined') return DEFAULT_LANGUAGE;
  return firstLanguage([readCookie(COOKIES.language), storedLanguage(), linkLanguage()]);
}

/**
 * The language of this page. It never changes at run time: choosing another one reloads the page
 * (conformance 2.69).
 */
export const language: Language = detect();

/** The languages as `lang` and `Accept-Language` name them. */
export const LANGUAGE_TAGS: Readonly<Record<Language, string>> = { zh: 'zh-CN', en: 'en' };

/** The tag of the language of this page. */
export const LANGUAGE_TAG = LANGUAGE_TAGS[language];

/**
 * Sets the language of the document and the cookie; called once by each entry point. Pages before
 * the sign-in write the cookie only for a choice: one in the browser, or the link of an inviter.
 */
export function startLanguage(): void {
  document.documentElement.lang = LANGUAGE_TAG;
  // Links and sockets carry no header, so their answers take the language from the cookie.
  const isOurs = !isBeforeSignIn() || (parseLanguage(linkLanguage()) && !storedLanguage());
  if (isOurs && parseLanguage(readCookie(COOKIES.language)) !== language)
    writeCookie(COOKIES.language, LANGUAGE_COOKIE_VALUES[language]);
}

/**
 * Returns the language of the browser if this page is in another one and no language was chosen.
 * Browsers with neither language get English.
 */
export function otherBrowserLanguage(): Language | undefined {
  const choices = [readCookie(COOKIES.language), storedLanguage(), linkLanguage()];
  if (choices.some(parseLanguage)) return undefined;
  const codes = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase());
  const own = codes.find((code) => code === 'zh' || code === 'en') ?? 'en';
  return own === language ? undefined : own;
}

/** Stores the choice in local storage and the cookie, then reloads the page. */
export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(STORAGE_KEY, STORED[chosen]);
  writeCookie(COOKIES.language, LANGUAGE_COOKIE_VALUES[chosen]);
  location.reload();
}

/** Returns a text in the language of the page, with its `{name}` placeholders filled. */
export function t(text: LocalText, params?: TextParams): string {
  return say(text, language, params);
}

/** The name of each language in that language. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  zh: '中文(简体)',
  en: 'English',
};

/** Lowercases a title for use within a sentence; abbreviations keep their capitals. */
export const inSentence = (title: string) =>
  /^\p{Lu}\p{Lu}/u.test(title) ? title : `${title.charAt(0).toLowerCase()}${title.slice(1)}`;

/** Declares the texts of one area; the compiler requires both languages. */
export function catalogue<const W extends Readonly<Record<string, LocalText>>>(words: W): W {
  return words;
}
