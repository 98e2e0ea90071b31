import { language } from '../../../kit/i18n/index.ts';

/** Joins help texts of a field and adds missing full stops. */
export function asSentences(...parts: readonly (string | undefined)[]): string {
  const said = parts
    .filter((part) => part !== undefined && part !== '')
    .map((part) => part?.replace(/[.。]$/, ''));
  return said.length > 1 ? said.join(language === 'zh' ? '。' : '. ') : (said[0] ?? '');
}
