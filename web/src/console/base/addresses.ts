export const BASE_PATH = '/ui';
/** The start page of the admin area. */
export const DASHBOARD_PATH = '/dashboard';
/** Where users open emergency access. */
export const EMERGENCY_PATH = '/emergency-access';

/** Old links carry the path behind a hash (`/ui/#/users/users`); they lead to the same page. Returns the new address, if it is such a link. */
export function forwardedAddress(hash: string): string | undefined {
  return hash.startsWith('#/') && !hash.startsWith('#//') ? BASE_PATH + hash.slice(1) : undefined;
}

/** Signs out, and remembers where the person was. */
export function signOutAddress(current: string): string {
  return `/core/auth/logout/?next=${encodeURIComponent(current)}`;
}

/** The web terminal, at one asset when it is named, with the usual account, one by its id, or after asking for one (`choose`). */
export function terminalAddress(asset?: string, account?: string): string {
  return asset
    ? `/luna/?login_to=${encodeURIComponent(asset)}${account ? `&account=${encodeURIComponent(account)}` : ''}`
    : `/luna/?_=${Date.now()}`;
}

/** The web file manager, of one asset when it is named. */
export function filesAddress(asset?: string): string {
  return `/koko/elfinder/sftp/${asset ? `${encodeURIComponent(asset)}/` : ''}`;
}

/** Watching a live session. */
export const watchAddress = (session: string) =>
  `/luna/join/?shareroom=${encodeURIComponent(session)}`;

/** Playing a recording. */
export function replayAddress(session: string, at?: number): string {
  return `/luna/replay/${encodeURIComponent(session)}${at === undefined ? '' : `?at=${Math.max(0, Math.floor(at))}`}`;
}

/** The pages that help; each opens in a window of its own. */
export const HELP = {
  overview: '/help',
  docs: '/help/docs',
  support: '/help/support',
  enterprise: '/help/enterprise',
} as const;

/** Opens an address of ours in a window of its own that cannot reach back into this one. */
export function openWindow(address: string): void {
  window.open(address, '_blank', 'noopener');
}
