import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import type { ConsoleSession } from '../base/session.tsx';

afterEach(() => {
  cleanup();
  localStorage.removeItem('lang');
  vi.resetModules();
});

/** Text of the footer in a language, as the browser has stored it. */
async function footerOf(lang: string, settings: Partial<ConsoleSession['settings']>) {
  localStorage.setItem('lang', lang);
  vi.resetModules();
  const { SessionProvider } = await import('../base/session.tsx');
  const { Footer } = await import('./Footer.tsx');
  const session = { settings: { VERSION: '2.1.0', ...settings } } as ConsoleSession;
  const { container } = render(
    <SessionProvider value={session}>
      <Footer />
    </SessionProvider>,
  );
  return container.textContent;
}

it('names release, commit and API version in both languages, with a note without a license', async () => {
  const settings = { PRODUCT_VERSION: '2.3.1', PRODUCT_COMMIT: '1114d68fae21' };
  expect(await footerOf('en', settings)).toBe(
    'Copyright © Sallyport contributorsRelease 2.3.1 (1114d68fae21) · API v2.1.0 GPLv2.',
  );
  cleanup();
  expect(await footerOf('cn', settings)).toBe(
    '版权所有 © Sallyport 贡献者发行版 2.3.1 (1114d68fae21) · API v2.1.0 GPLv2.',
  );
});

it('names no commit to users who may not know it, and no license note with a license', async () => {
  const settings = { PRODUCT_VERSION: '2.3.1', XPACK_LICENSE_IS_VALID: true };
  expect((await footerOf('en', settings))?.trim()).toBe('Release 2.3.1 · API v2.1.0');
});
