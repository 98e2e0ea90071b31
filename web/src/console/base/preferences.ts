import { useMantineColorScheme } from '@mantine/core';
import type { MailTimes } from '@sallyport/contract';
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { api } from '../../kit/api.ts';
import type { ThemeChoice } from '../../kit/page/ThemeSwitch.tsx';

/** A list saved by a user under a name: its query, and the order and widths of its columns. */
export interface SavedView {
  readonly name: string;
  readonly search: Readonly<Record<string, string>>;
  readonly columns?: readonly string[];
  readonly widths?: Readonly<Record<string, number>>;
}

type ByList<T> = Readonly<Record<string, T>>;

/** Preferences of a user, stored on the server and shared by all browsers. */
export interface Preferences {
  readonly theme?: ThemeChoice;
  readonly density?: 'comfortable' | 'compact';
  /** Absent: the row of visited pages is visible. */
  readonly visited_pages?: 'shown' | 'hidden';
  /** The visible columns of each list in their order, by resource name. */
  readonly columns?: ByList<readonly string[]>;
  /** Widths in pixels of resized columns. */
  readonly widths?: ByList<Readonly<Record<string, number>>>;
  /** The saved views of each list, by their id. */
  readonly views?: ByList<Readonly<Record<string, SavedView>>>;
  /** The id of the view that a list opens with. */
  readonly default_view?: ByList<string>;
  /** Version of the announcement that the user closed last. */
  readonly closed_announcement?: string;
  /** When mails that can wait are sent; absent: at once. */
  readonly mail_times?: MailTimes;
}

/** A partial change; null deletes a value. */
export interface PreferencesChange
  extends Pick<
    Preferences,
    'theme' | 'density' | 'visited_pages' | 'closed_announcement' | 'mail_times'
  > {
  readonly columns?: ByList<readonly string[] | null>;
  readonly widths?: ByList<Readonly<Record<string, number | null>> | null>;
  readonly views?: ByList<Readonly<Record<string, Partial<SavedView> | null>>>;
  readonly default_view?: ByList<string | null>;
}

/** Applies a JSON merge patch (RFC 7396), like the server does. */
function merged(old: unknown, change: unknown): unknown {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change;
  const all: Record<string, unknown> = { ...(old as object) };
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete all[name];
    else all[name] = merged(all[name], value);
  }
  return all;
}

export const changedPreferences = (old: Preferences | undefined, change: PreferencesChange) =>
  merged(old, change) as Preferences;

const PATH = 'users/preferences/';
const KEY = ['preferences'];
const QUERY = queryOptions({
  queryKey: KEY,
  queryFn: ({ signal }) => api.get<Preferences>(PATH, { signal, quiet: true }),
  staleTime: Number.POSITIVE_INFINITY,
});

/**
 * Sets the preferences before the first page, so that its table does not change columns after
 * rendering.
 */
export const setPreferences = (client: QueryClient, preferences: Preferences): void =>
  void client.setQueryData<Preferences>(KEY, preferences);

/** The preferences that `setPreferences` has set. */
export const knownPreferences = (client: QueryClient): Preferences =>
  client.getQueryData<Preferences>(KEY) ?? {};

/**
 * Reads and changes the user's preferences. A change applies at once; the server receives it in the
 * background.
 */
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
      // No message for a failed save: the next change sends the preference again.
      api.patch(PATH, change, { quiet: true }).catch(() => undefined);
    },
    [client],
  );
  return { preferences: query.data ?? {}, loaded: query.isSuccess, save };
}

/** Applies the theme that the user chose in another browser. */
export function useSavedTheme(): void {
  const { preferences, loaded } = usePreferences();
  const { setColorScheme } = useMantineColorScheme();
  const saved = loaded ? preferences.theme : undefined;
  useEffect(() => {
    if (saved === 'light' || saved === 'dark' || saved === 'auto') setColorScheme(saved);
  }, [saved, setColorScheme]);
}
