import { SETTING_FIELDS, type Settings } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { createSettingRules, namesPerson } from './rules.ts';

const DEFAULTS = Object.fromEntries(
  [...SETTING_FIELDS].map(([name, field]) => [name, field.defaultValue]),
) as Partial<Settings> as Settings;

it('applies the rule of a category to its values, and refuses a second rule', () => {
  const rules = createSettingRules();
  rules.addRule('email', ({ EMAIL_PORT: port }) =>
    port === '25' ? { EMAIL_PORT: [{ code: 'required' }] } : {},
  );
  expect(() => rules.addRule('email', () => ({}))).toThrow('the settings email have a rule');
  expect(rules.problemsOf('email', DEFAULTS)).toEqual({ EMAIL_PORT: [{ code: 'required' }] });
  expect(rules.problemsOf('email', { ...DEFAULTS, EMAIL_PORT: '587' })).toEqual({});
  expect(rules.problemsOf('basic', DEFAULTS)).toEqual({});
});

const GOOD = { username: 'uid', name: 'cn', email: 'mail' };

it.each([
  [GOOD, [], true],
  [{ ...GOOD, subject: 'NameID' }, ['subject'], true],
  [{ ...GOOD, subject: 'NameID' }, [], false],
  [{ ...GOOD, email: ' ' }, [], false],
  [{ ...GOOD, email: 7 }, [], false],
  [{ username: 'uid', name: 'cn' }, [], false],
  [{ ...GOOD, __proto__: null, constructor: 'x' }, [], false],
  [null, [], false],
  ['uid', [], false],
])('finds a name, a username and an address in %o with %o: %s', (map, more, isGood) => {
  expect(namesPerson(map, more)).toBe(isGood);
});
