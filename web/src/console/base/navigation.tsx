import { Anchor, type AnchorProps } from '@mantine/core';
import {
  Link,
  useMatches,
  useNavigate,
  useParams,
  useRouter,
  useSearch,
} from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useCallback } from 'react';

export type SearchRecord = Readonly<Record<string, string>>;

/** The query of the address, every value a text; the router must not turn `001` into a number. */
export function parseSearch(text: string): SearchRecord {
  return Object.fromEntries(new URLSearchParams(text));
}

/** Writes a query; empty values are left out. */
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
}

/** Goes to a page of the console, given as its path. */
export function useGo(): (path: string, options?: GoOptions) => Promise<void> {
  const navigate = useNavigate();
  return useCallback(
    (path, { search = {}, replace = false } = {}) => navigate({ to: path, search, replace }),
    [navigate],
  );
}

/** Goes to a page of the console, given as path and query in one text. */
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

/** Loads the code of a page of the console, given by its address, before somebody goes there. */
export function useLoadAhead(): (address: string) => void {
  const router = useRouter();
  return useCallback(
    (address) =>
      void router.preloadRoute({ to: address.split('?')[0] ?? '/' }).catch(() => undefined),
    [router],
  );
}

/** Pointer or focus on a control call this: what the control needs is loaded while the person is on the way. */
export function onApproach(load: (() => void) | undefined) {
  return load ? { onMouseEnter: load, onFocus: load } : {};
}

/** What makes a button go to a page, and load it ahead as links do. */
export function useGoButton(): (
  path: string,
  options?: GoOptions,
) => { readonly onClick: () => void } & ReturnType<typeof onApproach> {
  const go = useGo();
  const load = useLoadAhead();
  return useCallback(
    (path, options) => ({ onClick: () => void go(path, options), ...onApproach(() => load(path)) }),
    [go, load],
  );
}

/** The query of the current address. */
export function useSearchRecord(): SearchRecord {
  return useSearch({ strict: false }) as SearchRecord;
}

/** The id in the path of a detail or update page; empty elsewhere. */
export function useObjectId(): string {
  const params = useParams({ strict: false }) as { readonly id?: string };
  return params.id ?? '';
}

/**
 * The path of the page that is shown, without `/ui`. While the code of the next page loads, this is
 * still the old one: heading, menu and content change together.
 */
export function usePath(): string {
  return useMatches({
    select: (matches) => (matches.at(-1)?.pathname ?? '/').replace(/(.)\/+$/, '$1'),
  });
}

/** A real link to a page of the console: it opens in a new tab when asked to, and loads its page while the pointer is on its way. */
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
