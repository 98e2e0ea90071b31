import { t } from '../../../kit/i18n/index.ts';
import { namesAnObject } from '../organizations.ts';
import { type Screen, screenOf } from '../screen.ts';

/**
 * One visited page. `address` is the last address with its query, so that returning restores
 * filters.
 */
export interface Tab {
  readonly path: string;
  readonly address: string;
  readonly title: string;
  readonly affix: boolean;
  /** Pinned by the user: exempt from the limit and from closing other tabs. */
  readonly pinned?: boolean;
}

/** The user, organization and language that tabs belong to. */
export interface TabsOwner {
  readonly person: string;
  readonly organization: string;
  readonly language: string;
}

/**
 * Returns the tabs that the current user keeps. Tabs of another user would reveal visited pages.
 * Objects of another organization do not exist here. Titles in another language become empty until
 * the page sets them again.
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

/** Maximum number of closable tabs; more would be too narrow to tell apart. */
export const MOST_TABS = 12;

const isKept = ({ affix, pinned }: Tab) => affix || pinned === true;

/** Adds a visited page or updates its tab. Removes the oldest tab above the limit. */
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

/** Sets the title of a visited page, once the page knows it. */
export function renamed(tabs: readonly Tab[], path: string, title: string): readonly Tab[] {
  return tabs.some((tab) => tab.path === path && tab.title !== title)
    ? tabs.map((tab) => (tab.path === path ? { ...tab, title } : tab))
    : tabs;
}

/** Closes one tab, unless it is affixed. */
export function closed(tabs: readonly Tab[], path: string): Tab[] {
  return tabs.filter((tab) => tab.affix || tab.path !== path);
}

/** Closes all tabs except this one, affixed and pinned tabs. */
export function closedOthers(tabs: readonly Tab[], path: string): Tab[] {
  return tabs.filter((tab) => isKept(tab) || tab.path === path);
}

export function pinToggled(tabs: readonly Tab[], path: string): Tab[] {
  return tabs.map((tab) =>
    tab.path === path && !tab.affix ? { ...tab, pinned: !tab.pinned } : tab,
  );
}

export function closedAll(tabs: readonly Tab[]): Tab[] {
  return tabs.filter(isKept);
}

/**
 * The address to show after the open tab was closed: the last remaining tab, else the start page.
 */
export function afterClosing(tabs: readonly Tab[]): string {
  return tabs.at(-1)?.address ?? '/';
}

/** The title of a tab: set by its page, else the title of its screen. */
export function titleOf(screens: readonly Screen[], tab: Tab): string {
  const screen = screenOf(screens, tab.path);
  return tab.title || (screen ? t(screen.title) : tab.path);
}
