import { choice } from '../../kit/field.ts';

const UTF8 = { value: 'utf8', label: { en: 'UTF-8', zh: 'UTF-8' } } as const;
const GBK = { value: 'gbk', label: { en: 'GBK', zh: 'GBK' } } as const;

/** Charsets of shells, commands and file names of a target. */
export const CHARSETS = [UTF8, GBK] as const;

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
