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
export const LANGUAGE_COOKIE_VALUES: Readonly<Record<Language, string>> = {
  en: 'en',
  zh: 'zh-hans',
};

/** Reads a language out of a cookie value or an `Accept-Language` entry; `undefined` when it is neither. */
export function parseLanguage(value: string | undefined): Language | undefined {
  if (!value) return undefined;
  const tag = value.trim().toLowerCase();
  if (tag.startsWith('zh') || tag === 'cn') return 'zh';
  if (tag.startsWith('en')) return 'en';
  return undefined;
}

/**
 * The first known language of a list of wishes. English is the fallback for callers who want other languages only; callers without a wish
 * get the default, which is Chinese unless an administrator chose another (conformance 9.24).
 */
export function chooseLanguage(
  wanted: readonly (string | undefined)[],
  byDefault: Language = DEFAULT_LANGUAGE,
): Language {
  const named = wanted
    .map((one) => one?.trim() ?? '')
    .filter((one) => one !== '' && !one.startsWith('*'));
  for (const one of named) {
    const language = parseLanguage(one);
    if (language) return language;
  }
  return named.length > 0 ? FALLBACK_LANGUAGE : byDefault;
}

/** What fills the places of a text, by name. */
export type TextParams = Readonly<Record<string, string | number | LocalText>>;

const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', zh: 'zh-CN' };
const NUMBERS: Readonly<Record<Language, Intl.NumberFormat>> = {
  en: new Intl.NumberFormat(LOCALES.en),
  zh: new Intl.NumberFormat(LOCALES.zh),
};
const ENGLISH_PLURAL = new Intl.PluralRules(LOCALES.en);

/** A number with its thousands apart, as readers of a language write it. */
export function sayNumber(value: number, language: Language): string {
  return NUMBERS[language].format(value);
}

/** `{name}`, `{name, number}`, or `{name, plural, one {# row} other {# rows}}`: the part of ICU message syntax that our texts need. */
const PLACE = /\{(\w+)(?:, (number)|, plural, one \{([^{}]*)\} other \{([^{}]*)\})?\}/g;

/**
 * The text in one language with its places filled. A number is written with its thousands apart where the place says `number` or `plural`;
 * a plural form has `#` for it. Chinese has one form, so its texts say `number`.
 */
export function say(text: LocalText, language: Language, params: TextParams = {}): string {
  return text[language].replace(
    PLACE,
    (whole: string, name: string, number?: string, one?: string, other?: string) => {
      const value = params[name];
      if (value === undefined) return whole;
      if (typeof value === 'object') return value[language];
      if (number === undefined && one === undefined) return String(value);
      const form = ENGLISH_PLURAL.select(Number(value)) === 'one' ? one : other;
      return (form ?? '#').replaceAll('#', sayNumber(Number(value), language));
    },
  );
}
