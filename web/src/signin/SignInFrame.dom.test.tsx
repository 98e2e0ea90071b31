import { MantineProvider } from '@mantine/core';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  cleanup();
  localStorage.removeItem('lang');
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.resetModules();
});

const PUBLIC = {
  VERSION: '2.1.0',
  PRODUCT_VERSION: '2.3.1',
  LOGIN_TITLE: '',
  LOGO_URLS: { logo_logout: '', logo_index: '', login_image: '', favicon: '' },
};

/** Renders the frame in a language, as the browser has stored it. */
async function showFrame(lang: string | undefined, answer: () => Response) {
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => answer()),
  );
  if (lang) localStorage.setItem('lang', lang);
  vi.resetModules();
  const { SignInFrame } = await import('./SignInFrame.tsx');
  return render(
    <MantineProvider>
      <SignInFrame>form</SignInFrame>
    </MantineProvider>,
  );
}

const settings = () =>
  new Response(JSON.stringify({ data: PUBLIC }), {
    headers: { 'content-type': 'application/json' },
  });

it.each([
  ['en', 'Release 2.3.1 · API v2.1.0'],
  ['cn', '发行版 2.3.1 · API v2.1.0'],
])('names the release and the API version below the form (%s)', async (lang, text) => {
  await showFrame(lang, settings);
  expect((await screen.findByText(text)).tagName).toBe('FOOTER');
});

it('leaves the versions out when the settings do not load', async () => {
  const { container } = await showFrame('en', () => new Response('', { status: 500 }));
  await vi.waitFor(() => expect(fetch).toHaveBeenCalled());
  expect(container.querySelector('footer')?.textContent).toBe('');
});

const OFFERS = /^(Read this page in English|用中文阅读本页)$/;

it.each([
  ['an English browser', ['en-US', 'en'], undefined, 'Read this page in English'],
  ['a browser with neither language', ['de-DE', 'fr'], undefined, 'Read this page in English'],
  ['a German who reads Chinese', ['de', 'zh-TW', 'en'], undefined, undefined],
  ['a Chinese browser', ['zh-CN', 'en'], undefined, undefined],
  ['a person who chose Chinese', ['en-GB'], 'cn', undefined],
  ['a person who chose English', ['zh-CN'], 'en', undefined],
] as const)('offers the language of the browser: %s', async (_, languages, lang, offer) => {
  vi.spyOn(navigator, 'languages', 'get').mockReturnValue(languages);
  await showFrame(lang, settings);
  const button = screen.queryByRole('button', { name: OFFERS });
  expect(button?.textContent).toBe(offer);
  expect(button?.lang).toBe(offer && 'en');
});
