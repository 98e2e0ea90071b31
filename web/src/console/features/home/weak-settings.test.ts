import { expect, it } from 'vitest';
import { weakSettings } from './weak-settings.ts';

const SAFE = {
  security: { SECURITY_MFA_AUTH: true, SECURITY_PASSWORD_MIN_LENGTH: 12 },
  terminal: { TERMINAL_SESSION_KEEP_DURATION: 365 },
};

it('returns nothing for safe settings and for missing settings', () => {
  expect(weakSettings(SAFE)).toEqual([]);
  expect(weakSettings({})).toEqual([]);
});

it('lists each weak setting with its present value, the worst first', () => {
  const weak = weakSettings({
    security: { SECURITY_MFA_AUTH: false, SECURITY_PASSWORD_MIN_LENGTH: 6 },
    terminal: { TERMINAL_SESSION_KEEP_DURATION: 9999 },
  });
  expect(weak.map(({ change, count, tab }) => [change?.name, change?.value, count, tab])).toEqual([
    ['SECURITY_MFA_AUTH', true, undefined, 'Security'],
    ['SECURITY_PASSWORD_MIN_LENGTH', 12, 6, 'Security'],
    [undefined, undefined, 9999, 'Terminal'],
  ]);
});
