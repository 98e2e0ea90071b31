import { afterEach, expect, it, vi } from 'vitest';
import { COOKIES, rememberOrganization, writeCookie } from '../../kit/cookies.ts';
import { forgetRole, rememberRole } from './role.ts';

const written: string[] = [];

function browser(protocol = 'http:') {
  written.length = 0;
  vi.stubGlobal('location', { protocol });
  vi.stubGlobal('document', {
    set cookie(text: string) {
      written.push(text);
    },
  });
}

afterEach(() => vi.unstubAllGlobals());

const FORTNIGHT = `max-age=${14 * 86_400}`;

it('keeps organization and role for fourteen days', () => {
  browser();
  rememberOrganization({ id: 'a', name: '甲' });
  rememberRole(146);
  expect(written[0]).toBe(
    `jms_current_org=${encodeURIComponent('{"id":"a","name":"甲"}')}; path=/; samesite=lax; ${FORTNIGHT}`,
  );
  // Downloads carry no header: the server reads this one, for as long as the browser is open.
  expect(written[1]).toBe('X-JMS-ORG=a; path=/; samesite=lax');
  expect(written[2]).toBe(`jms_current_role=146; path=/; samesite=lax; ${FORTNIGHT}`);
});

it('deletes cookies with outdated values, and marks cookies as secure on HTTPS', () => {
  browser('https:');
  rememberOrganization({ id: '', name: 'DEFAULT' });
  forgetRole();
  writeCookie(COOKIES.activeTab, 'x', { days: 1 });
  expect(written[0]).toMatch(/; secure$/);
  expect(written.slice(1, 3)).toEqual([
    'X-JMS-ORG=; path=/; max-age=0; samesite=lax',
    'jms_current_role=; path=/; max-age=0; samesite=lax',
  ]);
  expect(written[3]).toBe('activeTab=x; path=/; samesite=lax; max-age=86400; secure');
});
