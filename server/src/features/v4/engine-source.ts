import type { Language, Resource, Row } from '@sallyport/contract';
import type { Context } from '../../http/context.ts';
import { sql } from '../../platform/db/sql.ts';
import { type Engines, engineOf, type ResourceEngine } from '../../resources/engines.ts';
import type { StoredRow } from '../../resources/hooks.ts';
import type { Counted } from '../../resources/read/page.ts';
import type { LaterRow, Source } from './lists.ts';

/** A row with the values that other objects call it by. */
export type Related = ReadonlyMap<string, StoredRow>;

/** Reads some fields of the objects with these ids or names, within the caller's organization. */
export async function readRelated(
  { reader }: ResourceEngine,
  {
    values,
    fields,
    by = 'id',
  }: {
    readonly values: readonly string[];
    readonly fields: readonly string[];
    readonly by?: 'id' | 'name';
  },
  context: Context,
): Promise<Related> {
  const keys = [...new Set(values)].filter(Boolean);
  if (keys.length === 0) return new Map();
  const within = by === 'id' ? sql`t.id = any (${keys}::uuid[])` : sql`t.name = any (${keys})`;
  const rows = await reader.find(within, [...new Set(['id', by, ...fields])], keys.length, context);
  return new Map(rows.map((row) => [String(row[by]), row]));
}

interface Translation<R extends Resource> extends Pick<Source, 'filters' | 'orders'> {
  /** Reads what the rows refer to. */
  readonly related?: (
    rows: readonly Row<R>[],
    context: Context,
    isDetail: boolean,
  ) => Promise<RelatedSets>;
  readonly present: (row: Row<R>, presentation: Presentation) => LaterRow;
}

/** Related objects by kind. */
export type RelatedSets = Readonly<Record<string, Related>>;

/** Facts for the presentation of a row. */
export interface Presentation {
  readonly related: RelatedSets;
  readonly language: Language;
  /** True for the answer about one object. */
  readonly isDetail: boolean;
}

/** Filters that every resource has. */
const COMMON = { id: 'ids', ids: 'ids', search: 'search' } as const;
/** Filters of logs. */
export const DATES = { date_from: 'date_from', date_to: 'date_to' } as const;

/** Returns the rows of a resource, with the scope of the resource's list. */
export function engineSource<R extends Resource>(
  engines: Engines,
  resource: R,
  { filters, orders, related, present }: Translation<R>,
): Source {
  const { reader } = engineOf(engines, resource);
  const presentAll = async (stored: readonly StoredRow[], context: Context, isDetail: boolean) => {
    const rows = stored as readonly Row<R>[];
    const sets = (await related?.(rows, context, isDetail)) ?? {};
    return rows.map((row) => present(row, { related: sets, language: context.language, isDetail }));
  };
  return {
    filters: { ...COMMON, ...filters },
    orders,
    async page({ query, within }, context): Promise<Counted<LaterRow>> {
      const answer = (await reader.list(query, context, within)) ?? [];
      const { count, results } = Array.isArray(answer)
        ? { count: answer.length, results: answer }
        : answer;
      return { count, results: await presentAll(results, context, false) };
    },
    async retrieve(id, context) {
      const [row] = await presentAll([await reader.retrieve(id, context)], context, true);
      return row ?? {};
    },
  };
}
