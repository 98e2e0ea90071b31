import { addressOf, type Query, timeZone } from '../../../kit/api.ts';
import { listUrl, nameSet, type Source } from '../source.ts';

/** Which rows to export. */
export type ExportRange = 'all' | 'selected' | 'filtered';
/** File types of an export. Excel keeps long numbers and leading zeros in a workbook only. */
export type ExportFormat = 'csv' | 'xlsx';

/** Query and selection of a list, for its dialogs. */
export interface ListExtent {
  readonly source: Source;
  /** Fixed query values of the list, such as "still running". */
  readonly base: Query;
  /** Query of the user: search, filters, order, dates and the chosen node. */
  readonly query: Query;
  readonly selected: readonly string[];
}

/** Drops empty query values. */
export function meaningful(query: Query): Query {
  return Object.fromEntries(
    Object.entries(query).filter(
      ([, value]) => value !== undefined && value !== null && value !== '',
    ),
  );
}

/**
 * Returns which ranges are available: selected rows need a selection, filtered rows a query
 * (conformance 4.16).
 */
export function possibleRanges({
  query,
  selected,
}: Pick<ListExtent, 'query' | 'selected'>): Readonly<Record<ExportRange, boolean>> {
  return {
    all: true,
    selected: selected.length > 0,
    filtered: Object.keys(meaningful(query)).length > 0,
  };
}

/** The file contains names of linked objects: readable, and valid for import. */
const FILE = { format: 'csv', references: 'names' };

/** Returns the query of an export; "all" ignores the current search. */
export function exportQuery(
  { base, query }: Pick<ListExtent, 'base' | 'query'>,
  range: ExportRange,
  spm?: string,
): Query {
  if (range === 'selected') return { ...base, ...FILE, spm };
  return { ...base, ...(range === 'filtered' ? meaningful(query) : {}), ...FILE };
}

/** Returns the download address of a range. */
export async function exportAddress(
  extent: ListExtent,
  range: ExportRange,
  format: ExportFormat,
): Promise<string> {
  const spm = range === 'selected' ? await nameSet(extent.selected) : undefined;
  // A link carries no headers, so the address holds the time zone.
  const query = { ...exportQuery(extent, range, spm), format, tz: timeZone() };
  return addressOf(listUrl(extent.source), query);
}

/**
 * Returns the address of the template for new rows, or of a file with the selected rows to update
 * (conformance 7.27).
 */
export async function templateAddress(
  { source, selected }: ListExtent,
  purpose: 'import' | 'update',
): Promise<string> {
  const query =
    purpose === 'import'
      ? { template: 'import', limit: 1 }
      : { template: 'update', spm: await nameSet(selected) };
  return addressOf(listUrl(source), { ...FILE, ...query, tz: timeZone() });
}
