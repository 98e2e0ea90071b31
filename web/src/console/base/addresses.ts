import { type DateRange, parseDatetime } from '@sallyport/contract';
import { BASE_PATH } from '../../kit/base-path.ts';

export const DASHBOARD_PATH = '/dashboard';

/**
 * Maps an old hash link (`/ui/#/users/users`) to the address of the same page. Returns undefined
 * for any other hash.
 */
export function forwardedAddress(hash: string): string | undefined {
  return hash.startsWith('#/') && !hash.startsWith('#//') ? BASE_PATH + hash.slice(1) : undefined;
}

/** Signs the user out; the next sign-in returns to the `current` address. */
export function signOutAddress(current: string): string {
  return `/core/auth/logout/?next=${encodeURIComponent(current)}`;
}

/**
 * The web terminal. `asset` opens that asset; `account` is the id of a system user, or `choose` to
 * ask for one.
 */
export function terminalAddress(asset?: string, account?: string): string {
  return asset
    ? `/luna/?login_to=${encodeURIComponent(asset)}${account ? `&account=${encodeURIComponent(account)}` : ''}`
    : `/luna/?_=${Date.now()}`;
}

/** The web file manager, opened at `asset` if given. */
export function filesAddress(asset?: string): string {
  return `/koko/elfinder/sftp/${asset ? `${encodeURIComponent(asset)}/` : ''}`;
}

export const watchAddress = (session: string) =>
  `/luna/join/?shareroom=${encodeURIComponent(session)}`;

/** Plays a recording, from the position `at` if given. */
export function replayAddress(session: string, at?: number): string {
  return `/luna/replay/${encodeURIComponent(session)}${at === undefined ? '' : `?at=${Math.max(0, Math.floor(at))}`}`;
}

/** Help pages; each opens in a separate window. */
export const HELP = {
  overview: '/help',
  docs: '/help/docs',
  support: '/help/support',
  enterprise: '/help/enterprise',
} as const;

/** Returns an outside address that an operator has set; undefined unless it is safe to link to. */
export function outsideAddress(address: string | null | undefined): string | undefined {
  return address && /^https?:\/\//.test(address) ? address : undefined;
}

/** Opens one of our addresses in a separate window without access to this one (`noopener`). */
export function openWindow(address: string): void {
  window.open(address, '_blank', 'noopener');
}

/**
 * Props of a link to a separate window. A link, unlike a button, supports the middle click and has
 * an address to copy.
 */
export const windowLink = (address: string) =>
  ({ component: 'a', href: address, target: '_blank', rel: 'noopener' }) as const;

/** The parts of an action that only opens a separate window: draw it as a link to `opens`. */
export const byWindow = (address: string) => ({
  opens: address,
  run: () => openWindow(address),
});

export const SETTINGS_URL = 'settings/setting/';

/** The tab with live and ended sessions. */
export const ALL_SESSIONS = 'AllList';

const iso = (text: string): string => (parseDatetime(text) ?? new Date(0)).toISOString();

/**
 * The address of the sessions that began in a range and match further filters, as the dashboard
 * counts them.
 */
export function sessionsOf(
  { from, to }: DateRange,
  filters: Readonly<Record<string, string>> = {},
) {
  return {
    to: '/terminal/session',
    search: { activeTab: ALL_SESSIONS, date_from: iso(from), date_to: iso(to), ...filters },
  };
}
