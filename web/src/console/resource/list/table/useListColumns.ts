import { say } from '@sallyport/contract';
import { language, t } from '../../../../kit/i18n/index.ts';
import { usePreferences } from '../../../base/preferences.ts';
import type { Source } from '../../source.ts';
import type { Column } from './columns.tsx';

/**
 * Returns the columns of a list with order, widths and density, as stored in the preferences of the
 * user. `rows` decide which quiet columns are hidden.
 */
export function useListColumns<T>(
  source: Source,
  columns: readonly Column<T>[],
  rows: readonly T[],
  order: string,
) {
  const { preferences, save } = usePreferences();
  const labelled = columns.map((column) => {
    const field = source.fields[column.name];
    return {
      name: column.name,
      label: column.label ? t(column.label) : field ? say(field.label, language) : column.name,
    };
  });
  const saved = preferences.columns?.[source.name];
  const preferredNames =
    saved ?? columns.filter((column) => !column.hidden).map(({ name }) => name);
  const known = preferredNames.filter((name) => columns.some((column) => column.name === name));
  const visible = known.length > 0 ? known : columns.map(({ name }) => name);
  // Keep a quiet column while the list is sorted by it.
  const isQuiet = ({ name, quiet }: Column<T>) =>
    saved === undefined &&
    quiet !== undefined &&
    rows.every(quiet) &&
    order.replace('-', '') !== name;
  const quiet = new Set(columns.filter(isQuiet).map(({ name }) => name));
  return {
    labelled,
    /** Columns hidden because no row has information in them. */
    quiet,
    visible,
    chosen: saved !== undefined && known.length > 0,
    usual: saved === undefined && !preferences.widths?.[source.name],
    shown: visible.flatMap(
      (name) => columns.find((column) => column.name === name && !quiet.has(name)) ?? [],
    ),
    widths: preferences.widths?.[source.name] ?? {},
    setWidth: (name: string, width: number | null) =>
      save({ widths: { [source.name]: { [name]: width } } }),
    /** The column that links to the object, at whatever position. */
    linked: columns.find(({ name }) => visible.includes(name))?.name,
    setVisible: (names: readonly string[]) => save({ columns: { [source.name]: names } }),
    /** Resets the columns to the defaults. */
    forget: () => save({ columns: { [source.name]: null }, widths: { [source.name]: null } }),
    compact: preferences.density === 'compact',
    setCompact: (on: boolean) => save({ density: on ? 'compact' : 'comfortable' }),
  };
}
