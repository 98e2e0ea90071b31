import { expect, it } from 'vitest';
import { findRefusedTerms, refusedTermsOf } from './terms.mjs';

const faults = (source, kept) => refusedTermsOf(source, new Set(kept)).map(([line]) => line);

it('refuses terms of both languages with the line and the term of the glossary', () => {
  const source =
    "a: { zh: '登陆', en: 'Sign in' },\nb: {\n  zh: '双重认证',\n  en: 'MFA level',\n},";
  expect(refusedTermsOf(source)).toEqual([
    [1, '“登陆” in “登陆”: 登录'],
    [4, '“MFA” in “MFA level”: second factor'],
  ]);
});

it('keeps quoted texts and other names of pages', () => {
  expect(faults("{ zh: '登录', en: 'Re-Login' }")).toEqual([1]);
  expect(faults("{ zh: '登录', en: 'Re-Login' }", ['Re-Login'])).toEqual([]);
  expect(faults("otherNames: [{ zh: '登录', en: 'Login logs' }],")).toEqual([]);
});

it('finds no refused term in the texts of the product', () => {
  expect(findRefusedTerms()).toEqual([]);
});
