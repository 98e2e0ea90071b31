import type { Problem } from '@sallyport/contract';
import { publicKeyProblem } from '../../../platform/ssh-keys.ts';
import type { SettingsService } from '../../settings/service.ts';

/** What keeps a person from having a public key: the settings, or the line itself. */
export function ownKeyProblem(
  line: string,
  settings: Pick<SettingsService, 'get'>,
): Problem | undefined {
  return settings.get('TERMINAL_PUBLIC_KEY_AUTH')
    ? publicKeyProblem(line)
    : { code: 'public_key_off' };
}
