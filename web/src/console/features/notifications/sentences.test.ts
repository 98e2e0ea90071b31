import { expect, it } from 'vitest';
import { sentenceOf } from './sentences.ts';

it('names the country of a sign-in', () => {
  const sentence = (subject: string) =>
    sentenceOf({ kind: 'alert_new_country', by_name: 'Li Wei', subject });
  expect(sentence('JP (203.0.113.7)')).toBe('Li Wei 从新国家登录：日本 (203.0.113.7)');
  // Malformed codes stay as they are.
  expect(sentence('')).toBe('Li Wei 从新国家登录：');
});

it('names an address with denied sign-ins once, and keeps the place of a user', () => {
  const sentence = (by: string, subject: string) =>
    sentenceOf({ kind: 'alert_many_denials', by_name: by, subject });
  const once = '2001:db8::7 的登录多次被拒绝';
  expect(sentence('2001:db8::7', '2001:db8::7')).toBe(once);
  expect(sentence('2001:db8::7', '2001:db8::7 (2001:db8::7)')).toBe(once);
  expect(sentence('Li Wei', '198.51.100.7')).toBe('Li Wei 多次被拒绝：198.51.100.7');
  // A name may begin like an address.
  expect(sentence('198', '198.51.100.7')).toBe('198 多次被拒绝：198.51.100.7');
});
