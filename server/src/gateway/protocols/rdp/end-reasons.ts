import type { DesktopProblem } from '../target-desktop.ts';

/** Reasons of a server (MS-RDPBCGR 2.2.5.1.1) that have their own sentence. */
const REASONS: ReadonlyMap<number, DesktopProblem> = new Map([
  [0x01, 'connect_desktop_ended'],
  [0x02, 'connect_desktop_logged_off'],
  [0x03, 'connect_desktop_limit'],
  [0x04, 'connect_desktop_limit'],
  [0x05, 'connect_desktop_taken'],
  [0x07, 'connect_desktop_refused'],
  [0x09, 'connect_desktop_refused'],
  // The server wants a password that was typed for it.
  [0x0a, 'connect_desktop_refused'],
  [0x0b, 'connect_desktop_ended'],
  [0x0c, 'connect_desktop_logged_off'],
  // Shutdown and restart.
  [0x19, 'connect_desktop_ended'],
  [0x1a, 'connect_desktop_ended'],
  // GRAPHICS_MODE_NOT_SUPPORTED, GRAPHICS_SUBSYSTEM_RESET_FAILED, GRAPHICS_SUBSYSTEM_FAILED.
  [0x112d, 'connect_rdp_no_bitmaps'],
  [0x112e, 'connect_rdp_no_bitmaps'],
  [0x112f, 'connect_rdp_no_bitmaps'],
]);
/** Reasons of licensing. */
const LICENSES = { from: 0x100, until: 0x10a } as const;

/** The server gave no reason (ERRINFO_NONE). */
const NO_REASON = 0;

/**
 * Returns the end of a desktop whose server named a reason; its number if it has no sentence, and
 * undefined for the number of no reason.
 */
export function endOfReason(
  code: number,
): { readonly how: DesktopProblem; readonly number?: string } | undefined {
  if (code === NO_REASON) return undefined;
  if (code >= LICENSES.from && code <= LICENSES.until) return { how: 'connect_desktop_license' };
  const how = REASONS.get(code);
  const number = `0x${code.toString(16).toUpperCase().padStart(8, '0')}`;
  return how ? { how } : { how: 'connect_desktop_code', number };
}
