import { useEffect, useState } from 'react';
import type { Source } from '../source.ts';
import type { ListExtent } from '../transfer/export-address.ts';
import type { Column } from './columns.tsx';
import { type DateRange, presetRange } from './dates.ts';
import { emptyState, type ListState, searchOf, sizesOf } from './list-state.ts';
import { type SearchField, searchFields } from './search-fields.ts';
import type { Selection } from './selection.ts';
import { useDefaultView } from './useDefaultView.ts';
import { useListColumns } from './useListColumns.ts';
import { type ChangeList, useLocalListState, useUrlListState } from './useListState.ts';
import { type ResourceListModel, useResourceList } from './useResourceList.ts';
import { useSelection } from './useSelection.ts';

export type QueryValues = Readonly<Record<string, string | number>>;

export interface ListPageOptions<T> {
  readonly columns: readonly Column<T>[];
  /** Query values that make the list what it is; they always go along. */
  readonly base?: QueryValues;
  /** Query values that the person chose beside the list, such as a node of a tree. */
  readonly chosen?: QueryValues;
  /** Names in the address that are the page's own, and neither filters nor anything else of the list. */
  readonly pageNames?: readonly string[];
  /** What identifies a row that the server sends without an id. */
  readonly idOf?: (row: T) => string;
  /** The list is a part of another page: it keeps its state to itself. */
  readonly embedded?: boolean;
  /** How many rows a page has at first; absent: as every list. */
  readonly firstSize?: number;
  /** What can be searched by, where the server has no metadata to say it. */
  readonly searchBy?: readonly SearchField[];
  /** Values to choose from for fields that the server describes as plain texts. */
  readonly choicesOf?: Readonly<Record<string, NonNullable<SearchField['choices']>>>;
  /** What the server finds rows by beside their fields, such as what they are linked to. */
  readonly searchMore?: readonly SearchField[];
  /** The days that the date range begins with; absent: no date range. */
  readonly days?: number;
  readonly refetchEvery?: number;
  /** Hears which rows are shown. */
  readonly onRows?: (rows: readonly T[]) => void;
}

export interface ListPageModel<T extends { readonly id: string }> {
  /** Page, search, filters, order and dates, kept in the address unless the list is embedded. */
  readonly state: ListState;
  readonly change: ChangeList;
  readonly sizes: readonly number[];
  /** What can be searched and filtered by. */
  readonly fields: readonly SearchField[];
  readonly list: ResourceListModel<T>;
  readonly selection: Selection<T>;
  readonly columns: ReturnType<typeof useListColumns<T>> & {
    /** The columns on the screen: those that were chosen, or those that have room. */
    readonly drawn: readonly string[];
    readonly onFit: (names: readonly string[]) => void;
  };
  /** Reads the rows again and selects none. */
  readonly refresh: () => void;
  /** The query for what the list would hold with another search. */
  readonly queryFor: (value: Pick<ListState, 'search' | 'filters'>) => QueryValues;
  /** What the list holds at the moment, for an export or an import. */
  readonly extent: () => ListExtent;
}

/** Everything that a list page decides: what is shown of a resource, in which columns, and what of it is selected. Draws nothing. */
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
