import { DEFAULT_SITE_URL } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { weakSettings } from './weak-settings.ts';

const HERE = 'https://bastion.example.com';
const SAFE = {
  security: { SECURITY_MFA_AUTH: true, SECURITY_PASSWORD_MIN_LENGTH: 12 },
  terminal: { TERMINAL_SESSION_KEEP_DURATION: 365 },
};

it('returns nothing for safe settings and for missing settings', () => {
  expect(weakSettings(SAFE, HERE)).toEqual([]);
  expect(weakSettings({}, HERE)).toEqual([]);
});

it('lists each weak setting with its present value, the worst first', () => {
  const weak = weakSettings(
    {
      security: { SECURITY_MFA_AUTH: false, SECURITY_PASSWORD_MIN_LENGTH: 6 },
      terminal: { TERMINAL_SESSION_KEEP_DURATION: 9999 },
    },
    HERE,
  );
  expect(weak.map(({ change, count, tab }) => [change?.name, change?.value, count, tab])).toEqual([
    ['SECURITY_MFA_AUTH', true, undefined, 'Security'],
    ['SECURITY_PASSWORD_MIN_LENGTH', 12, 6, 'Security'],
    [undefined, undefined, undefined, 'Terminal'],
  ]);
});

it('offers the address of the console for links in mails, except one of this machine alone', () => {
  const settings = { ...SAFE, basic: { SITE_URL: DEFAULT_SITE_URL } };
  expect(weakSettings(settings, HERE).map(({ change }) => change?.value)).toEqual([HERE]);
  expect(weakSettings(settings, 'http://127.0.0.1:8080')).toEqual([]);
  expect(weakSettings({ ...SAFE, basic: { SITE_URL: `${HERE}/` } }, HERE)).toEqual([]);
  expect(
    weakSettings({ ...SAFE, basic: { SITE_URL: 'https://other.example' } }, HERE),
  ).toMatchObject([{ text: 'https://other.example', change: { value: HERE } }]);
});
