import type { PublicSettings } from '@sallyport/contract';
import { usePublicSettings } from './usePublicSettings.ts';

/** The rules for new passwords; absent until they are known, and when they cannot be read: the server checks them anyway. */
export function usePasswordRule(): PublicSettings['PASSWORD_RULE'] | undefined {
  return usePublicSettings()?.PASSWORD_RULE;
}
