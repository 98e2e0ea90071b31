import { ACTIVE_TAB_COOKIE_DAYS } from '@sallyport/contract';
import { COOKIES, readCookie, writeCookie } from '../../../kit/cookies.ts';
import { useGo, usePath, useSearchRecord } from '../../base/navigation.tsx';

/** The first of query, cookie and default that names a tab of this page; else the first tab (conformance 2.80). */
export function chooseTab(
  names: readonly string[],
  query: string | undefined,
  cookie: string | undefined,
): string {
  return (
    [query, cookie].find((name) => name !== undefined && names.includes(name)) ?? names[0] ?? ''
  );
}

/** The open tab of a page, and how to open another. The address names it, so that it can be linked to. */
export function useActiveTab(names: readonly string[]): readonly [string, (name: string) => void] {
  const search = useSearchRecord();
  const path = usePath();
  const go = useGo();
  const active = chooseTab(names, search.activeTab, readCookie(COOKIES.activeTab));
  function open(name: string) {
    writeCookie(COOKIES.activeTab, name, { days: ACTIVE_TAB_COOKIE_DAYS });
    // What was searched and filtered belongs to the tab that is left.
    void go(path, { search: { activeTab: name }, replace: true });
  }
  return [active, open];
}
