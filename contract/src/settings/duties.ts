import type { DutyOrNone } from '../duties.ts';
import { SIGN_IN_SETTINGS } from './sign-in.ts';

/** Categories of settings that the security administrator changes; the others are of operation. */
const SECURITY_CATEGORIES: ReadonlySet<string> = new Set([
  'security',
  'notices',
  'alerts',
  'terminal',
  ...Object.keys(SIGN_IN_SETTINGS),
]);

/** Returns true if the holder of a duty may change the settings of a category. */
export function dutyChangesSettings(duty: DutyOrNone, category: string): boolean {
  if (duty === '') return true;
  return duty === (SECURITY_CATEGORIES.has(category) ? 'security' : 'system');
}
