/** Rows of a page at the most, where they are held in memory. */
export const MAX_LIMIT = 10_000;

/** Which part of a list a request wants. */
export interface Paging {
  /** Absent: everything. */
  readonly limit: number | undefined;
  readonly offset: number;
}

/** Reads a whole number above zero; 0 for everything else. */
export function positiveIn(query: URLSearchParams, name: string): number {
  const value = Number((query.getAll(name).at(-1) ?? '').trim());
  return Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** Reads `limit` and `offset`; what is no number above zero counts as absent. */
export function readPaging(query: URLSearchParams, maxLimit = MAX_LIMIT): Paging {
  const limit = positiveIn(query, 'limit');
  return {
    limit: limit > 0 ? Math.min(limit, maxLimit) : undefined,
    offset: positiveIn(query, 'offset'),
  };
}

/** A page of rows, and how many there are in all. */
export interface Counted<Row> {
  readonly count: number;
  readonly results: Row[];
}
