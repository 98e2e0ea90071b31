import type { SettingCategoryName, Settings } from '@sallyport/contract';
import { patternProblem } from '../../platform/pattern.ts';
import { REQUIRED, type SettingProblems, type SettingRule } from '../../platform/settings/rules.ts';

function patternProblems(pattern: string): SettingProblems {
  const problem = patternProblem(pattern);
  return problem ? { TERMINAL_TELNET_REGEX: [problem] } : {};
}

/** Terminals show the text, so it has no control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

function noticeProblems(settings: Settings): SettingProblems {
  const { ANNOUNCEMENT_FROM: from, ANNOUNCEMENT_UNTIL: until } = settings;
  const isBackwards = from && until && new Date(until) <= new Date(from);
  return {
    ...(CONTROL.test(settings.SIGN_IN_NOTICE) && {
      SIGN_IN_NOTICE: [{ code: 'control_character' }],
    }),
    ...(settings.SIGN_IN_NOTICE_ACCEPT && !settings.SIGN_IN_NOTICE && { SIGN_IN_NOTICE: REQUIRED }),
    ...(isBackwards && { ANNOUNCEMENT_UNTIL: [{ code: 'date_order' }] }),
  };
}

function backupProblems(settings: Settings): SettingProblems {
  const isNowhere = settings.BACKUP_STORAGE === '' && !settings.BACKUP_KEEP_FOLDER;
  return isNowhere ? { BACKUP_KEEP_FOLDER: [{ code: 'backup_nowhere' }] } : {};
}

/** The rules of categories that belong to no other feature. */
export const CORE_RULES: readonly (readonly [SettingCategoryName, SettingRule])[] = [
  ['backup', backupProblems],
  [
    'email',
    (settings) =>
      settings.EMAIL_USE_SSL && settings.EMAIL_USE_TLS
        ? { EMAIL_USE_TLS: [{ code: 'tls_twice' }] }
        : {},
  ],
  ['notices', noticeProblems],
  ['terminal', (settings) => patternProblems(settings.TERMINAL_TELNET_REGEX)],
];
