import { type Language, type Problem, say } from '@sallyport/contract';
import type { SettingsService } from '../../../platform/settings/service.ts';
import { isCommonPassword } from './common.ts';

const CLASSES = [
  {
    setting: 'SECURITY_PASSWORD_UPPER_CASE',
    pattern: /\p{Lu}/u,
    text: { en: 'Upper case required', zh: '须包含大写字母' },
  },
  {
    setting: 'SECURITY_PASSWORD_LOWER_CASE',
    pattern: /\p{Ll}/u,
    text: { en: 'Lower case required', zh: '须包含小写字母' },
  },
  {
    setting: 'SECURITY_PASSWORD_NUMBER',
    pattern: /\p{N}/u,
    text: { en: 'Number required', zh: '须包含数字' },
  },
  {
    setting: 'SECURITY_PASSWORD_SPECIAL_CHAR',
    pattern: /[^\p{L}\p{N}\s]/u,
    text: { en: 'Special character required', zh: '须包含特殊字符' },
  },
] as const;

interface PasswordRules {
  readonly settings: SettingsService;
  readonly language: Language;
  /** Texts about the owner, such as the username, that are no passwords. */
  readonly aboutOwner: readonly unknown[];
}

/** Returns the problem of a new password under the security settings; undefined if it is valid. */
export async function passwordProblem(
  password: string,
  { settings, language, aboutOwner }: PasswordRules,
): Promise<Problem | undefined> {
  const min = settings.get('SECURITY_PASSWORD_MIN_LENGTH');
  const missing = CLASSES.filter(
    ({ setting, pattern }) => settings.get(setting) && !pattern.test(password),
  ).map(({ text }) => say(text, language));
  if ([...password].length < min)
    missing.push(say({ en: 'At least {min} characters', zh: '至少 {min} 位' }, language, { min }));
  if (missing.length > 0)
    return {
      code: 'password_rule',
      params: { rules: missing.join(say({ en: ', ', zh: '，' }, language)) },
    };
  return settings.get('SECURITY_PASSWORD_REFUSE_COMMON') &&
    (await isCommonPassword(password, aboutOwner))
    ? { code: 'password_common' }
    : undefined;
}
