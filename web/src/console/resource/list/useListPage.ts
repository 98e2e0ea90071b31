import { say } from '@sallyport/contract';
import { useEffect, useState } from 'react';
import { language, t } from '../../../kit/i18n/index.ts';
import { usePreferences } from '../../base/preferences.ts';
import type { Source } from '../source.ts';
import type { ListExtent } from '../transfer/export-address.ts';
import { emptyState, type ListState, searchOf, sizesOf } from './list-state.ts';
import { type DateRange, presetRange } from './search/dates.ts';
import { type SearchField, searchFields } from './search/search-fields.ts';
import { type Selection, useSelection } from './selection/selection.ts';
import type { Column } from './table/columns.tsx';
import {
  type ChangeList,
  type ResourceListModel,
  useDefaultView,
  useLocalListState,
  useResourceList,
  useUrlListState,
} from './useResourceList.ts';

/**
 * Returns the columns of a list with order, widths and density, as stored in the preferences of the
 * user. `rows` decide which quiet columns are hidden.
 */
function useListColumns<T>(
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

export type QueryValues = Readonly<Record<string, string | number>>;

export interface ListPageOptions<T> {
  readonly columns: readonly Column<T>[];
  /** Query values that define the list; part of every request. */
  readonly base?: QueryValues;
  /** Query values chosen outside the list, such as a node of a tree. */
  readonly chosen?: QueryValues;
  /** Parameters in the address that belong to the page, and not to the list. */
  readonly pageNames?: readonly string[];
  /** Returns the id of a row that the server sends without one. */
  readonly idOf?: (row: T) => string;
  /** The list is part of another page and keeps its state out of the address. */
  readonly embedded?: boolean;
  /** Initial page size; defaults to the preference of the user. */
  readonly firstSize?: number;
  /** Search fields of a source without metadata. */
  readonly searchBy?: readonly SearchField[];
  /** Choices for fields that the server declares as plain text. */
  readonly choicesOf?: Readonly<Record<string, NonNullable<SearchField['choices']>>>;
  /** Search fields in addition to those of the rows, such as linked objects. */
  readonly searchMore?: readonly SearchField[];
  /** Days in the initial date range; undefined for no date range. */
  readonly days?: number;
  readonly refetchEvery?: number;
  /** Receives the visible rows. */
  readonly onRows?: (rows: readonly T[]) => void;
}

export interface ListPageModel<T extends { readonly id: string }> {
  /** Page, search, filters, order and dates; kept in the address unless embedded. */
  readonly state: ListState;
  readonly change: ChangeList;
  /** Returns to the initial date range; undefined while the list shows it. */
  readonly resetDates: (() => void) | undefined;
  readonly sizes: readonly number[];
  /** Fields for search and filters. */
  readonly fields: readonly SearchField[];
  readonly list: ResourceListModel<T>;
  readonly selection: Selection<T>;
  readonly columns: ReturnType<typeof useListColumns<T>> & {
    /** Visible columns: the chosen ones, or those that fit. */
    readonly drawn: readonly string[];
    readonly onFit: (names: readonly string[]) => void;
  };
  /** Reads the rows again and clears the selection. */
  readonly refresh: () => void;
  /** Returns the query of the list with another search. */
  readonly queryFor: (value: Pick<ListState, 'search' | 'filters'>) => QueryValues;
  /** Returns the query and selection of the list, for export and import. */
  readonly extent: () => ListExtent;
}

/** Holds the state of a list page: query, columns, rows and selection. Draws nothing. */
export function useListPage<T extends { readonly id: string }>(
  source: Source,
  options: ListPageOptions<T>,
): ListPageModel<T> {
  const { base = {}, chosen = {}, embedded = false, firstSize, days, pageNames } = options;
  const inAddress = useUrlListState(firstSize, pageNames);
  const ofItsOwn = useLocalListState(emptyState(firstSize));
  const [wished, change] = embedded ? ofItsOwn : inAddress;
  const [preset] = useState<DateRange | undefined>(() => (days ? presetRange(days) : undefined));
  const state = preset && !wished.dateFrom ? { ...wished, ...preset } : wished;

  const list = useResourceList<T>(source, state, change, {
    base: { ...base, ...chosen },
    ...(options.refetchEvery && { refetchEvery: options.refetchEvery }),
    ...(options.idOf && { idOf: options.idOf }),
  });
  const { onRows } = options;
  const { rows } = list;
  useEffect(() => onRows?.(rows), [onRows, rows]);
  const described =
    options.searchBy ?? searchFields(source.fields, Object.keys({ ...base, ...chosen }));
  const fields = [...described, ...(options.searchMore ?? [])].map((field) => {
    const choices = options.choicesOf?.[field.name];
    return choices ? { ...field, choices } : field;
  });
  const selection = useSelection<T>();
  const columns = useListColumns(source, options.columns, list.rows, state.order);
  useDefaultView(source.name, !embedded);
  const [fitting, onFit] = useState<readonly string[]>();

  return {
    state,
    change,
    resetDates:
      preset && wished.dateFrom !== '' ? () => change({ dateFrom: '', dateTo: '' }) : undefined,
    sizes: sizesOf(firstSize),
    fields,
    list,
    selection,
    columns: {
      ...columns,
      drawn: columns.visible.filter(
        (name) => columns.chosen || !fitting || fitting.includes(name) || columns.quiet.has(name),
      ),
      onFit,
    },
    refresh: () => {
      selection.clear();
      void list.refresh();
    },
    queryFor: (value) => ({ ...base, ...chosen, ...searchOf({ ...state, ...value }) }),
    extent: () => ({
      source,
      base,
      query: { ...chosen, ...searchOf(state) },
      selected: selection.rows().map(({ id }) => id),
    }),
  };
}
