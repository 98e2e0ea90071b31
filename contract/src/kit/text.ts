/** A text in the two languages that the product speaks. */
export interface LocalText {
  readonly en: string;
  readonly zh: string;
}

/** The language of one request or one page. */
export type Language = 'en' | 'zh';

/** The language that is used when none was chosen (conformance 9.24). */
export const DEFAULT_LANGUAGE: Language = 'zh';

/** The language for people who chose one that is not spoken here. */
const FALLBACK_LANGUAGE: Language = 'en';

/** The cookie values of the two languages (conformance 2.69). */
export const LANGUAGE_COOKIE_VALUES: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh-hans' };

/** Reads a language out of a cookie value or an `Accept-Language` entry; `undefined` when it is neither. */
export function parseLanguage(value: string | undefined): Language | undefined {
  if (!value) return undefined;
  const tag = value.trim().toLowerCase();
  if (tag.startsWith('zh') || tag === 'cn') return 'zh';
  if (tag.startsWith('en')) return 'en';
  return undefined;
}

/**
 * The first known language of a list of wishes. English is the fallback for callers who want other languages only; Chinese is the default for
 * callers without a wish (conformance 9.24).
 */
export function chooseLanguage(wanted: readonly (string | undefined)[]): Language {
  const named = wanted.map((one) => one?.trim() ?? '').filter((one) => one !== '' && !one.startsWith('*'));
  for (const one of named) {
    const language = parseLanguage(one);
    if (language) return language;
  }
  return named.length > 0 ? FALLBACK_LANGUAGE : DEFAULT_LANGUAGE;
}

/** What fills the places of a text, by name. */
export type TextParams = Readonly<Record<string, string | number | LocalText>>;

/** The text in one language with its `{name}` places filled. */
export function say(text: LocalText, language: Language, params: TextParams = {}): string {
  return text[language].replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name] ?? whole;
    return typeof value === 'object' ? value[language] : String(value);
  });
}
