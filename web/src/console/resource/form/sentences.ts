import { language } from '../../../kit/i18n/index.ts';

/** Joins help texts of a field and adds missing full stops. */
export function asSentences(...parts: readonly (string | undefined)[]): string {
  const sentences = parts
    .filter((part) => part !== undefined && part !== '')
    .map((part) => part?.replace(/[.。]$/, ''));
  return sentences.length > 1
    ? sentences.join(language === 'zh' ? '。' : '. ')
    : (sentences[0] ?? '');
}
