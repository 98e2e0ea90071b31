import { addressOf, type Query, timeZone } from '../../../kit/api.ts';
import { nameSet } from '../../../kit/resource-set.ts';
import { listUrl, type Source } from '../source.ts';

/** What an export holds. */
export type ExportRange = 'all' | 'selected' | 'filtered';

/** What a list tells the dialogs about itself. */
export interface ListExtent {
  readonly source: Source;
  /** What always belongs to the list, such as "still running". */
  readonly base: Query;
  /** What the person asks for: search, filters, order, dates, the chosen node. */
  readonly query: Query;
  readonly selected: readonly string[];
}

/** Query values that say something. */
export function meaningful(query: Query): Query {
  return Object.fromEntries(
    Object.entries(query).filter(
      ([, value]) => value !== undefined && value !== null && value !== '',
    ),
  );
}

/** The ranges that make sense now: selected ones need a selection, filtered ones a query (conformance 4.16). */
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

/** A file names what its rows link to, so that people can read it, and it can be imported again. */
const FILE = { format: 'csv', references: 'names' };

/** What goes into the address of an export; "all" is really all, whatever is searched at the moment. */
export function exportQuery(
  { base, query }: Pick<ListExtent, 'base' | 'query'>,
  range: ExportRange,
  spm?: string,
): Query {
  if (range === 'selected') return { ...base, ...FILE, spm };
  return { ...base, ...(range === 'filtered' ? meaningful(query) : {}), ...FILE };
}

/** The address that answers with the file of a range. */
export async function exportAddress(extent: ListExtent, range: ExportRange): Promise<string> {
  const spm = range === 'selected' ? await nameSet(extent.selected) : undefined;
  // A link carries no headers: the zone of its dates goes along in the address.
  return addressOf(listUrl(extent.source), { ...exportQuery(extent, range, spm), tz: timeZone() });
}

/** The address of the empty form for new rows, or of one that holds the selected rows to change (conformance 7.27). */
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
