import english from './english.json' with { type: 'json' };

/** Language of the sample data: `mixed` is that of a company in China with sites abroad. */
export type DemoLanguage = 'mixed' | 'en';

/** Output and input belong to recordings, so they stay. */
const RECORDED = new Set(['input', 'output']);

const texts: Readonly<Record<string, string>> = english;
const chinese = new RegExp(
  Object.keys(texts)
    .toSorted((one, other) => other.length - one.length)
    .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('|'),
  'g',
);

let chosen: DemoLanguage = 'mixed';

/** Sets the language of everything that the demo writes from now on. */
export function speak(language: DemoLanguage): void {
  chosen = language;
}

/**
 * Returns the language for the locale of a machine: English, unless the locale is Chinese or says
 * nothing (`C`, `POSIX`).
 */
export function languageOf({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv): DemoLanguage {
  const locale = LC_ALL || LC_MESSAGES || LANG || '';
  return /^(zh|c|posix)([_.-]|$)/i.test(locale) || locale === '' ? 'mixed' : 'en';
}

/** Returns a text, or all texts of an object, in the language of the sample data. */
export function inLanguage<T>(value: T): T {
  return chosen === 'mixed' ? value : (translate(value) as T);
}

function translate(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(chinese, (text) => texts[text] ?? text);
  if (Array.isArray(value)) return value.map(translate);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      RECORDED.has(name) ? member : translate(member),
    ]),
  );
}
