/** A text in both product languages. */
export interface LocalText {
  readonly en: string;
  readonly zh: string;
}

export type Language = 'en' | 'zh';

/** Default language (conformance 9.24). */
export const DEFAULT_LANGUAGE: Language = 'zh';

/** Language for callers who prefer an unsupported one. */
const FALLBACK_LANGUAGE: Language = 'en';

/** Cookie values of the languages (conformance 2.69). */
export const LANGUAGE_COOKIE_VALUES: Readonly<Record<Language, string>> = {
  en: 'en',
  zh: 'zh-hans',
};

/** Parses a cookie value or an `Accept-Language` entry; undefined if unsupported. */
export function parseLanguage(value: string | undefined): Language | undefined {
  if (!value) return undefined;
  const tag = value.trim().toLowerCase();
  if (tag.startsWith('zh') || tag === 'cn') return 'zh';
  if (tag.startsWith('en')) return 'en';
  return undefined;
}

/**
 * Returns the first supported language. Callers with only unsupported ones get English; callers
 * without a preference get the default, which is Chinese unless an administrator changed it
 * (conformance 9.24).
 */
export function chooseLanguage(
  candidates: readonly (string | undefined)[],
  byDefault: Language = DEFAULT_LANGUAGE,
): Language {
  const languages = candidates
    .map((one) => one?.trim() ?? '')
    .filter((one) => one !== '' && !one.startsWith('*'));
  for (const one of languages) {
    const language = parseLanguage(one);
    if (language) return language;
  }
  return languages.length > 0 ? FALLBACK_LANGUAGE : byDefault;
}

/** Values of placeholders by name. */
export type TextParams = Readonly<Record<string, string | number | LocalText>>;

const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', zh: 'zh-CN' };
const NUMBERS: Readonly<Record<Language, Intl.NumberFormat>> = {
  en: new Intl.NumberFormat(LOCALES.en),
  zh: new Intl.NumberFormat(LOCALES.zh),
};
const ENGLISH_PLURAL = new Intl.PluralRules(LOCALES.en);

/** Formats a number with thousands separators. */
export function sayNumber(value: number, language: Language): string {
  return NUMBERS[language].format(value);
}

/**
 * Placeholders: `{name}`, `{name, number}`, or `{name, plural, one {# row} other {# rows}}`; a
 * subset of ICU message syntax.
 */
const PLACE = /\{(\w+)(?:, (number)|, plural, one \{([^{}]*)\} other \{([^{}]*)\})?\}/g;

/**
 * Returns the text in one language with its placeholders filled. `number` and `plural` add
 * thousands separators; a plural form has `#` for the number. Chinese has one form, so its texts
 * use `number`.
 */
export function say(text: LocalText, language: Language, params: TextParams = {}): string {
  return text[language].replace(
    PLACE,
    (whole: string, name: string, ...[number, one, other]: (string | undefined)[]) => {
      const value = params[name];
      if (value === undefined) return whole;
      if (typeof value === 'object') return value[language];
      if (number === undefined && one === undefined) return String(value);
      const form = ENGLISH_PLURAL.select(Number(value)) === 'one' ? one : other;
      return (form ?? '#').replaceAll('#', sayNumber(Number(value), language));
    },
  );
}
