import type { LocalText } from '@sallyport/contract';
import type { ComponentType } from 'react';
import { IconDeviceDesktop, IconHistory, IconLock, IconServer2, IconUsers } from '../../kit/icons.ts';
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
  perms: { title: words.perms, icon: IconLock },
  terminal: { title: words.terminal, icon: IconDeviceDesktop },
  audits: { title: words.audits, icon: IconHistory },
};

/** The sidebar's entries, in the order of the screens: leaves, and groups where their first screen stands. */
export function menuOf(screens: readonly Screen[]): MenuItem[] {
  const items: MenuItem[] = [];
  for (const screen of screens) {
    if (!screen.menu) continue;
    const { group, icon } = screen.menu;
    if (!group) {
      items.push({ key: screen.name, title: screen.title, icon, screen });
    } else if (!items.some(({ key }) => key === group)) {
      items.push({ key: group, ...GROUPS[group], children: screens.filter(({ menu }) => menu?.group === group) });
    }
  }
  return items;
}

/** The path whose entry is lit: the screen's own word, else the path itself. */
export function litPath(screens: readonly Screen[], path: string): string {
  const screen = screenOf(screens, path);
  return screen?.activeMenu ?? screen?.path ?? path;
}
