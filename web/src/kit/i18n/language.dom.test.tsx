import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { COOKIES, deleteCookie, readCookie, writeCookie } from '../cookies.ts';

beforeEach(() => {
  vi.resetModules();
  localStorage.clear();
  deleteCookie(COOKIES.language);
});
afterEach(() => {
  localStorage.clear();
  deleteCookie(COOKIES.language);
  history.replaceState(null, '', '/');
  // Files share modules, so the next one must not get these.
  vi.resetModules();
});

/** Starts a page at an address. Returns its language, its cookie, and the language of requests. */
async function startAt(address: string) {
  history.replaceState(null, '', address);
  const { language, startLanguage } = await import('./index.ts');
  startLanguage();
  const { headersOf } = await import('../api.ts');
  return [
    language,
    readCookie(COOKIES.language),
    headersOf(undefined).get('Accept-Language'),
    document.documentElement.lang,
  ];
}

const BEFORE_SIGN_IN = [
  '/core/auth/login/',
  '/core/auth/logout/?next=/ui/',
  '/core/auth/password/forgot/',
  '/core/auth/welcome/',
];

it.each(BEFORE_SIGN_IN)('writes no language cookie at %s without a choice', async (address) => {
  expect(await startAt(address)).toEqual(['zh', undefined, 'zh-CN', 'zh-CN']);
});

it('asks in the language that the user chose before, without a cookie, after a sign-out', async () => {
  localStorage.setItem('lang', 'en');
  expect(await startAt('/core/auth/login/')).toEqual(['en', undefined, 'en', 'en']);
});

it('keeps an existing cookie on the sign-in page', async () => {
  writeCookie(COOKIES.language, 'en');
  expect(await startAt('/core/auth/login/')).toEqual(['en', 'en', 'en', 'en']);
});

it('takes the language of an inviter’s link as a choice, unless the user chose another one', async () => {
  expect(await startAt('/core/auth/welcome/?lang=en')).toEqual(['en', 'en', 'en', 'en']);
  vi.resetModules();
  deleteCookie(COOKIES.language);
  localStorage.setItem('lang', 'cn');
  expect(await startAt('/core/auth/welcome/?lang=en')).toEqual(['zh', undefined, 'zh-CN', 'zh-CN']);
  vi.resetModules();
  localStorage.clear();
  // A language that does not exist here is no choice.
  expect(await startAt('/core/auth/welcome/?lang=fr')).toEqual(['en', undefined, 'en', 'en']);
});

it('takes the language of a link to a shared session, and of no other page of the terminal', async () => {
  expect(await startAt('/luna/invited/?lang=en#x')).toEqual(['en', 'en', 'en', 'en']);
  vi.resetModules();
  deleteCookie(COOKIES.language);
  expect(await startAt('/luna/?lang=en')).toEqual(['zh', 'zh-hans', 'zh-CN', 'zh-CN']);
  vi.resetModules();
  writeCookie(COOKIES.language, 'zh-hans');
  expect(await startAt('/luna/invited/?lang=en#x')).toEqual(['zh', 'zh-hans', 'zh-CN', 'zh-CN']);
});

it('writes the cookie on pages after the sign-in, for links and sockets', async () => {
  localStorage.setItem('lang', 'en');
  expect(await startAt('/ui/')).toEqual(['en', 'en', 'en', 'en']);
  expect(await startAt('/luna/')).toEqual(['en', 'en', 'en', 'en']);
});

it('sends a choice of a signed-out user to the server as a cookie', async () => {
  history.replaceState(null, '', '/core/auth/login/');
  const reload = vi.fn();
  vi.stubGlobal('location', { ...location, pathname: '/core/auth/login/', search: '', reload });
  const { chooseLanguage } = await import('./index.ts');
  chooseLanguage('en');
  vi.unstubAllGlobals();
  expect(readCookie(COOKIES.language)).toBe('en');
  expect(localStorage.getItem('lang')).toBe('en');
  expect(reload).toHaveBeenCalledOnce();
});
