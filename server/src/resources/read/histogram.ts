import { formatDatetime, type Histogram, parseDatetime } from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/errors.ts';
import { barStarts } from './bars.ts';
import { estimate, rowsOf } from './count.ts';
import { type Listing, readListQuery } from './list-query.ts';
import { allOf, listScopeOf } from './scope.ts';
import { parseListing, type ReadSource, setOf, timed } from './source.ts';

const DAY = 86_400_000;
/** The range without `date_from`. */
const USUAL_DAYS = 30;
/**
 * Maximum planner cost of exact bars, about 300 ms, and rows of the sample that is counted and
 * projected above it.
 */
const LIMITS = { cost: 100_000, sample: 200_000 };

/** Counts the rows of a list over time, by its own search and filters. @throws Invalid */
export async function histogramOf(source: ReadSource, listing: Listing): Promise<Histogram> {
  const { mounted } = source;
  const { caller } = listing;
  const { from, to, query } = rangeOf(listing);
  const limited = { query, caller };
  const parsed = await parseListing(source, limited);
  const set = await setOf(source, limited);
  const marks = mounted.resource.histogram?.marks;
  const marked = marks
    ? readListQuery(source, { caller, query: new URLSearchParams(marks.filter) }).where
    : sql`false`;
  const starts = barStarts(from, to, caller.zone);
  const { rows, isExact } = await timed(source, parsed, (db) =>
    readBars(db, mounted.resource.table, {
      where: sql`${allOf([listScopeOf(mounted, query, caller), set])} and ${parsed.where}`,
      bar: sql`width_bucket(${sql.ref(`t.${mounted.resource.dateField ?? ''}`)},
        ${starts}::timestamptz[])`,
      marked,
    }),
  );
  const byBar = new Map(rows.map((row) => [row.bar, row]));
  return {
    date_from: formatDatetime(from, caller.zone),
    date_to: formatDatetime(to, caller.zone),
    is_exact: isExact,
    bars: starts.map((start, place) => ({
      date: formatDatetime(start, caller.zone),
      count: byBar.get(place + 1)?.count ?? 0,
      marked: byBar.get(place + 1)?.marked ?? 0,
    })),
  };
}

/** Returns the range of a request, and its query with both ends. @throws Invalid for bad dates */
function rangeOf({ query, caller: { zone } }: Listing) {
  const read = (name: 'date_from' | 'date_to', otherwise: Date): Date => {
    const text = (query.getAll(name).at(-1) ?? '').trim();
    const date = text === '' ? otherwise : parseDatetime(text, zone);
    if (!date) throw invalid(name, 'not_datetime');
    return date;
  };
  const to = read('date_to', new Date());
  const from = read('date_from', new Date(to.getTime() - USUAL_DAYS * DAY));
  const whole = new URLSearchParams(query);
  whole.set('date_from', from.toISOString());
  whole.set('date_to', to.toISOString());
  return { from, to, query: whole };
}

interface Bars {
  readonly where: Sql;
  /** The number of the bar, from 1. */
  readonly bar: Sql;
  readonly marked: Sql;
}

interface StoredBar {
  readonly bar: number;
  readonly count: number;
  readonly marked: number;
}

/**
 * Counts the rows of each bar. Above `limits`, it counts a sample of the table and projects the
 * counts.
 */
export async function readBars(
  db: Db,
  table: string,
  { where, bar, marked }: Bars,
  limits = LIMITS,
): Promise<{ readonly rows: readonly StoredBar[]; readonly isExact: boolean }> {
  const counted = async (sample: Sql) => {
    const { rows } = await sql<StoredBar>`
      select ${bar} as bar, count(*)::int as count,
        (count(*) filter (where ${marked}))::int as marked
      from ${sql.table(table)} t ${sample} where ${where} group by 1`.execute(db);
    return rows;
  };
  const isExact = (await estimate(db, table, where)).cost <= limits.cost;
  const all = isExact ? 0 : await rowsOf(db, table);
  if (all <= limits.sample) return { rows: await counted(sql``), isExact: true };
  const share = limits.sample / all;
  // A fixed seed samples the same blocks, so bars stay the same between two requests.
  const rows = await counted(sql`tablesample system (${100 * share}) repeatable (0)`);
  const project = (count: number) => Math.round(count / share);
  return {
    rows: rows.map((row) => ({
      ...row,
      count: project(row.count),
      marked: project(row.marked),
    })),
    isExact: false,
  };
}
