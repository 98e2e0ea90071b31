import { isAdminRole } from '@sallyport/contract';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
  redirect,
  useLocation,
} from '@tanstack/react-router';
import { useEffect } from 'react';
import { BASE_PATH } from '../kit/base-path.ts';
import { Crashed } from '../kit/page/ErrorBoundary.tsx';
import { queryClient } from '../kit/page/start-app.tsx';
import { DASHBOARD_PATH } from './base/addresses.ts';
import {
  parseSearch,
  type SearchRecord,
  stringifySearch,
  useGoAddress,
} from './base/navigation.tsx';
import { pagesOf } from './base/resources.ts';
import type { ConsoleSession } from './base/session.tsx';
import { Shell } from './layout/Shell.tsx';

/**
 * A moved address. `search` is its query; the result holds the path of the page and the remaining
 * query.
 */
interface Moved {
  readonly from: string;
  to(search: Readonly<Record<string, string>>): {
    readonly path: string;
    readonly search: Readonly<Record<string, string>>;
  };
}

/**
 * Application permissions are edited at `{id}/update`; established links pass the id, if any, in
 * the query.
 */
const updateOf = (resource: string): Moved => {
  const pages = pagesOf(resource);
  return {
    from: `${pages.list}/update`,
    to: ({ id = '', ...search }) => ({
      path: /^[\w-]+$/.test(id) ? pages.update(id) : pages.list,
      search,
    }),
  };
};

const renamed = (from: string, path: string): Moved => ({
  from,
  to: (search) => ({ path, search }),
});

/** Addresses of the specification and of earlier versions that moved to another path. */
export const MOVED: readonly Moved[] = [
  updateOf('remote_app_permission'),
  updateOf('database_app_permission'),
  renamed('/terminal/storages/create', pagesOf('replay_storage').create),
  renamed('/terminal/command-storages/create', pagesOf('command_storage').create),
];

/** `/redirect/some/page` reloads the page with fresh data (conformance 2.50). */
function RefreshPage() {
  const goAddress = useGoAddress();
  const { pathname, searchStr } = useLocation();
  useEffect(() => {
    queryClient
      .invalidateQueries({ refetchType: 'none' })
      .then(() => goAddress(pathname.replace(/^\/redirect/, '') + searchStr || '/', true));
  }, [goAddress, pathname, searchStr]);
  return null;
}

/** Leaves the console for another application. */
function Leave({ opens }: { readonly opens: () => string }) {
  useEffect(() => location.replace(opens()), [opens]);
  return null;
}

/**
 * Returns the addresses of create pages that the session may not open. Without a route they would
 * match the detail page of an object named `create`.
 */
function closedForms({ screens }: ConsoleSession): readonly string[] {
  const open = new Set(screens.map(({ path }) => path));
  const closed = screens.flatMap(({ path, resource }) => {
    if (resource === undefined) return [];
    const { create, detail } = pagesOf(resource);
    return path === detail('$id') && !open.has(create) ? [create] : [];
  });
  return [...new Set(closed)].filter((path) => !MOVED.some(({ from }) => from === path));
}

/** Builds the routes of the screens that this session may see; other addresses are not found. */
export function buildRouter(session: ConsoleSession) {
  const root = createRootRoute({
    component: Outlet,
    notFoundComponent: () => <Navigate to="/404" replace />,
  });
  const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });
  const home = session.screens.some(({ path }) => path === '/')
    ? []
    : [
        createRoute({
          getParentRoute: () => root,
          path: '/',
          beforeLoad: () => {
            throw redirect({
              to: isAdminRole(session.role.current)
                ? (session.screens[0]?.path ?? DASHBOARD_PATH)
                : '/users/profile',
              replace: true,
            });
          },
        }),
      ];
  const screens = session.screens.flatMap((screen) =>
    screen.component
      ? [
          createRoute({
            getParentRoute: () => shell,
            path: screen.path,
            component: screen.component,
          }),
        ]
      : [],
  );
  // A typed or bookmarked address of a screen with a separate window opens in the current window.
  const windows = session.screens.flatMap(({ path, opens }) =>
    opens
      ? [
          createRoute({
            getParentRoute: () => root,
            path,
            component: () => <Leave opens={opens} />,
          }),
        ]
      : [],
  );
  const moved = MOVED.map(({ from, to }) =>
    createRoute({
      getParentRoute: () => root,
      path: from,
      beforeLoad: ({ search }) => {
        const { path, search: rest } = to(search as SearchRecord);
        throw redirect({ to: path, search: rest, replace: true });
      },
    }),
  );
  const closed = closedForms(session).map((path) =>
    createRoute({
      getParentRoute: () => root,
      path,
      beforeLoad: () => {
        throw redirect({ to: '/404', replace: true });
      },
    }),
  );
  const notFound = createRoute({
    getParentRoute: () => root,
    path: '/404',
    component: lazyRouteComponent(() => import('./features/NotFoundPage.tsx'), 'NotFoundPage'),
  });
  const refresh = createRoute({
    getParentRoute: () => root,
    path: '/redirect/$',
    component: RefreshPage,
  });
  return createRouter({
    routeTree: root.addChildren([
      shell.addChildren(screens),
      ...home,
      ...windows,
      ...moved,
      ...closed,
      notFound,
      refresh,
    ]),
    basepath: BASE_PATH,
    trailingSlash: 'never',
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: ({ error }) => (
      <Crashed error={error instanceof Error ? error : new Error(String(error))} />
    ),
  });
}
