import {
  DEFAULT_LANGUAGE,
  chooseLanguage as firstLanguage,
  LANGUAGE_COOKIE_VALUES,
  type Language,
  type LocalText,
  parseLanguage,
  say,
  type TextParams,
} from '@sallyport/contract';
import { COOKIES, readCookie, writeCookie } from '../cookies.ts';

const STORAGE_KEY = 'lang';

const STORED: Readonly<Record<Language, string>> = { zh: 'cn', en: 'en' };

/** The language of the link that a person got by mail or from an administrator. */
const linkLanguage = (): string | undefined =>
  location.pathname.startsWith('/core/auth/')
    ? (new URLSearchParams(location.search).get('lang') ?? undefined)
    : undefined;

function detect(): Language {
  if (typeof document === 'undefined') return DEFAULT_LANGUAGE;
  const stored =
    typeof localStorage === 'undefined'
      ? undefined
      : (localStorage.getItem(STORAGE_KEY) ?? undefined);
  return firstLanguage([readCookie(COOKIES.language), stored, linkLanguage()]);
}

/**
 * The language of this page. It never changes at run time: choosing another one reloads the page
 * (conformance 2.69).
 */
export const language: Language = detect();

/** Sets the language of the document and the cookie; called once by each entry point. */
export function startLanguage(): void {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  // Answers of the server must use the language of the page from the first request on.
  if (parseLanguage(readCookie(COOKIES.language)) !== language)
    writeCookie(COOKIES.language, LANGUAGE_COOKIE_VALUES[language]);
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
