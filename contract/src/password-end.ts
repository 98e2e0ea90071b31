import { type Language, say } from './kit/text.ts';

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

/** Returns the sentence about the end of a password, or a blank text without one. */
export function describePasswordEnd(end: PasswordEnd, language: Language): string {
  if (end.signInsLeft !== null) return say(EXPIRED, language, { count: end.signInsLeft });
  return end.daysLeft === null ? '' : say(EXPIRES, language, { days: end.daysLeft });
}
