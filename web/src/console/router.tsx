import { isAdminRole } from '@sallyport/contract';
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Navigate, Outlet, redirect, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { queryClient } from '../kit/AppProviders.tsx';
import { Crashed } from '../kit/ErrorBoundary.tsx';
import { Shell } from './layout/Shell.tsx';
import { parseSearch, stringifySearch, useGoAddress } from './navigation.tsx';
import { BASE_PATH } from './start/addresses.ts';
import type { ConsoleSession } from './start/guard.ts';

export const DASHBOARD_PATH = '/dashboard';

/** `/redirect/some/page` shows the page anew: what was read before is read again (specification §2, tabs). */
function RefreshPage() {
  const goAddress = useGoAddress();
  const { pathname, searchStr } = useLocation();
  useEffect(() => {
    queryClient.invalidateQueries({ refetchType: 'none' }).then(() => goAddress(pathname.replace(/^\/redirect/, '') + searchStr || '/', true));
  }, [goAddress, pathname, searchStr]);
  return null;
}

/** Builds the routes of the screens that this session may see; nothing else is reachable. */
export function buildRouter(session: ConsoleSession) {
  const root = createRootRoute({ component: Outlet, notFoundComponent: () => <Navigate to="/404" replace /> });
  const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });
  const home = session.screens.some(({ path }) => path === '/')
    ? []
    : [
        createRoute({
          getParentRoute: () => root,
          path: '/',
          beforeLoad: () => {
            throw redirect({ to: isAdminRole(session.role.current) ? DASHBOARD_PATH : '/users/profile', replace: true });
          },
        }),
      ];
  const screens = session.screens.flatMap((screen) =>
    screen.component ? [createRoute({ getParentRoute: () => shell, path: screen.path, component: screen.component })] : [],
  );
  const notFound = createRoute({
    getParentRoute: () => root,
    path: '/404',
    component: lazyRouteComponent(() => import('./pages/NotFoundPage.tsx'), 'NotFoundPage'),
  });
  const refresh = createRoute({ getParentRoute: () => root, path: '/redirect/$', component: RefreshPage });
  return createRouter({
    routeTree: root.addChildren([shell.addChildren(screens), ...home, notFound, refresh]),
    basepath: BASE_PATH,
    trailingSlash: 'never',
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: ({ error }) => <Crashed error={error instanceof Error ? error : new Error(String(error))} />,
  });
}
