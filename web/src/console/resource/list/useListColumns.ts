import { say } from '@sallyport/contract';
import { language, t } from '../../../kit/i18n/index.ts';
import { usePreferences } from '../../base/preferences.ts';
import type { Source } from '../source.ts';
import type { Column } from './columns.tsx';

/** Which of a list's columns are shown, in which order, how wide and how dense, as the person chose; kept on the server for each list. `rows` decide about quiet columns. */
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
  const wanted = saved ?? columns.filter((column) => !column.hidden).map(({ name }) => name);
  const known = wanted.filter((name) => columns.some((column) => column.name === name));
  const visible = known.length > 0 ? known : columns.map(({ name }) => name);
  // Sorted by it, it is what the person looks at.
  const isQuiet = ({ name, quiet }: Column<T>) =>
    saved === undefined &&
    quiet !== undefined &&
    rows.every(quiet) &&
    order.replace('-', '') !== name;
  const quiet = new Set(columns.filter(isQuiet).map(({ name }) => name));
  return {
    labelled,
    /** Those that are left out while they say nothing. */
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
    /** The column that leads to the object, wherever it was moved. */
    linked: columns.find(({ name }) => visible.includes(name))?.name,
    setVisible: (names: readonly string[]) => save({ columns: { [source.name]: names } }),
    /** Back to the columns that the list begins with. */
    forget: () => save({ columns: { [source.name]: null }, widths: { [source.name]: null } }),
    compact: preferences.density === 'compact',
    setCompact: (on: boolean) => save({ density: on ? 'compact' : 'comfortable' }),
  };
}
