import { ACTIVE_TAB_COOKIE_DAYS, isUuid } from '@sallyport/contract';
import { COOKIES, readCookie, writeCookie } from '../../../kit/cookies.ts';
import { useGo, usePath, useSearchRecord } from '../../base/navigation.tsx';

/**
 * Returns the first of query, default of the page, and cookie that names a tab of this page; else
 * the first tab (conformance 2.80).
 */
export function chooseTab(
  names: readonly string[],
  query: string | undefined,
  cookie: string | undefined,
  first?: string,
): string {
  return (
    [query, first, cookie].find((name) => name !== undefined && names.includes(name)) ??
    names[0] ??
    ''
  );
}

/** Kinds of pages whose tab the cookie keeps. */
const MOST_KINDS = 30;

/** The kind of a page: its path without ids. */
const kindOf = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '' && !isUuid(part))
    .join('/');

/** Returns the tab that the value of the cookie keeps for a kind of page. */
export const tabIn = (cookie: string | undefined, path: string): string | undefined =>
  new URLSearchParams(cookie).get(kindOf(path)) ?? undefined;

/** Returns the value of the cookie that keeps the tab for pages of this kind, too. */
export function withTab(cookie: string | undefined, path: string, name: string): string {
  const tabs = new URLSearchParams(cookie);
  tabs.delete(kindOf(path));
  const others = [...tabs].filter(([, tab]) => tab !== '').slice(1 - MOST_KINDS);
  return new URLSearchParams([...others, [kindOf(path), name]]).toString();
}

/** Pixels next to the open tab, where the faded edge of its row hides others. */
const EDGE = 64;

/** Scrolls the row of tabs to the open one. The page keeps its position. */
export function showTab(tab: HTMLElement | null): void {
  const row = tab?.parentElement;
  if (!row) return;
  const [inner, outer] = [tab.getBoundingClientRect(), row.getBoundingClientRect()];
  const [before, after] = [inner.left - outer.left, inner.right - outer.right];
  if (before < 0) row.scrollBy({ left: before - EDGE });
  else if (after > 0) row.scrollBy({ left: after + EDGE });
}

export interface TabPlace {
  /** The tab of an address without a tab; defaults to the last visited one. */
  readonly first?: string | undefined;
  /** The address of the page that other tabs open at; defaults to the current one. */
  readonly home?: string;
}

interface TabChoice extends TabPlace {
  /** Names of today by earlier names, which addresses still hold. */
  readonly renamed?: Readonly<Record<string, string>>;
}

/**
 * Returns the open tab and a function that opens another one. The address holds the tab, so users
 * can link to it.
 */
export function useActiveTab(
  names: readonly string[],
  { first, home, renamed = {} }: TabChoice = {},
): readonly [string, (name: string) => void] {
  const search = useSearchRecord();
  const here = usePath();
  const go = useGo();
  const query = search.activeTab;
  const active = chooseTab(
    names,
    query === undefined ? undefined : (renamed[query] ?? query),
    tabIn(readCookie(COOKIES.activeTab), here),
    first,
  );
  function open(name: string) {
    const kept = withTab(readCookie(COOKIES.activeTab), here, name);
    writeCookie(COOKIES.activeTab, kept, { days: ACTIVE_TAB_COOKIE_DAYS });
    // Drop the search and the filters: they belong to the tab that the user leaves.
    void go(home ?? here, { search: { activeTab: name }, replace: true });
  }
  return [active, open];
}
