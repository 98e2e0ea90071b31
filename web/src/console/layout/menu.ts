import type { LocalText } from '@sallyport/contract';
import type { ComponentType } from 'react';
import {
  IconBolt,
  IconColumns,
  IconDeviceDesktop,
  IconHistory,
  IconLock,
  IconServer2,
  IconShieldCheck,
  IconUsers,
} from '../../kit/icons.ts';
import { type MenuGroup, type Screen, screenOf } from '../base/screen.ts';
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
  users: { title: words.users, icon: IconUsers },
  assets: { title: words.assets, icon: IconServer2 },
  applications: { title: words.applications, icon: IconColumns },
  perms: { title: words.perms, icon: IconLock },
  terminal: { title: words.terminal, icon: IconDeviceDesktop },
  ops: { title: words.ops, icon: IconBolt },
  audits: { title: words.audits, icon: IconHistory },
  xpack: { title: words.xpack, icon: IconShieldCheck },
};

/**
 * Entries of the sidebar in the order of screens: leaves, and groups at the position of their first
 * screen.
 */
export function menuOf(screens: readonly Screen[]): MenuItem[] {
  const items: MenuItem[] = [];
  for (const screen of screens) {
    if (!screen.menu) continue;
    const { group, icon } = screen.menu;
    if (!group) {
      items.push({ key: screen.name, title: screen.title, icon, screen });
    } else if (!items.some(({ key }) => key === group)) {
      const children = screens.filter(({ menu }) => menu?.group === group);
      // A group with one page becomes a leaf.
      items.push(
        children.length > 1
          ? { key: group, ...GROUPS[group], children }
          : { key: group, title: screen.title, icon: GROUPS[group].icon, screen },
      );
    }
  }
  return items;
}

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
