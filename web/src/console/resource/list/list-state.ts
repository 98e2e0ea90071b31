import { PAGE_SIZES, PAGER_BUTTONS, ROWS_WITHOUT_PAGES } from '@sallyport/contract';
import type { SearchRecord } from '../../base/navigation.tsx';

/** The state of a list: what is searched, filtered and sorted, and which page of it is shown. */
export interface ListState {
  readonly page: number;
  readonly size: number;
  /** A field name, `-` before it for descending; empty for the resource's own order. */
  readonly order: string;
  readonly search: string;
  readonly filters: Readonly<Record<string, string>>;
  /** ISO moments; both or none. */
  readonly dateFrom: string;
  readonly dateTo: string;
}

export const DEFAULT_SIZE = PAGE_SIZES[0];

/** The page sizes of a list, with the one it begins with among them. */
export function sizesOf(first: number = DEFAULT_SIZE): readonly number[] {
  const sizes: readonly number[] = PAGE_SIZES;
  return sizes.includes(first) ? sizes : [...sizes, first].sort((one, other) => one - other);
}

/** The rows of a page as the settings word them: `all`, `auto`, or a number. */
export function rowsAtFirst(setting: string): number {
  return setting === 'all' ? ROWS_WITHOUT_PAGES : Number(setting) || DEFAULT_SIZE;
}

/** Query names of the address that are not filters: the list's own, and the tab of the page that it is on. */
const TAB = 'activeTab';
const RESERVED = new Set(['page', 'size', 'order', 'search', 'date_from', 'date_to', TAB]);

/** The state that a list begins with. */
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

/** Reads the state from an address. What makes no sense there counts as absent; `pageNames` belong to the page around the list. */
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

/** Writes the state into an address, keeping what in it is not the list's own. */
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

/** A change of what is listed leads back to the first page; turning pages does not. */
export function changed(state: ListState, change: Partial<ListState>): ListState {
  return { ...state, page: 1, ...change };
}

type Values = Readonly<Record<string, string | number>>;

/** What the person asks a list for, without the page they look at: what an export of the found rows holds. */
export function searchOf(state: ListState): Record<string, string> {
  return {
    ...state.filters,
    search: state.search,
    order: state.order,
    date_from: state.dateFrom,
    date_to: state.dateTo,
  };
}

/** What the server is asked (conformance 7.16). The order of the person wins over the one that the list begins with. */
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

/** Whether the person narrowed the list: an empty answer then means something else. */
export function isNarrowed(state: ListState): boolean {
  return state.search !== '' || Object.keys(state.filters).length > 0;
}

/** The next order of a column: ascending, descending, none. */
export function nextOrder(order: string, name: string): string {
  if (order === name) return `-${name}`;
  return order === `-${name}` ? '' : name;
}

/** The pages that the pager offers: a window of five around the current one. */
export function pagerWindow(page: number, pages: number, buttons = PAGER_BUTTONS): number[] {
  const first = Math.max(1, Math.min(page - Math.floor(buttons / 2), pages - buttons + 1));
  return Array.from({ length: Math.min(buttons, pages) }, (_, index) => first + index);
}

/** The last page of a number of rows. */
export const pagesOf = (count: number, size: number) => Math.max(1, Math.ceil(count / size));
