import { allows, type LocalText, Permission, type PublicSettings } from '@sallyport/contract';
import type { RouteComponent } from '@tanstack/react-router';
import type { ComponentType } from 'react';

/** The groups of the sidebar, in their order. */
export type MenuGroup =
  | 'users'
  | 'assets'
  | 'applications'
  | 'perms'
  | 'terminal'
  | 'ops'
  | 'audits'
  | 'xpack';

export interface MenuPlace {
  readonly group?: MenuGroup;
  readonly icon?: ComponentType<{ readonly size?: number | string }>;
}

/**
 * One screen of the console, declared once: the guard, the menu, the tabs and the palette all read this.
 * `permissions` are the bits the current role needs, all of them; absent: ADMIN.
 */
export interface Screen {
  readonly name: string;
  readonly path: string;
  readonly title: LocalText;
  readonly permissions?: number;
  /** Roles with any of these bits see it as well. */
  readonly alsoFor?: number;
  readonly licenseRequired?: boolean;
  readonly commandExecutionRequired?: boolean;
  /** For every role, without filtering. */
  readonly constant?: boolean;
  /** The resource that it shows. */
  readonly resource?: string;
  /** Absent: not in the menu. */
  readonly menu?: MenuPlace;
  /** The path whose menu entry is lit while this screen is open. */
  readonly activeMenu?: string;
  /** Opened by the console itself, and by nobody who looks for it. */
  readonly unlisted?: true;
  /** A tab that cannot be closed. */
  readonly affix?: boolean;
  /** Opened in a window of its own instead of in the console. */
  readonly opens?: () => string;
  /** What is drawn; loaded when it is first needed. */
  readonly component?: RouteComponent;
}

type Flags = Pick<PublicSettings, 'SECURITY_COMMAND_EXECUTION' | 'XPACK_LICENSE_IS_VALID'>;

/** Whether a role and the installation's settings allow a screen (conformance 6.10). */
export function isAllowed(screen: Screen, role: number, settings: Flags): boolean {
  if (screen.constant) return true;
  if (!allows(role, screen.permissions ?? Permission.ADMIN) && (role & (screen.alsoFor ?? 0)) === 0)
    return false;
  if (screen.commandExecutionRequired && !settings.SECURITY_COMMAND_EXECUTION) return false;
  return !screen.licenseRequired || settings.XPACK_LICENSE_IS_VALID;
}

/** Whether the palette offers a screen: what is in the menu; and to somebody who types, every other one that needs no object. */
export function isFound(screen: Screen, typing: boolean): boolean {
  if (screen.menu) return true;
  return typing && !screen.unlisted && screen.component !== undefined && !screen.path.includes('$');
}

const segmentsOf = (path: string) => path.split('/').filter(Boolean);

/** Whether an address fits a path with `$name` places. */
export function matches(path: string, address: string): boolean {
  const want = segmentsOf(path);
  const have = segmentsOf(address);
  return (
    want.length === have.length &&
    want.every((segment, index) => segment.startsWith('$') || segment === have[index])
  );
}

/** The screen of an address; a path without places wins over one with. */
export function screenOf(screens: readonly Screen[], address: string): Screen | undefined {
  const found = screens.filter((screen) => matches(screen.path, address));
  return found.find((screen) => !screen.path.includes('$')) ?? found[0];
}
