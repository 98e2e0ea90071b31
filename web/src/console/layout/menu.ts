import type { LocalText } from '@sallyport/contract';
import type { ComponentType } from 'react';
import {
  IconBolt,
  IconHistory,
  IconKey,
  IconLock,
  IconServer2,
  IconSettings,
  IconTerminal2,
  IconUsers,
} from '../../kit/icons.ts';
import { MENU_GROUPS, type MenuGroup, type Screen, screenOf } from '../base/screen.ts';
import { words } from '../base/words.ts';

type Icon = ComponentType<{ readonly size?: number | string }>;

export interface MenuItem {
  readonly key: string;
  readonly title: LocalText;
  readonly icon: Icon | undefined;
  /** Absent in a leaf. */
  readonly children?: readonly Screen[];
  /** Absent in a group. */
  readonly screen?: Screen;
}

const GROUPS: Readonly<Record<MenuGroup, { readonly title: LocalText; readonly icon: Icon }>> = {
  connections: { title: words.connections, icon: IconTerminal2 },
  access: { title: words.access, icon: IconLock },
  inventory: { title: words.inventory, icon: IconServer2 },
  people: { title: words.people, icon: IconUsers },
  secrets: { title: words.secrets, icon: IconKey },
  automation: { title: words.automation, icon: IconBolt },
  audit: { title: words.audit, icon: IconHistory },
  system: { title: words.system, icon: IconSettings },
};

/** Entries of the sidebar: pages without a group in the order of screens, then the groups. */
export function menuOf(screens: readonly Screen[]): MenuItem[] {
  const entries = screens.filter(({ menu }) => menu);
  const leaves = entries
    .filter(({ menu }) => !menu?.group)
    .map((screen) => leafOf(screen, undefined));
  const groups = MENU_GROUPS.flatMap((group): MenuItem[] => {
    const children = entries.filter(({ menu }) => menu?.group === group);
    const [first] = children;
    if (!first) return [];
    // A group with one page becomes a leaf.
    return children.length > 1
      ? [{ key: group, ...GROUPS[group], children }]
      : [leafOf(first, GROUPS[group].icon)];
  });
  return [...leaves, ...groups];
}

const leafOf = (screen: Screen, icon: Icon | undefined): MenuItem => ({
  key: screen.name,
  title: screen.title,
  icon: screen.menu?.icon ?? icon,
  screen,
});

/** Below this number of entries, all groups start open. */
const MOST_UNFOLDED = 8;

/**
 * Groups that start open: all if the entries are few, as for auditors; else the group of the
 * current page.
 */
export function openAtStart(
  items: readonly MenuItem[],
  litGroup: string | undefined,
): readonly string[] {
  const groups = items.filter(({ children }) => children);
  const entries = groups.reduce((sum, { children = [] }) => sum + children.length, 0);
  return groups
    .filter(({ key }) => entries <= MOST_UNFOLDED || key === litGroup)
    .map(({ key }) => key);
}

/** The path whose menu entry is highlighted: `activeMenu` of the screen, else the path itself. */
export function litPath(screens: readonly Screen[], path: string): string {
  const screen = screenOf(screens, path);
  return screen?.activeMenu ?? screen?.path ?? path;
}
