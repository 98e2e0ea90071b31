import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { SETTINGS_URL } from '../settings/settings-url.ts';
import type { Settings } from './weak-settings.ts';

/** Query key of the settings for the card of weak settings. */
export const HARDENING_KEY = ['settings', 'hardening'];

/** Loads the settings that may be weak, if the user may change them. */
export function useHardening(enabled: boolean) {
  return useQuery({
    queryKey: HARDENING_KEY,
    queryFn: ({ signal }) => api.get<Settings>(SETTINGS_URL, { signal, quiet: true }),
    enabled,
  });
}
