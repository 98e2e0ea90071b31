import { Anchor, type AnchorProps } from '@mantine/core';
import {
  Link,
  useLocation,
  useMatches,
  useNavigate,
  useParams,
  useRouter,
  useSearch,
} from '@tanstack/react-router';
import { type ComponentProps, type MouseEvent, type ReactNode, useCallback } from 'react';
import { BASE_PATH } from '../../kit/base-path.ts';

export type SearchRecord = Readonly<Record<string, string>>;

/**
 * Parses the query string. Every value stays a string; the router must not turn `001` into a
 * number.
 */
export function parseSearch(text: string): SearchRecord {
  return Object.fromEntries(new URLSearchParams(text));
}

/** Serializes a query; empty values are left out. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== '') params.set(name, String(value));
  }
  const text = params.toString();
  return text ? `?${text}` : '';
}

interface GoOptions {
  readonly search?: Readonly<Record<string, string | undefined>>;
  readonly replace?: boolean;
  /** The id of the element to scroll to. */
  readonly hash?: string;
}

/** Returns a function that navigates to a path of the console. */
export function useGo(): (path: string, options?: GoOptions) => Promise<void> {
  const navigate = useNavigate();
  return useCallback(
    (path, { search = {}, replace = false, hash } = {}) =>
      navigate({ to: path, search, replace, ...(hash !== undefined && { hash }) }),
    [navigate],
  );
}

/** Returns a function that navigates to an address: path and query in one string. */
export function useGoAddress(): (address: string, replace?: boolean) => Promise<void> {
  const go = useGo();
  return useCallback(
    (address, replace = false) => {
      const [path = '/', query = ''] = address.split('?');
      return go(path, { search: parseSearch(query), replace });
    },
    [go],
  );
}

/** Returns a function that preloads the code of the page at an address. */
export function useLoadAhead(): (address: string) => void {
  const router = useRouter();
  return useCallback(
    (address) =>
      void router.preloadRoute({ to: address.split('?')[0] ?? '/' }).catch(() => undefined),
    [router],
  );
}

/** Props that run `load` on hover or focus, so that code loads before the click. */
export function onApproach(load: (() => void) | undefined) {
  return load ? { onMouseEnter: load, onFocus: load } : {};
}

/** Returns true for a click that shall open the page here, not in another tab or window. */
const isPlainClick = ({ button, altKey, ctrlKey, metaKey, shiftKey }: MouseEvent) =>
  button === 0 && !altKey && !ctrlKey && !metaKey && !shiftKey;

/**
 * Returns a function that makes a button or a menu entry a link to a page of the console: it
 * navigates on a click, opens in a new tab on a middle click, and preloads the page on hover.
 */
export function useGoButton() {
  const go = useGo();
  const load = useLoadAhead();
  return useCallback(
    (path: string, options: Omit<GoOptions, 'replace'> = {}) =>
      ({
        component: 'a',
        href: `${BASE_PATH}${path}${stringifySearch(options.search ?? {})}`,
        onClick: (event: MouseEvent) => {
          if (!isPlainClick(event)) return;
          event.preventDefault();
          void go(path, options);
        },
        ...onApproach(() => load(path)),
      }) as const,
    [go, load],
  );
}

export function useSearchRecord(): SearchRecord {
  return useSearch({ strict: false }) as SearchRecord;
}

/** The id after `#` in the address; empty without one. */
export function useHash(): string {
  return useLocation({ select: ({ hash }) => decodeURIComponent(hash) });
}

/** The object id in the path of a detail or update page; empty on other pages. */
export function useObjectId(): string {
  const params = useParams({ strict: false }) as { readonly id?: string };
  return params.id ?? '';
}

/**
 * The path of the current page, without `BASE_PATH`. While the code of the next page loads, this is
 * still the old one: heading, menu and content change together.
 */
export function usePath(): string {
  return useMatches({
    select: (matches) => (matches.at(-1)?.pathname ?? '/').replace(/(.)\/+$/, '$1'),
  });
}

/**
 * A real link to a page of the console: supports opening in a new tab, and preloads the page on
 * hover.
 */
export function PageLink({
  to,
  search,
  hash,
  children,
  ...rest
}: {
  readonly to: string;
  readonly search?: SearchRecord;
  readonly hash?: string;
  readonly children: ReactNode;
} & Omit<AnchorProps, 'component'> &
  Pick<ComponentProps<'a'>, 'aria-label' | 'aria-describedby' | 'title' | 'onClick'>) {
  return (
    <Anchor
      fz="inherit"
      {...rest}
      renderRoot={(props) => (
        <Link {...props} to={to} {...(search && { search })} {...(hash && { hash })} />
      )}
    >
      {children}
    </Anchor>
  );
}
