import type { DutyOrNone } from '../duties.ts';
import { SIGN_IN_SETTINGS } from '../features/features.ts';
import { SETTING_CATEGORIES } from './settings.ts';

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

/**
 * Returns true for a setting that decides who a user is. While duties are separated, two duties
 * change it together; the database function of the same name holds every write.
 */
export const isIdentitySetting = (name: string): boolean =>
  /^(AUTH|EMAIL)_/.test(name) || name === 'SITE_URL';

/**
 * Returns true if the holder of a duty proposes the change of a setting without change control:
 * one of the own duty, or one that two duties change together.
 */
export const dutyProposesSetting = (duty: DutyOrNone, name: string): boolean =>
  isIdentitySetting(name) ||
  Object.entries(SETTING_CATEGORIES).some(
    ([category, { fields }]) => Object.hasOwn(fields, name) && dutyChangesSettings(duty, category),
  );

/**
 * Returns true if the holder of a duty takes part in change sets of a setting. The security
 * administrator decides about all settings.
 */
export const dutyDecidesSetting = (duty: DutyOrNone, name: string): boolean =>
  dutyChangesSettings(duty, 'security') || (duty === 'system' && dutyProposesSetting(duty, name));
