import type { Problem } from '@sallyport/contract';
import type { SettingsService } from '../../../platform/settings/service.ts';
import { publicKeyProblem } from '../../../platform/ssh-keys.ts';

/**
 * Returns why a user may not use a public key: the settings disable keys, or the line is invalid.
 */
export function ownKeyProblem(
  line: string,
  settings: Pick<SettingsService, 'get'>,
): Problem | undefined {
  return settings.get('TERMINAL_PUBLIC_KEY_AUTH')
    ? publicKeyProblem(line)
    : { code: 'public_key_off' };
}
