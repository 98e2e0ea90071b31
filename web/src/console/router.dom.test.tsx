import { MantineProvider } from '@mantine/core';
import { Permission, Role } from '@sallyport/contract';
import { RouterProvider } from '@tanstack/react-router';
import { cleanup, render, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { t } from '../kit/i18n/index.ts';
import { setDocumentTitle } from '../kit/page/brand.ts';
import { sessionOf } from '../testing/render-page.tsx';
import { isAllowed } from './base/screen.ts';
import { SessionProvider } from './base/session.tsx';
import { words } from './base/words.ts';
import { buildRouter } from './router.tsx';
import { SCREENS } from './screens/index.ts';

afterEach(() => {
  cleanup();
  history.replaceState(null, '', '/');
});

it('finds no create page where the role may only read the objects', async () => {
  history.replaceState(null, '', '/ui/assets/platforms/create');
  const role = Role.SuperAuditor & ~Permission.USE;
  const flags = { SECURITY_COMMAND_EXECUTION: true, XPACK_LICENSE_IS_VALID: true };
  const screens = SCREENS.filter((screen) => isAllowed(screen, role, flags));
  const session = { ...sessionOf(role), screens };
  expect(screens.map(({ name }) => name)).toContain('PlatformDetail');
  render(
    <MantineProvider env="test">
      <SessionProvider value={session}>
        <RouterProvider router={buildRouter(session)} />
      </SessionProvider>
    </MantineProvider>,
  );
  await waitFor(() => expect(location.pathname).toBe('/ui/404'));
});

it.each(['/luna', '/sftp', '/terminal/luna', '/terminal/sftp', '/settings', '/no/such/page'])(
  'names the page “not found” in the title when the role may not open %s',
  async (path) => {
    history.replaceState(null, '', `/ui${path}`);
    // The guard names the page before it knows the rights of the user.
    setDocumentTitle(SCREENS.find((screen) => screen.path === path)?.title.en);
    const session = { ...sessionOf(Role.OrgAuditor), screens: [] };
    render(
      <MantineProvider env="test">
        <SessionProvider value={session}>
          <RouterProvider router={buildRouter(session)} />
        </SessionProvider>
      </MantineProvider>,
    );
    await waitFor(() => expect(location.pathname).toBe('/ui/404'));
    await waitFor(() => expect(document.title).toMatch(t(words.notFound)));
  },
);
