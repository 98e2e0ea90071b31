import { PAGE_SIZES, PAGER_BUTTONS, ROWS_WITHOUT_PAGES } from '@sallyport/contract';
import type { SearchRecord } from '../../base/navigation.tsx';

/** The state of a list: search, filters, order, dates and page. */
export interface ListState {
  readonly page: number;
  readonly size: number;
  /** Field name, prefixed by `-` for descending; empty for the default order of the resource. */
  readonly order: string;
  readonly search: string;
  readonly filters: Readonly<Record<string, string>>;
  /** ISO dates; both or none. */
  readonly dateFrom: string;
  readonly dateTo: string;
}

export const DEFAULT_SIZE = PAGE_SIZES[0];

/** Returns the page sizes of a list, including the initial one. */
export function sizesOf(first: number = DEFAULT_SIZE): readonly number[] {
  const sizes: readonly number[] = PAGE_SIZES;
  return sizes.includes(first) ? sizes : [...sizes, first].sort((one, other) => one - other);
}

/** Parses the page size setting: `all`, `auto`, or a number. */
export function rowsAtFirst(setting: string): number {
  return setting === 'all' ? ROWS_WITHOUT_PAGES : Number(setting) || DEFAULT_SIZE;
}

/** Query parameters that are not filters: those of the list, and the tab of its page. */
const TAB = 'activeTab';
const RESERVED = new Set(['page', 'size', 'order', 'search', 'date_from', 'date_to', TAB]);

/** Returns the initial state of a list. */
export const emptyState = (first: number = DEFAULT_SIZE): ListState => ({
  ...EMPTY_STATE,
  size: first,
});

export const EMPTY_STATE: ListState = {
  page: 1,
  size: DEFAULT_SIZE,
  order: '',
  search: '',
  filters: {},
  dateFrom: '',
  dateTo: '',
};

const isMoment = (text: string | undefined) =>
  text !== undefined && !Number.isNaN(Date.parse(text));

function wholeNumber(text: string | undefined, fallback: number): number {
  const number = Number(text);
  return Number.isSafeInteger(number) && number > 0 ? number : fallback;
}

/**
 * Reads the state from an address. Invalid values count as absent; `pageNames` are parameters of
 * the page.
 */
export function readState(
  search: SearchRecord,
  first: number = DEFAULT_SIZE,
  pageNames: readonly string[] = [],
): ListState {
  const size = wholeNumber(search.size, first);
  const dated = isMoment(search.date_from) && isMoment(search.date_to);
  return {
    page: wholeNumber(search.page, 1),
    size: sizesOf(first).includes(size) ? size : first,
    order: search.order ?? '',
    search: search.search ?? '',
    filters: Object.fromEntries(
      Object.entries(search).filter(
        ([name, value]) => !RESERVED.has(name) && !pageNames.includes(name) && value !== '',
      ),
    ),
    dateFrom: dated ? (search.date_from ?? '') : '',
    dateTo: dated ? (search.date_to ?? '') : '',
  };
}

/** Writes the state into an address and keeps the parameters of the page. */
export function writeState(
  state: ListState,
  previous: SearchRecord,
  first: number = DEFAULT_SIZE,
  pageNames: readonly string[] = [],
): Record<string, string | undefined> {
  const others = Object.fromEntries([TAB, ...pageNames].map((name) => [name, previous[name]]));
  return {
    ...others,
    ...state.filters,
    search: state.search || undefined,
    order: state.order || undefined,
    page: state.page > 1 ? String(state.page) : undefined,
    size: state.size === first ? undefined : String(state.size),
    date_from: state.dateFrom || undefined,
    date_to: state.dateTo || undefined,
  };
}

/** Applies a change; any change except of the page returns to the first page. */
export function changed(state: ListState, change: Partial<ListState>): ListState {
  return { ...state, page: 1, ...change };
}

type Values = Readonly<Record<string, string | number>>;

/** Returns the search, filters, order and dates without the page, as exports need them. */
export function searchOf(state: ListState): Record<string, string> {
  return {
    ...state.filters,
    search: state.search,
    order: state.order,
    date_from: state.dateFrom,
    date_to: state.dateTo,
  };
}

/**
 * Builds the query for the server (conformance 7.16). The order chosen by the user overrides the
 * initial order.
 */
export function queryOf(state: ListState, base: Values = {}): Record<string, string | number> {
  const order = state.order || base.order;
  return {
    ...base,
    ...searchOf(state),
    ...(order !== undefined && { order }),
    limit: state.size,
    offset: (state.page - 1) * state.size,
    display: 1,
    draw: 1,
  };
}

/** Returns true if the user narrowed the list; an empty result then means "nothing found". */
export function isNarrowed(state: ListState): boolean {
  return state.search !== '' || Object.keys(state.filters).length > 0;
}

/** Returns the next order of a column: ascending, descending, none. */
export function nextOrder(order: string, name: string): string {
  if (order === name) return `-${name}`;
  return order === `-${name}` ? '' : name;
}

/**
 * Returns the pages with a button: at most five, among them the first, the last and the current one
 * (conformance 9.3).
 */
export function pagerPages(page: number, pages: number, buttons = PAGER_BUTTONS): number[] {
  if (pages <= buttons) return Array.from({ length: pages }, (_, index) => 1 + index);
  const between = buttons - 2;
  const first = Math.max(2, Math.min(page - Math.floor(between / 2), pages - between));
  return [1, ...Array.from({ length: between }, (_, index) => first + index), pages];
}

/** Returns the number of the last page. */
export const pagesOf = (count: number, size: number) => Math.max(1, Math.ceil(count / size));
