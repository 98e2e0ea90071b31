import { language, t } from '../../../kit/i18n/index.ts';
import type { Screen } from '../../base/screen.ts';
import type { Source } from '../source.ts';
import { words } from './words.ts';

/** A title within a sentence; an abbreviation keeps its capitals. */
const inSentence = (title: string) =>
  /^\p{Lu}\p{Lu}/u.test(title) ? title : `${title.charAt(0).toLowerCase()}${title.slice(1)}`;

/** The plural of an English title: of its last word, or of the one before “of”. */
export const plural = (title: string) =>
  title.replace(/(?<=[a-z])(?= of |$)/, (_, at: number) =>
    /(s|sh|ch)$/.test(title.slice(0, at)) ? 'es' : 's',
  );

/** Objects of a kind by their count, within a sentence: “3 assets”, “3 个资产”. */
export const countOf = ({ title }: Pick<Source, 'title'>, count: number): string =>
  t(words.countOf, {
    count,
    what: language === 'zh' ? t(title) : inSentence(count === 1 ? t(title) : plural(t(title))),
  });

/** What an empty list says. In English it names the objects as the list of their page does, which is their plural. */
export function emptyTitleOf(
  { name, title }: Pick<Source, 'name' | 'title'>,
  screens: readonly Screen[],
): string {
  if (language === 'zh') return t(words.emptyList, { what: t(title) });
  const list = screens.find((screen) => screen.resource === name && screen.menu);
  return t(words.emptyList, { what: inSentence(list ? t(list.title) : plural(t(title))) });
}
