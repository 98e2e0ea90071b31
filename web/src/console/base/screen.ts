import {
  allows,
  type FeatureName,
  type LocalText,
  Permission,
  type PublicSettings,
} from '@sallyport/contract';
import type { RouteComponent } from '@tanstack/react-router';
import type { ComponentType } from 'react';

/** Groups of the sidebar by task, in display order. */
export const MENU_GROUPS = [
  'connections',
  'access',
  'inventory',
  'people',
  'secrets',
  'automation',
  'audit',
  'system',
] as const;
export type MenuGroup = (typeof MENU_GROUPS)[number];

export interface MenuPlace {
  readonly group?: MenuGroup;
  readonly icon?: ComponentType<{ readonly size?: number | string }>;
}

/**
 * One screen of the console. Guard, menu, tabs and palette read this declaration. The current role
 * needs all bits of `permissions`; absent: ADMIN.
 */
export interface Screen {
  readonly name: string;
  readonly path: string;
  readonly title: LocalText;
  /** Other names by which the palette finds the screen, among them those of earlier menus. */
  readonly otherNames?: readonly LocalText[];
  readonly permissions?: number;
  /** Roles with any of these bits see the screen too. */
  readonly alsoFor?: number;
  readonly licenseRequired?: boolean;
  readonly commandExecutionRequired?: boolean;
  /** Visible to every role, regardless of permissions. */
  readonly constant?: boolean;
  readonly resource?: string;
  /** A list that sends the query of `first-rows.ts` when it opens. */
  readonly plainRows?: true;
  /** The optional feature of the screen. Absent: part of every installation. */
  readonly feature?: FeatureName;
  /** Absent: not in the menu. */
  readonly menu?: MenuPlace;
  /** The path of the menu entry to highlight while this screen is open. */
  readonly activeMenu?: string;
  /** Hidden from the palette; only the console itself links to it. */
  readonly unlisted?: true;
  /** A tab that cannot be closed. */
  readonly affix?: boolean;
  /** Address of a separate window that this screen opens in. */
  readonly opens?: () => string;
  /** Lazy-loaded page component. */
  readonly component?: RouteComponent;
}

type Flags = Pick<
  PublicSettings,
  'SECURITY_COMMAND_EXECUTION' | 'XPACK_LICENSE_IS_VALID' | 'FEATURES_OFF'
>;

/** Returns true if the role and the installation's settings allow a screen (conformance 6.10). */
export function isAllowed(screen: Screen, role: number, settings: Flags): boolean {
  if (screen.feature && settings.FEATURES_OFF?.includes(screen.feature)) return false;
  if (screen.constant) return true;
  if (!allows(role, screen.permissions ?? Permission.ADMIN) && (role & (screen.alsoFor ?? 0)) === 0)
    return false;
  if (screen.commandExecutionRequired && !settings.SECURITY_COMMAND_EXECUTION) return false;
  return !screen.licenseRequired || settings.XPACK_LICENSE_IS_VALID;
}

/**
 * Returns true if the palette offers a screen. Screens of the menu always appear; screens that need
 * no object appear once the user types.
 */
export function isFound(screen: Screen, typing: boolean): boolean {
  if (screen.menu) return true;
  return typing && !screen.unlisted && screen.component !== undefined && !screen.path.includes('$');
}

const segmentsOf = (path: string) => path.split('/').filter(Boolean);

/** Returns true if an address matches a path with `$name` parameters. */
export function matches(path: string, address: string): boolean {
  const want = segmentsOf(path);
  const have = segmentsOf(address);
  return (
    want.length === have.length &&
    want.every((segment, index) => segment.startsWith('$') || segment === have[index])
  );
}

/** The screen of an address. Paths without parameters take precedence. */
export function screenOf(screens: readonly Screen[], address: string): Screen | undefined {
  const candidates = screens.filter((screen) => matches(screen.path, address));
  return candidates.find((screen) => !screen.path.includes('$')) ?? candidates[0];
}
