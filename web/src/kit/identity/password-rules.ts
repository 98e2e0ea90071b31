import type { LocalText, PublicSettings } from '@sallyport/contract';
import { words } from './words.ts';

export type PasswordRule = PublicSettings['PASSWORD_RULE'];

export interface RuleState {
  readonly text: LocalText;
  readonly min?: number;
  readonly met: boolean;
}

/**
 * Returns the password rules of the security settings in display order, and which of them a
 * password meets.
 */
export function ruleStates(password: string, rule: PasswordRule): RuleState[] {
  const classes = [
    { on: rule.SECURITY_PASSWORD_UPPER_CASE, pattern: /\p{Lu}/u, text: words.upper },
    { on: rule.SECURITY_PASSWORD_LOWER_CASE, pattern: /\p{Ll}/u, text: words.lower },
    { on: rule.SECURITY_PASSWORD_NUMBER, pattern: /\p{N}/u, text: words.number },
    { on: rule.SECURITY_PASSWORD_SPECIAL_CHAR, pattern: /[^\p{L}\p{N}\s]/u, text: words.special },
  ];
  const min = rule.SECURITY_PASSWORD_MIN_LENGTH;
  return [
    ...classes
      .filter(({ on }) => on)
      .map(({ text, pattern }) => ({ text, met: pattern.test(password) })),
    { text: words.length, min, met: [...password].length >= min },
  ];
}
