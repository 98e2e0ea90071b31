import { PAGE_SIZES, PAGER_BUTTONS } from '@sallyport/contract';
import type { SearchRecord } from '../../navigation.tsx';

/** Where a list stands: what is searched, filtered and sorted, and which page of it is shown. */
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

/** Query names of the address that are not filters. */
const RESERVED = new Set(['page', 'size', 'order', 'search', 'date_from', 'date_to', 'activeTab', 'node', 'asset', 'domain', 'date_start', 'date_end']);

export const EMPTY_STATE: ListState = { page: 1, size: DEFAULT_SIZE, order: '', search: '', filters: {}, dateFrom: '', dateTo: '' };

const isMoment = (text: string | undefined) => text !== undefined && !Number.isNaN(Date.parse(text));

function wholeNumber(text: string | undefined, fallback: number): number {
  const number = Number(text);
  return Number.isSafeInteger(number) && number > 0 ? number : fallback;
}

/** Reads the state from an address. What makes no sense there counts as absent. */
export function readState(search: SearchRecord): ListState {
  const size = wholeNumber(search.size, DEFAULT_SIZE);
  const dated = isMoment(search.date_from) && isMoment(search.date_to);
  return {
    page: wholeNumber(search.page, 1),
    size: PAGE_SIZES.some((one) => one === size) ? size : DEFAULT_SIZE,
    order: search.order ?? '',
    search: search.search ?? '',
    filters: Object.fromEntries(Object.entries(search).filter(([name, value]) => !RESERVED.has(name) && value !== '')),
    dateFrom: dated ? (search.date_from ?? '') : '',
    dateTo: dated ? (search.date_to ?? '') : '',
  };
}

/** Writes the state into an address, keeping what in it is not the list's own. */
export function writeState(state: ListState, previous: SearchRecord): Record<string, string | undefined> {
  const others = Object.fromEntries(['activeTab', 'node', 'asset', 'domain'].map((name) => [name, previous[name]]));
  return {
    ...others,
    ...state.filters,
    search: state.search || undefined,
    order: state.order || undefined,
    page: state.page > 1 ? String(state.page) : undefined,
    size: state.size === DEFAULT_SIZE ? undefined : String(state.size),
    date_from: state.dateFrom || undefined,
    date_to: state.dateTo || undefined,
  };
}

/** A change of what is listed leads back to the first page; turning pages does not. */
export function changed(state: ListState, change: Partial<ListState>): ListState {
  return { ...state, page: 1, ...change };
}

/** What the server is asked (specification §7). */
export function queryOf(state: ListState, base: Readonly<Record<string, string | number>> = {}): Record<string, string | number> {
  return {
    ...base,
    ...state.filters,
    limit: state.size,
    offset: (state.page - 1) * state.size,
    search: state.search,
    order: state.order,
    date_from: state.dateFrom,
    date_to: state.dateTo,
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
