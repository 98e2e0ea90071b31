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
]);
/** Reasons of licensing. */
const LICENSES = { from: 0x100, until: 0x10a } as const;

/** Returns the end of a desktop whose server named a reason; undefined if it has no sentence. */
export function endOfReason(code: number): DesktopProblem | undefined {
  if (code >= LICENSES.from && code <= LICENSES.until) return 'connect_desktop_license';
  return REASONS.get(code);
}
