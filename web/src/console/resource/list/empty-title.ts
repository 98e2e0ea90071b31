import { language, t } from '../../../kit/i18n/index.ts';
import { inSentence } from '../../../kit/i18n/language.ts';
import type { Screen } from '../../base/screen.ts';
import type { Source } from '../source.ts';
import { words } from './words.ts';

/** Returns the plural of an English title: of the last word, or of the one before “of”. */
export const plural = (title: string) =>
  title.replace(/(?<=[a-z])(?= of |$)/, (_, at: number) =>
    /(s|sh|ch)$/.test(title.slice(0, at)) ? 'es' : 's',
  );

/** Returns a count with its objects for use within a sentence: “3 assets”, “3 个资产”. */
export const countOf = ({ title }: Pick<Source, 'title'>, count: number): string =>
  t(words.countOf, {
    count,
    what: language === 'zh' ? t(title) : inSentence(count === 1 ? t(title) : plural(t(title))),
  });

/** Returns the title of an empty list. English uses the plural from the title of the page. */
export function emptyTitleOf(
  { name, title }: Pick<Source, 'name' | 'title'>,
  screens: readonly Screen[],
): string {
  if (language === 'zh') return t(words.emptyList, { what: t(title) });
  const list = screens.find((screen) => screen.resource === name && screen.menu);
  return t(words.emptyList, { what: inSentence(list ? t(list.title) : plural(t(title))) });
}
