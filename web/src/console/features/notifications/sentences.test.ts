import { expect, it } from 'vitest';
import { sentenceOf } from './sentences.ts';

it('names the country of a sign-in', () => {
  const sentence = (subject: string) =>
    sentenceOf({ kind: 'alert_new_country', by_name: 'Li Wei', subject });
  expect(sentence('JP (203.0.113.7)')).toBe('Li Wei 从新国家登录：日本 (203.0.113.7)');
  // Malformed codes stay as they are.
  expect(sentence('')).toBe('Li Wei 从新国家登录：');
});
