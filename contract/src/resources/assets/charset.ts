import { choice } from '../../kit/field.ts';

/** Charsets of shells, commands and file names of a target. */
export const CHARSETS = [
  { value: 'utf8', label: { en: 'UTF-8', zh: 'UTF-8' } },
  { value: 'gbk', label: { en: 'GBK', zh: 'GBK' } },
  { value: 'big5', label: { en: 'Big5', zh: 'Big5' } },
  { value: 'shift_jis', label: { en: 'Shift-JIS', zh: 'Shift-JIS' } },
  { value: 'euc_jp', label: { en: 'EUC-JP', zh: 'EUC-JP' } },
  { value: 'euc_kr', label: { en: 'EUC-KR', zh: 'EUC-KR' } },
  { value: 'latin1', label: { en: 'ISO-8859-1 (Latin-1)', zh: 'ISO-8859-1（Latin-1）' } },
  { value: 'latin9', label: { en: 'ISO-8859-15 (Latin-9)', zh: 'ISO-8859-15（Latin-9）' } },
  { value: 'koi8_r', label: { en: 'KOI8-R', zh: 'KOI8-R' } },
] as const;

export type Charset = (typeof CHARSETS)[number]['value'];

/** The charset of an account; empty: that of the platform. */
export const accountCharset = () =>
  choice({
    label: { en: 'Charset (shell)', zh: '编码（Shell）' },
    help: {
      en: 'Of shells, commands and file names of this account',
      zh: '此账号的 Shell、命令和文件名所用的编码',
    },
    choices: [{ value: '', label: { en: 'That of the platform', zh: '与平台一致' } }, ...CHARSETS],
    required: false,
    defaultValue: '',
    detailOnly: true,
  });
