import type { SettingsService } from '../../../platform/settings/service.ts';
import type { SignInKind } from './store.ts';

/**
 * Returns the seconds that a new sign-in may last. An SSH sign-in ends with its connection at the
 * latest.
 */
export function lifetimeOf(kind: SignInKind, settings: Pick<SettingsService, 'get'>): number {
  if (kind === 'browser') return settings.get('SESSION_COOKIE_AGE');
  return kind === 'bearer'
    ? settings.get('TOKEN_EXPIRATION')
    : settings.get('SECURITY_MAX_SESSION_TIME') * 3_600;
}
