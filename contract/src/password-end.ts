import type { Profile } from './api/api.ts';
import { type Language, say } from './kit/text.ts';
import { PASSWORD_REMINDER_DAYS } from './limits.ts';

type PasswordFacts = Pick<Profile, 'source' | 'password_days_left' | 'password_sign_ins_left'>;

/** End of a password that its source still accepts. Null: the source did not say. */
export interface PasswordEnd {
  /** Days until the password expires. */
  readonly daysLeft: number | null;
  /** Sign-ins that are left with an expired password. */
  readonly signInsLeft: number | null;
}

const EXPIRED = {
  en: 'The password has expired: {count, plural, one {# sign-in is} other {# sign-ins are}} left.',
  zh: '密码已过期，还可登录 {count, number} 次。',
};
const EXPIRES = {
  en: 'The password expires in {days, plural, one {# day} other {# days}}.',
  zh: '密码将在 {days, number} 天后过期。',
};

/**
 * Returns true if pages remind a user of the end of the password: a local one in its last days,
 * another one as soon as its source says so.
 */
export function isPasswordEndSoon({
  source,
  password_days_left: days,
  password_sign_ins_left: signIns,
}: PasswordFacts): boolean {
  if (source !== 'local') return days !== null || signIns !== null;
  return days !== null && days <= PASSWORD_REMINDER_DAYS;
}

/** Returns the sentence about the end of a password, or a blank text without one. */
export function describePasswordEnd(end: PasswordEnd, language: Language): string {
  if (end.signInsLeft !== null) return say(EXPIRED, language, { count: end.signInsLeft });
  return end.daysLeft === null ? '' : say(EXPIRES, language, { days: end.daysLeft });
}
