/** Rows of a page at the most, where they are held in memory. */
export const MAX_LIMIT = 10_000;

/** Which part of a list a request wants. */
export interface Paging {
  /** Absent: everything. */
  readonly limit: number | undefined;
  readonly offset: number;
}

/** Reads `limit` and `offset`; what is no number above zero counts as absent. */
export function readPaging(query: URLSearchParams, maxLimit = MAX_LIMIT): Paging {
  const number = (name: string): number => {
    const value = Number((query.getAll(name).at(-1) ?? '').trim());
    return Number.isSafeInteger(value) && value > 0 ? value : 0;
  };
  return { limit: number('limit') > 0 ? Math.min(number('limit'), maxLimit) : undefined, offset: number('offset') };
}

/** A page of rows, and how many there are in all. */
export interface Counted<Row> {
  readonly count: number;
  readonly results: Row[];
}
