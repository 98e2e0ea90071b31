import type { Preferences, PreferencesChange, SavedView } from '../../base/preferences.ts';

/** Views of one list at the most, and characters of a name. */
export const MAX_VIEWS = 20;
export const MAX_NAME = 60;

/** What of an address belongs to a view: not the page, and no set of rows, which is soon forgotten. */
export function searchOfView(search: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(search).filter(
      ([name, value]) => name !== 'page' && name !== 'spm' && value !== '',
    ),
  );
}

/** The change that saves a view; one of the same name is replaced, and stays the default if it was. */
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

/** The change that deletes a view. */
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

/** The change that gives a list the columns and widths of a view. */
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
