import type { LocalText, PublicSettings } from '@sallyport/contract';
import { words } from './words.ts';

/** From 0 (empty) to 4. */
type StrengthLevel = 0 | 1 | 2 | 3 | 4;

/** Size of the alphabet that an attacker must try, by kind of character. */
const KINDS = [
  { pattern: /\p{Ll}/u, size: 26 },
  { pattern: /\p{Lu}/u, size: 26 },
  { pattern: /\p{N}/u, size: 10 },
  { pattern: /[^\p{L}\p{N}]/u, size: 33 },
  { pattern: /\p{Lo}/u, size: 3_000 },
];
const COMMON =
  /pass\s?word|passw0rd|qwert|asdf|zxcv|admin|root|welcome|letmein|iloveyou|abc|1234?|sallyport/giu;
const STEPS = [28, 45, 65];

/**
 * Counts characters that are hard to guess: repetitions, runs like 4567 and common words count
 * less.
 */
function effectiveLength(password: string): number {
  const points = [...password.replaceAll(COMMON, 'a')].map(
    (character) => character.codePointAt(0) ?? 0,
  );
  return points.reduce((sum, point, index) => {
    const step = index === 0 ? undefined : point - (points[index - 1] ?? 0);
    return sum + (step === 0 || step === 1 || step === -1 ? 0.3 : 1);
  }, 0);
}

/**
 * Estimates password strength from length and character kinds. Only a hint during typing; the rules
 * of the server decide.
 */
export function passwordStrength(password: string): StrengthLevel {
  if (password === '') return 0;
  const pool = KINDS.reduce(
    (sum, { pattern, size }) => (pattern.test(password) ? sum + size : sum),
    0,
  );
  const bits = effectiveLength(password) * Math.log2(Math.max(pool, 2));
  return (1 + STEPS.filter((step) => bits >= step).length) as StrengthLevel;
}

export const STRENGTH_WORDS: Readonly<Record<Exclude<StrengthLevel, 0>, LocalText>> = {
  1: words.weak,
  2: words.fair,
  3: words.good,
  4: words.strong,
};

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
