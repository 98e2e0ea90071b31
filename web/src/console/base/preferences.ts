import { useMantineColorScheme } from '@mantine/core';
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { api } from '../../kit/api.ts';
import type { ThemeChoice } from '../../kit/ThemeSwitch.tsx';

/** A list as a user saved it under a name: what it asks for, and its columns with their order and widths. */
export interface SavedView {
  readonly name: string;
  /** The query of the address. */
  readonly search: Readonly<Record<string, string>>;
  readonly columns?: readonly string[];
  readonly widths?: Readonly<Record<string, number>>;
}

type ByList<T> = Readonly<Record<string, T>>;

/** What a person set for themselves; kept on the server, so that it is the same in every browser. */
export interface Preferences {
  readonly theme?: ThemeChoice;
  readonly density?: 'comfortable' | 'compact';
  /** Absent: the row of visited pages is shown. */
  readonly visited_pages?: 'shown' | 'hidden';
  /** The visible columns of each list in their order, by resource name. */
  readonly columns?: ByList<readonly string[]>;
  /** Widths of columns in pixels, where they were chosen. */
  readonly widths?: ByList<Readonly<Record<string, number>>>;
  /** The saved views of each list, by their id. */
  readonly views?: ByList<Readonly<Record<string, SavedView>>>;
  /** The id of the view that a list opens with. */
  readonly default_view?: ByList<string>;
}

/** A change of some of them; null takes something away. */
export interface PreferencesChange
  extends Pick<Preferences, 'theme' | 'density' | 'visited_pages'> {
  readonly columns?: ByList<readonly string[] | null>;
  readonly widths?: ByList<Readonly<Record<string, number | null>> | null>;
  readonly views?: ByList<Readonly<Record<string, Partial<SavedView> | null>>>;
  readonly default_view?: ByList<string | null>;
}

/** What a value becomes by a merge patch (RFC 7396), as the server makes it, too. */
function merged(old: unknown, change: unknown): unknown {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change;
  const all: Record<string, unknown> = { ...(old as object) };
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete all[name];
    else all[name] = merged(all[name], value);
  }
  return all;
}

/** The preferences after a change. */
export const changedPreferences = (old: Preferences | undefined, change: PreferencesChange) =>
  merged(old, change) as Preferences;

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
export function usePreferences(): {
  readonly preferences: Preferences;
  readonly loaded: boolean;
  readonly save: (change: PreferencesChange) => void;
} {
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
