import { namesAnObject } from '../organizations.ts';

/** One visited page. `address` is its last one, with its query, so that coming back finds the same filters. */
export interface Tab {
  readonly path: string;
  readonly address: string;
  readonly title: string;
  readonly affix: boolean;
  /** Kept by its user: it does not leave for others, and is not closed with them. */
  readonly pinned?: boolean;
}

/** Whose visits they are, and in what they were worded. */
export interface TabsOwner {
  readonly person: string;
  readonly organization: string;
  readonly language: string;
}

/**
 * The tabs that remain for the current user. Tabs of another user would reveal their pages; an object of another organization
 * is not there; a title in another language is written again (it is empty until then).
 */
export function handedOver(
  tabs: readonly Tab[],
  before: TabsOwner | undefined,
  now: TabsOwner,
): readonly Tab[] {
  if (before?.person !== now.person) return [];
  const there =
    before.organization === now.organization
      ? tabs
      : tabs.filter(({ address }) => !namesAnObject(address));
  return before.language === now.language ? there : there.map((tab) => ({ ...tab, title: '' }));
}

/** The most tabs that can be closed: more would all be too narrow to tell apart. */
export const MOST_TABS = 12;

const isKept = ({ affix, pinned }: Tab) => affix || pinned === true;

/** Adds a visited page, or brings the one that is there up to date. The oldest one leaves when there are too many. */
export function visited(tabs: readonly Tab[], tab: Tab): Tab[] {
  const index = tabs.findIndex(({ path }) => path === tab.path);
  if (index < 0) {
    if (tab.affix) return [tab, ...tabs];
    const excess = tabs.filter(({ affix }) => !affix).length - (MOST_TABS - 1);
    const oldest = excess > 0 ? tabs.filter((old) => !isKept(old)).slice(0, excess) : [];
    return [...tabs.filter((old) => !oldest.includes(old)), tab];
  }
  return tabs.map((old, at) =>
    at === index ? { ...old, ...tab, title: tab.title || old.title } : old,
  );
}

/** Gives a visited page a better name, once the page knows it. */
export function renamed(tabs: readonly Tab[], path: string, title: string): readonly Tab[] {
  return tabs.some((tab) => tab.path === path && tab.title !== title)
    ? tabs.map((tab) => (tab.path === path ? { ...tab, title } : tab))
    : tabs;
}

/** Closes one; an affixed tab stays. */
export function closed(tabs: readonly Tab[], path: string): Tab[] {
  return tabs.filter((tab) => tab.affix || tab.path !== path);
}

/** Closes all but one, the affixed and the pinned. */
export function closedOthers(tabs: readonly Tab[], path: string): Tab[] {
  return tabs.filter((tab) => isKept(tab) || tab.path === path);
}

/** Pins a tab, or frees it again. */
export function pinToggled(tabs: readonly Tab[], path: string): Tab[] {
  return tabs.map((tab) =>
    tab.path === path && !tab.affix ? { ...tab, pinned: !tab.pinned } : tab,
  );
}

/** Closes all that can be closed. */
export function closedAll(tabs: readonly Tab[]): Tab[] {
  return tabs.filter(isKept);
}

/** Where to go when the open page's tab is gone: the last remaining tab, else the start page. */
export function afterClosing(tabs: readonly Tab[]): string {
  return tabs.at(-1)?.address ?? '/';
}
