import { t } from '../../../kit/i18n/index.ts';
import type { SearchPreset } from '../../resource/list/search-fields.ts';
import { words } from './words.ts';

/**
 * Matches a program at the beginning of a command, or after a character that cannot be part of its
 * name, such as `/`, `;` or `|`.
 */
const program = (names: string) => `(^|[^\\w.-])(${names})`;

/**
 * Searches for risky commands. They match typed text only: an alias or a script can run the same
 * program under another name.
 */
export const commandPresets = (): readonly SearchPreset[] => [
  {
    label: t(words.deletesFiles),
    search: `re:"${program('rm|rmdir|unlink|shred')}\\s|\\s-delete\\b"`,
  },
  { label: t(words.becomesRoot), search: `re:"${program('su|sudo|doas|pkexec')}(\\s|$)"` },
  {
    label: t(words.writesToEtc),
    search: `re:"(>|${program('tee|vim?|nano|cp|mv|rm|ln|chmod|chown|sed -i')}\\s).*/etc/"`,
  },
  {
    label: t(words.usesNetwork),
    search: `re:"${program('curl|wget|scp|sftp|rsync|ssh|nc|ncat|telnet|ftp')}\\s"`,
  },
];
