import type { PublicSettings } from '@sallyport/contract';
import { Role } from '@sallyport/contract';
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { renderPage, sessionOf } from '../../../testing/render-page.tsx';
import { SessionProvider } from '../../base/session.tsx';
import { SiteNotice } from './SiteNotice.tsx';

const HERE = 'https://bastion.example.com';

afterEach(() => vi.unstubAllGlobals());

/** Renders the notice at an address, for a role, where mails begin with `MAIL_SITE`. */
async function noticeAt(
  here: string,
  {
    MAIL_SITE,
    role = Role.SuperAdmin,
    isMailed = true,
  }: {
    MAIL_SITE?: string;
    role?: number;
    isMailed?: boolean;
  },
) {
  cleanup();
  vi.stubGlobal('location', new URL(here));
  const session = sessionOf(role);
  const settings = { ...session.settings, ...(MAIL_SITE && { MAIL_SITE }) } as PublicSettings;
  await renderPage(
    <SessionProvider value={{ ...session, settings }}>
      <SiteNotice isMailed={isMailed} />
    </SessionProvider>,
    { role },
  );
  return {
    text: screen.queryByRole('alert')?.textContent ?? '',
    offers: screen.queryByRole('button') !== null,
  };
}

it('names both addresses if mailed links begin with another one, and offers the change to administrators of the installation', async () => {
  const MAIL_SITE = 'http://localhost:8080';
  const notice = await noticeAt(HERE, { MAIL_SITE });
  expect(notice.text).toContain(MAIL_SITE);
  expect(notice.text).toContain(HERE);
  expect(notice.offers).toBe(true);
  const other = await noticeAt(HERE, { MAIL_SITE, role: Role.OrgAdmin });
  expect(other.text).toContain(MAIL_SITE);
  expect(other.offers).toBe(false);
});

it('warns before links are copied that only this machine opens', async () => {
  const { text, offers } = await noticeAt('http://127.0.0.1:8080', { isMailed: false });
  expect(text).toContain('http://127.0.0.1:8080');
  expect(offers).toBe(false);
});

it.each([
  ['mailed links lead here', HERE, { MAIL_SITE: `${HERE}/` }],
  ['the operator fixed the address', HERE, {}],
  ['the administrator works on the server', 'http://localhost', { MAIL_SITE: HERE }],
  ['copied links have this address', HERE, { MAIL_SITE: 'http://localhost', isMailed: false }],
])('shows nothing if %s', async (_, here, options) =>
  expect(await noticeAt(here, options)).toEqual({ text: '', offers: false }),
);
