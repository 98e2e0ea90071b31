import { describe, expect, it } from 'vitest';
import { ruleStates } from './password-rules.ts';

const all = {
  SECURITY_PASSWORD_MIN_LENGTH: 6,
  SECURITY_PASSWORD_UPPER_CASE: true,
  SECURITY_PASSWORD_LOWER_CASE: true,
  SECURITY_PASSWORD_NUMBER: true,
  SECURITY_PASSWORD_SPECIAL_CHAR: true,
};

describe('the password rules', () => {
  it.each([
    ['', [false, false, false, false, false]],
    ['Aa1!', [true, true, true, true, false]],
    ['aaaaaa', [false, true, false, false, true]],
    ['Aa1!xx', [true, true, true, true, true]],
  ])('checks each rule for %j', (password, expected) => {
    expect(ruleStates(password, all).map(({ met }) => met)).toEqual(expected);
  });

  it('names only rules that the settings require', () => {
    const none = {
      ...all,
      SECURITY_PASSWORD_UPPER_CASE: false,
      SECURITY_PASSWORD_LOWER_CASE: false,
      SECURITY_PASSWORD_NUMBER: false,
      SECURITY_PASSWORD_SPECIAL_CHAR: false,
    };
    expect(ruleStates('x', none)).toHaveLength(1);
  });
});
