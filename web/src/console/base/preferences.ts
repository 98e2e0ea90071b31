import { useMantineColorScheme } from '@mantine/core';
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { api } from '../../kit/api.ts';
import type { ThemeChoice } from '../../kit/ThemeSwitch.tsx';

/** What a person set for themselves; kept on the server, so that it is the same in every browser. */
export interface Preferences {
  readonly theme?: ThemeChoice;
  readonly density?: 'comfortable' | 'compact';
  /** The visible columns of each list, by resource name. */
  readonly columns?: Readonly<Record<string, readonly string[]>>;
}

/** A change of some of them; the columns of a list are given up by null. */
export interface PreferencesChange extends Omit<Preferences, 'columns'> {
  readonly columns?: Readonly<Record<string, readonly string[] | null>>;
}

/** The preferences after a change, as the server makes it, too. */
export function changedPreferences(old: Preferences | undefined, { columns, ...change }: PreferencesChange): Preferences {
  if (!columns) return { ...old, ...change };
  const kept = Object.entries({ ...old?.columns, ...columns }).flatMap(([name, list]) => (list ? [[name, list] as const] : []));
  return { ...old, ...change, columns: Object.fromEntries(kept) };
}

const PATH = 'users/preferences/';
const KEY = ['preferences'];
const QUERY = queryOptions({
  queryKey: KEY,
  queryFn: ({ signal }) => api.get<Preferences>(PATH, { signal, quiet: true }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Asks for the preferences before the first page needs them, so that its table does not change its columns in front of the reader. */
export const prefetchPreferences = (client: QueryClient): void => void client.prefetchQuery(QUERY);

/** Reads and changes the person's preferences. A change shows at once and is sent to the server in the background. */
export function usePreferences(): { readonly preferences: Preferences; readonly loaded: boolean; readonly save: (change: PreferencesChange) => void } {
  const client = useQueryClient();
  const query = useQuery(QUERY);
  const save = useCallback(
    (change: PreferencesChange) => {
      client.setQueryData<Preferences>(KEY, (old) => changedPreferences(old, change));
      // A lost preference is no reason to disturb anybody; it is sent again with the next change.
      api.patch(PATH, change, { quiet: true }).catch(() => undefined);
    },
    [client],
  );
  return { preferences: query.data ?? {}, loaded: query.isSuccess, save };
}

/** Takes over the theme that was chosen in another browser. */
export function useSavedTheme(): void {
  const { preferences, loaded } = usePreferences();
  const { setColorScheme } = useMantineColorScheme();
  const saved = loaded ? preferences.theme : undefined;
  useEffect(() => {
    if (saved === 'light' || saved === 'dark' || saved === 'auto') setColorScheme(saved);
  }, [saved, setColorScheme]);
}
