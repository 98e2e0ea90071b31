import {
  type Language,
  type LocalText,
  say,
  type TextParams,
  withoutMisleading,
} from '../../contract/src/index.ts';

/** Returns the language of a POSIX locale; without one, that of the system. */
export function languageOf(environment: NodeJS.ProcessEnv): Language {
  const { LC_ALL, LC_MESSAGES, LANG } = environment;
  const locale = LC_ALL || LC_MESSAGES || LANG || Intl.DateTimeFormat().resolvedOptions().locale;
  return /^zh\b|^zh_/i.test(locale) ? 'zh' : 'en';
}

export const language = languageOf(process.env);

/** Returns a text in the language of the user. Values from others cannot command the terminal. */
export const t = (text: LocalText, params: TextParams = {}): string =>
  say(
    text,
    language,
    Object.fromEntries(
      Object.entries(params).map(([name, value]) => [
        name,
        typeof value === 'string' ? withoutMisleading(value) : value,
      ]),
    ),
  );
