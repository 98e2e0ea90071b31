import { isAdminRole } from '@sallyport/contract';
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Navigate, Outlet, redirect, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Crashed } from '../kit/ErrorBoundary.tsx';
import { queryClient } from '../kit/start-app.tsx';
import { BASE_PATH, DASHBOARD_PATH } from './base/addresses.ts';
import { parseSearch, stringifySearch, useGoAddress } from './base/navigation.tsx';
import type { ConsoleSession } from './base/session.tsx';
import { Shell } from './layout/Shell.tsx';

/** `/redirect/some/page` reloads the page: all data is read again (conformance 2.50). */
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
    component: lazyRouteComponent(() => import('./features/NotFoundPage.tsx'), 'NotFoundPage'),
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
