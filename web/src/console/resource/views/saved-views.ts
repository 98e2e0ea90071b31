import type { Preferences, PreferencesChange, SavedView } from '../../base/preferences.ts';

/** Maximum views per list, and maximum characters of a name. */
export const MAX_VIEWS = 20;
export const MAX_NAME = 60;

/**
 * Returns the part of an address that a view saves: without the page, and without a set, which
 * expires soon.
 */
export function searchOfView(search: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(search).filter(
      ([name, value]) => name !== 'page' && name !== 'spm' && value !== '',
    ),
  );
}

/**
 * Returns the preference change that saves a view. A view of the same name is replaced and stays
 * the default if it was.
 */
export function changeToSave(
  preferences: Preferences,
  list: string,
  id: string,
  view: SavedView,
): PreferencesChange {
  const [old] =
    Object.entries(preferences.views?.[list] ?? {}).find(([, { name }]) => name === view.name) ??
    [];
  return {
    views: { [list]: { ...(old !== undefined && { [old]: null }), [id]: view } },
    ...(old !== undefined &&
      preferences.default_view?.[list] === old && { default_view: { [list]: id } }),
  };
}

/** Returns the preference change that deletes a view. */
export function changeToRemove(
  preferences: Preferences,
  list: string,
  id: string,
): PreferencesChange {
  return {
    views: { [list]: { [id]: null } },
    ...(preferences.default_view?.[list] === id && { default_view: { [list]: null } }),
  };
}

/** Returns the preference change that applies the columns and widths of a view. */
export function changeToOpen(
  preferences: Preferences,
  list: string,
  { columns, widths = {} }: SavedView,
): PreferencesChange {
  const gone = Object.keys(preferences.widths?.[list] ?? {}).filter((name) => !(name in widths));
  const all = { ...Object.fromEntries(gone.map((name) => [name, null])), ...widths };
  return {
    columns: { [list]: columns ?? null },
    ...(Object.keys(all).length > 0 && { widths: { [list]: all } }),
  };
}
