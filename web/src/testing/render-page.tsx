import { MantineProvider } from '@mantine/core';
import { type Profile, type PublicSettings, Role } from '@sallyport/contract';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router';
import { act, cleanup, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach } from 'vitest';
import { parseSearch, stringifySearch } from '../console/base/navigation.tsx';
import type { ConsoleSession } from '../console/base/session.tsx';
import { SessionProvider } from '../console/base/session.tsx';
import { PARTS, SCREENS } from '../console/screens/index.ts';
import { language } from '../kit/i18n/index.ts';

afterEach(cleanup);

export interface PageOptions {
  readonly role?: number;
  readonly path?: string;
  /** The route pattern, for pages that read parameters from the address. */
  readonly route?: string;
}

/** A session of the console for a role, which sees every screen. */
export const sessionOf = (role: number): ConsoleSession => ({
  profile: { id: 'me', username: 'admin' } as Profile,
  settings: {
    XPACK_LICENSE_IS_VALID: false,
    LOGO_URLS: { logo_index: '', logo_logout: '', login_image: '', favicon: '' },
  } as PublicSettings,
  organization: undefined,
  organizations: [],
  screens: SCREENS,
  parts: PARTS,
  role: { roles: [role], permissions: role, current: role },
});

/**
 * Renders an element as a page of the console, for a user with a role, at an address. Returns the
 * queries of Testing Library and the router.
 */
export async function renderPage(
  page: ReactNode,
  { role = Role.SuperAdmin, path = '/', route = '$' }: PageOptions = {},
) {
  const root = createRootRoute({ component: Outlet });
  const here = createRoute({ getParentRoute: () => root, path: route, component: () => page });
  const start = createRoute({ getParentRoute: () => root, path: '/', component: () => page });
  const router = createRouter({
    routeTree: root.addChildren([start, here]),
    history: createMemoryHistory({ initialEntries: [path] }),
    parseSearch,
    stringifySearch,
  });
  await router.load();
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  // Awaited: without awaiting `act`, React drops renders that suspend inside of it.
  const view = await act(async () =>
    render(
      <MantineProvider env="test">
        <QueryClientProvider client={client}>
          <SessionProvider value={sessionOf(role)}>
            <RouterProvider router={router} />
          </SessionProvider>
        </QueryClientProvider>
      </MantineProvider>,
    ),
  );
  return { ...view, router, language };
}
