import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { SETTINGS_URL } from '../settings/settings-url.ts';
import type { Settings } from './weak-settings.ts';

/** What was read of the settings for the card about weak ones. */
export const HARDENING_KEY = ['settings', 'hardening'];

/** Reads the settings that may be weak, for those who may change them. */
export function useHardening(enabled: boolean) {
  return useQuery({
    queryKey: HARDENING_KEY,
    queryFn: ({ signal }) => api.get<Settings>(SETTINGS_URL, { signal, quiet: true }),
    enabled,
  });
}
