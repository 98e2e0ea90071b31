import { t } from '../../../kit/i18n/index.ts';
import type { SearchPreset } from '../../resource/list/search-fields.ts';
import { words } from './words.ts';

/** A program at the beginning of a command or behind something that is no part of its name, such as a path, `;` or `|`. */
const program = (names: string) => `(^|[^\\w.-])(${names})`;

/** What auditors look for among commands. They say what was typed: an alias or a script can do the same without these words. */
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
